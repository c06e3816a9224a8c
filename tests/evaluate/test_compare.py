"""Runs side by side: the tests against known answers, the files, the refusals."""

import itertools
import json
import math

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.errors import DataError
from coepg.evaluate.compare import compare_runs, comparison_lines
from coepg.evaluate.paired_tests import holm, sign_flip_test
from coepg.evaluate.step_scores import read_step_scores

signs = st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=40)
numbers = st.lists(st.integers(-8, 8).map(float), min_size=1, max_size=9)


def exact_p(differences):
    """Both tails over all sign vectors, straight from the definition."""
    total = abs(sum(differences))
    flips = itertools.product([1, -1], repeat=len(differences))
    sums = [abs(sum(s * d for s, d in zip(row, differences, strict=True))) for row in flips]
    return sum(value >= total for value in sums) / len(sums)


@given(values=numbers)
def test_small_tests_are_exact(values):
    assert sign_flip_test(values).p_value == pytest.approx(exact_p(values))


@given(values=signs)
def test_zero_and_one_scores_give_mcnemars_exact_test(values):
    b, c = values.count(1.0), values.count(-1.0)
    tail = sum(math.comb(b + c, k) for k in range(min(b, c) + 1)) / 2 ** (b + c)
    assert sign_flip_test(values).p_value == pytest.approx(min(1.0, 2 * tail))


def test_mcnemar_of_a_textbook_table():
    """25 against 10 discordant pairs: p = 2 P(X <= 10), X ~ B(35, 1/2)."""
    assert sign_flip_test([1.0] * 25 + [-1.0] * 10).p_value == pytest.approx(0.016683, abs=1e-5)


@given(values=st.lists(st.floats(-1, 1), min_size=1, max_size=60), seed=st.integers(0, 3))
def test_p_values_are_symmetric_and_in_range(values, seed):
    test = sign_flip_test(values, seed=seed, num_flips=200)
    assert 0 < test.p_value <= 1
    assert sign_flip_test([-v for v in values], seed=seed, num_flips=200) == test


def test_drawn_flips_come_near_the_exact_value():
    values = [0.1 * k for k in range(-5, 9)] + [0.33]
    assert len([v for v in values if v]) == 14
    exact = sign_flip_test(values).p_value
    drawn = sign_flip_test([*values, 1e-6], num_flips=20_000)
    assert drawn.method == "20000 sign flips"
    assert drawn.p_value == pytest.approx(exact, abs=0.02)


def test_episodes_are_flipped_whole():
    """Ten equal steps of one episode are one observation, not ten."""
    assert sign_flip_test([1.0] * 10).p_value == pytest.approx(2 / 1024)
    assert sign_flip_test([1.0] * 10, ["a"] * 10).p_value == 1.0
    assert sign_flip_test([1.0, -1.0, 0.0]).num_differing == 2
    assert sign_flip_test([0.0, 0.0]).method == "no step differs"
    with pytest.raises(ValueError, match="groups"):
        sign_flip_test([1.0], ["a", "b"])


@given(p_values=st.lists(st.floats(0, 1), max_size=12))
def test_holm(p_values):
    corrected = holm(p_values)
    assert all(p <= c <= 1 for p, c in zip(p_values, corrected, strict=True))
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    assert [corrected[k] for k in order] == sorted(corrected)
    if p_values:
        assert min(corrected) == pytest.approx(min(1, len(p_values) * min(p_values)))


def row(k, success, **more):
    return {"step_id": f"task/{k // 2}/{k % 2}", "step_success": success, **more}


