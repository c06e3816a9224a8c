import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.view.export import shares
from coepg.view.index import Query, StepIndex

WORDS = st.sampled_from(["click", "type", "Größe", ""])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "step_id": st.text("abC/.*", max_size=4),
            "episode_id": st.none() | st.text("ab", max_size=2),
            "instruction": st.none() | st.text("aB%_\\", max_size=5),
            "action_type": WORDS,
            "task_name": st.none() | WORDS,
            "is_right": st.none() | st.booleans(),
        }
    ),
    max_size=12,
)
QUERIES = st.builds(
    Query,
    verdict=st.sampled_from(["", "wrong", "right", "none"]),
    action_type=WORDS,
    task_name=WORDS,
    text=st.text("aAbB%_.*\\", max_size=2),
)


def index_of(rows):
    schema = pa.schema(
        [(n, pa.string()) for n in ("step_id", "episode_id", "instruction", "action_type")]
        + [("task_name", pa.string()), ("is_right", pa.bool_())]
    )
    return StepIndex(pa.Table.from_pylist(rows, schema=schema))


def fits(row, query):
    verdicts = {"": True, "wrong": row["is_right"] is False, "right": row["is_right"] is True}
    texts = (row["instruction"], row["step_id"], row["episode_id"])
    return (
        verdicts.get(query.verdict, row["is_right"] is None)
        and query.action_type in ("", row["action_type"])
        and query.task_name in ("", row["task_name"])
        and (not query.text or any(query.text.lower() in (t or "").lower() for t in texts))
    )


@given(ROWS, QUERIES)
def test_select_equals_a_plain_search(rows, query):
    expected = [n for n, row in enumerate(rows) if fits(row, query)]
    index = index_of(rows)
    assert index.select(query).tolist() == expected
    page = index.page(query, 1, 3)
    assert [row["row"] for row in page] == expected[1:4]
    assert [row["step_id"] for row in page] == [rows[n]["step_id"] for n in expected[1:4]]


@given(ROWS, QUERIES, st.integers(-1, 12))
def test_next_wrong_goes_round(rows, query, position):
    chosen = [row for row in rows if fits(row, query)]
    wrong = [n for n, row in enumerate(chosen) if row["is_right"] is False]
    expected = next((n for n in wrong if n > position), wrong[0] if wrong else None)
    assert index_of(rows).next_wrong(query, position) == expected


def test_choices_count_values_most_frequent_first():
    index = index_of([{"step_id": str(n), "action_type": k} for n, k in enumerate("abbc")])
    assert index.choices()["action_type"] == [
        {"value": "b", "count": 2},
        {"value": "a", "count": 1},
        {"value": "c", "count": 1},
    ]
    assert index.choices()["app"] == []


def test_an_empty_index_has_no_verdicts():
    index = index_of([])
    assert (len(index), index.has_verdicts, index.page(Query(), 0, 5)) == (0, False, [])


@given(st.lists(st.integers(0, 30), max_size=6), st.integers(0, 60))
def test_shares_use_the_limit_and_are_even(counts, limit):
    found = shares(counts, limit)
    assert all(0 <= share <= count for share, count in zip(found, counts, strict=True))
    assert sum(found) == min(limit, sum(counts))
    cut = [share for share, count in zip(found, counts, strict=True) if share < count]
    assert not cut or max(found) - min(cut) <= 1


@pytest.mark.parametrize("verdict", ["wrong", "right"])
def test_steps_without_a_verdict_are_neither_right_nor_wrong(verdict):
    index = index_of([{"step_id": "a", "is_right": None}])
    assert index.select(Query(verdict=verdict)).tolist() == []
