import pytest

from coepg.config.pools import PoolsConfig
from coepg.data.plans import plans_by_step, read_plans, write_plans
from coepg.errors import DataError
from coepg.evolve.enhance import PoolWriter, Proposal, is_admissible, propose, verify
from coepg.models.base import Sampling
from coepg.types import Box, Grounding, Plan, Point, Rollout, Screenshot, Size, Step


def step(i, action_type="click", value=None, box=(0, 0, 10, 10)):
    return Step(
        f"a/{i}", "a", "t", "train", i, 3, "do", (), Screenshot(f"h{i}", Size(50, 50)), action_type,
        value, Box(*box) if box else None,
    )  # fmt: skip


class Writer:
    name = "w"

    def __init__(self, rows):
        self.rows = rows

    def plan(self, steps, sampling):
        return [
            [Rollout(s.step_id, i, "", p, (), ()) for i, p in enumerate(self.rows)] for s in steps
        ]


class Describer:
    name = "d"

    def describe(self, steps, sampling):
        return [[] if s.target_box_px is None else ["the box", ""] for s in steps]


class Knows:
    """Hits only if the expression is among the known ones."""

    name = "knows"

    def __init__(self, *known):
        self.known = known

    def ground(self, requests):
        return [
            [Grounding(Point(5, 5) if e in self.known else Point(40, 40)) for e in r.elements]
            for r in requests
        ]


def silent(done, total):
    pass


def test_proposals_are_distinct_and_unparsed_answers_counted(tmp_path):
    writers = [
        PoolWriter(
            "w", Writer([Plan("OK", "click"), Plan("ok ", "click"), None]), False, Sampling()
        ),
        PoolWriter("d", Describer(), True, Sampling()),
    ]
    steps = [step(0), step(1, "scroll", "down", None)]
    proposals, unparsed = propose(writers, steps, tmp_path, silent)
    assert [p.plan.element for p in proposals[0]] == ["OK", "the box"]
    assert Proposal(Plan(None, "scroll", "down"), "d") in proposals[1]
    assert unparsed == {"w": 2, "d": 1}


@pytest.mark.parametrize(
    ("plan", "ok"),
    [
        (Plan("x", "type", "bob"), True),
        (Plan("x", "type", "BOB"), True),
        (Plan("x", "type", "bo"), False),
        (Plan("x", "click", None), False),
        (Plan(None, "type", "bob"), False),
        (Plan('"', "type", "bob"), False),
        (Plan(None, "scroll", "down"), False),
    ],
)
def test_only_plans_with_the_gold_type_and_value_are_verified(plan, ok):
    assert is_admissible(plan, step(0, "type", "bob"), PoolsConfig()) is ok


def test_plans_need_votes_and_the_best_are_kept(tmp_path):
    rows = [[Proposal(Plan(e, "click"), "w") for e in ("none", "one", "both", "one too")]]
    config = PoolsConfig(min_votes=1, max_plans_per_step=2)
    verifiers = {"a": Knows("one", "both"), "b": Knows("both", "one too")}
    records = verify(verifiers, [step(0)], rows, config, tmp_path, silent)
    assert [(r.plan.element, r.voters) for r in records] == [("both", ("a", "b")), ("one", ("a",))]


def test_plan_tables_round_trip_and_damage_is_named(tmp_path):
    rows = [[Proposal(Plan("x", "click"), "w")], [Proposal(Plan(None, "scroll", "down"), "d")]]
    steps = [step(0), step(1, "scroll", "down", None)]
    records = verify({"a": Knows("x")}, steps, rows, PoolsConfig(), tmp_path / "w", silent)
    write_plans(tmp_path, records)
    assert read_plans(tmp_path) == records
    assert set(plans_by_step(records)) == {"a/0", "a/1"}
    (tmp_path / "plans" / "train.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(DataError, match="train.parquet"):
        read_plans(tmp_path)