def write(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def compare(*paths, **settings):
    return compare_runs([read_step_scores(p, p.name) for p in paths], **settings)


def test_two_files(tmp_path):
    a = write(tmp_path / "a.jsonl", [row(k, k < 4, op_f1=0.5, text="x") for k in range(12)])
    b = write(tmp_path / "b.jsonl", [row(k, k < 10, op_f1=0.5, text="y") for k in range(12)])
    found = compare(a, b)
    assert [r.metric for r in found.rows] == ["step_sr", "op_f1"]
    step_sr, op_f1 = found.rows
    assert (step_sr.first_mean, step_sr.second_mean) == (4 / 12, 10 / 12)
    assert (step_sr.num_better, step_sr.num_worse, step_sr.num_steps) == (6, 0, 12)
    assert step_sr.difference.value == pytest.approx(0.5)
    assert step_sr.difference.low > 0
    assert (step_sr.num_episodes, step_sr.test.p_value) == (6, 0.25)  # three whole episodes
    assert (step_sr.corrected_p, op_f1.corrected_p) == (0.5, 1.0)
    assert "no episode_id" in found.notes[0]
    lines = comparison_lines(found)
    assert lines[0] == "b.jsonl against a.jsonl"
    assert "+0.5000" in lines[2]
    assert any("2 comparisons" in line for line in lines)


def test_steps_without_a_target_do_not_count_for_element_accuracy(tmp_path):
    rows = [row(k, True, element_hit=None if k == 0 else True, episode_id="e") for k in range(4)]
    a = write(tmp_path / "a.jsonl", rows)
    found = compare(a, write(tmp_path / "b.jsonl", rows), metrics=["ele_acc"])
    assert [(r.metric, r.num_steps, r.num_episodes) for r in found.rows] == [("ele_acc", 3, 1)]
    assert not any("episode_id" in note for note in found.notes)
    rows[0]["element_hit"] = True
    c = write(tmp_path / "c.jsonl", rows)
    with pytest.raises(DataError, match="task/0/0"):
        compare(a, c)


def test_differing_steps_are_refused_or_left_out_loudly(tmp_path):
    a = write(tmp_path / "a.jsonl", [row(k, True) for k in range(8)])
    b = write(tmp_path / "b.jsonl", [row(k, k % 2 == 0) for k in range(2, 12)])
    with pytest.raises(DataError, match="--common-only") as caught:
        compare(a, b)
    text = str(caught.value)
    assert "12 steps in all, 6 of them in every run" in text
    assert "a.jsonl lacks 4 (task/4/0, task/4/1, task/5/0 and 1 more)" in text
    assert "b.jsonl lacks 2 (task/0/0, task/0/1)" in text
    found = compare(a, b, common_only=True)
    assert found.rows[0].num_steps == 6
    assert any(note.startswith("WARNING") and "only the 6 steps" in note for note in found.notes)
    c = write(tmp_path / "c.jsonl", [row(k, True) for k in range(20, 22)])
    with pytest.raises(DataError, match="same data"):
        compare(a, c, common_only=True)


def test_three_runs_against_the_first(tmp_path):
    paths = [
        write(tmp_path / f"{name}.jsonl", [row(k, k % n == 0) for k in range(12)])
        for name, n in (("a", 1), ("b", 2), ("c", 3))
    ]
    found = compare(*paths)
    assert [(r.first, r.second) for r in found.rows] == [
        ("a.jsonl", "b.jsonl"),
        ("a.jsonl", "c.jsonl"),
    ]
    raw = [r.test.p_value for r in found.rows]
    assert [r.corrected_p for r in found.rows] == holm(raw)


def test_runs_stages_parquet_and_json_are_read(tmp_path):
    rows = [row(k, k < 3) for k in range(6)]
    run = tmp_path / "run"
    for stage, wins in (("01-3-eval-sft", 1), ("02-5-eval-grpo", 3), ("02-7-eval-blank", 0)):
        path = run / "stages" / stage / "predictions-test.jsonl"
        write(path, [row(k, k < wins) for k in range(6)])
    from_run = read_step_scores(run)["test"]
    assert sum(from_run.scores["step_sr"].values()) == 3
    assert from_run.source.parent.name == "02-5-eval-grpo"
    first = read_step_scores(run / "stages" / "01-3-eval-sft")["test"]
    assert sum(first.scores["step_sr"].values()) == 1
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "rows.parquet")
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    for name in ("rows.parquet", "rows.json"):
        assert read_step_scores(tmp_path / name)[""].scores == from_run.scores


def test_splits_and_metrics_that_not_all_have(tmp_path):
    for name, splits in (("a", ("x", "y")), ("b", ("y", "z"))):
        for split in splits:
            extra = {"speed": 1.0} if name == "a" else {}
            rows = [row(k, True, **extra) for k in range(4)]
            write(tmp_path / name / f"predictions-{split}.jsonl", rows)
    found = compare(tmp_path / "a", tmp_path / "b")
    assert {(r.split, r.metric) for r in found.rows} == {("y", "step_sr")}
    assert any("split x, z" in note for note in found.notes)
    assert any("metric speed" in note for note in found.notes)
    with pytest.raises(DataError, match="'x'"):
        compare(tmp_path / "a", tmp_path / "b", splits=["x"])
    with pytest.raises(DataError, match="'speed'"):
        compare(tmp_path / "a", tmp_path / "b", metrics=["speed"])
    with pytest.raises(DataError, match="two or more"):
        compare(tmp_path / "a")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"step_id": "a", "x": 1}\n{"step_id": "a", "x": 1}\n', "row 2"),
        ('{"step_id": "a", "x": 1}\n{"x": 1}\n', "row 2"),
        ("[1]\n", "row 1"),
        ('{"step_id": "a", "x": 1}\n{"step_id"\n', "line 2"),
        ('{"step_id": "a", "x": NaN}\n', "row 1, x"),
        ('{"step_id": "a", "text": "b"}\n', "no scores"),
        ("", "no scores"),
    ],
)
def test_bad_files_are_refused(tmp_path, text, found):
    path = tmp_path / "rows.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match="rows.jsonl") as caught:
        read_step_scores(path)
    assert found in str(caught.value)


def test_what_is_not_there_is_said(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        read_step_scores(tmp_path / "nothing")
    with pytest.raises(DataError, match="no predictions"):
        read_step_scores(tmp_path)
    bad = tmp_path / "rows.parquet"
    bad.write_bytes(b"no parquet")
    with pytest.raises(DataError, match="Parquet"):
        read_step_scores(bad)


def test_a_run_that_knows_the_episodes_tells_the_others(tmp_path):
    ids = [f"e/{k}" for k in range(4)]
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("".join(json.dumps({"step_id": i, "step_success": False}) + "\n" for i in ids))
    rows = [{"step_id": i, "episode_id": i[-1], "step_success": True} for i in ids]
    new.write_text("".join(json.dumps(row) + "\n" for row in rows))
    comparison = compare_runs([read_step_scores(old), read_step_scores(new)])
    assert comparison.rows[0].num_episodes == 4
    assert not any("no episode_id" in note for note in comparison.notes)
