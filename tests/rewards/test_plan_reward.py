"""The reward of a plan: gates, votes, and members that fail."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.errors import ConfigError, InfrastructureError
from coepg.rewards import RewardSettings, distinct_plans, is_verified, needs_grounding, score_plan
from coepg.types import Box, Grounding, Plan, Point, RewardBreakdown, Screenshot, Size, Space, Step

BOX = Box(10, 10, 30, 20)
STEP = Step(
    step_id="e/0",
    episode_id="e",
    task_name="enter-text",
    split="train",
    step_index=0,
    num_steps=1,
    instruction='Enter "bob" into the field',
    history=(),
    screenshot=Screenshot("0" * 64, Size(160, 210)),
    action_type="type",
    value="bob",
    target_box_px=BOX,
)
SCROLL = replace(STEP, action_type="scroll", value="down", target_box_px=None)
PLAN = Plan("the text field", "type", "bob")
SETTINGS = RewardSettings(priors={"grounder": 2.0})


def hit(*logprobs: float) -> Grounding:
    return Grounding(Point(20, 15), logprobs or (-0.2,))


def miss(*logprobs: float) -> Grounding:
    return Grounding(Point(100, 100), logprobs or (-0.2,))


def test_worked_example() -> None:
    answers = {"grounder": hit(), "other": miss(), "ocr": hit()}
    reward = score_plan(PLAN, STEP, answers, SETTINGS)
    assert reward.hits == {"grounder": 1.0, "other": 0.0, "ocr": 1.0}
    assert reward.weights == {
        "grounder": pytest.approx(0.531, abs=6e-4),
        "other": pytest.approx(0.234, abs=6e-4),
        "ocr": pytest.approx(0.234, abs=6e-4),
    }
    assert reward.total == reward.r_plan == pytest.approx(0.766, abs=6e-4)
    assert reward.confidences["ocr"] == pytest.approx(math.exp(-0.2))
    assert reward.points_px["other"] == Point(100, 100)


def test_point_on_the_edge_is_a_hit() -> None:
    corner = Grounding(Point(30, 20), (-0.1,))
    assert score_plan(PLAN, STEP, {"grounder": corner}, SETTINGS).total == 1.0


def test_unparsable_plan_earns_nothing() -> None:
    assert score_plan(None, STEP, {}, SETTINGS) == RewardBreakdown(0.0, False, False, 0.0)
    assert not needs_grounding(None, STEP, SETTINGS)


@pytest.mark.parametrize(
    ("plan", "gates"),
    [
        (replace(PLAN, action_type="click"), (False, True)),
        (replace(PLAN, value="alice"), (True, False)),
        (replace(PLAN, value=None), (True, False)),
    ],
)
def test_closed_gate_earns_nothing_and_asks_nobody(plan: Plan, gates: tuple[bool, bool]) -> None:
    assert not needs_grounding(plan, STEP, SETTINGS)
    for answers in ({}, {"grounder": None}, {"grounder": hit(math.nan)}):
        reward = score_plan(plan, STEP, answers, SETTINGS)
        assert (reward.total, reward.r_plan) == (0.0, 0.0)
        assert (reward.type_match, reward.value_match) == gates


def test_closed_gate_still_reports_votes_that_were_given() -> None:
    plan = replace(PLAN, value="alice")
    reward = score_plan(plan, STEP, {"grounder": hit()}, SETTINGS)
    assert (reward.total, reward.r_plan, reward.hits) == (0.0, 1.0, {"grounder": 1.0})


def test_action_without_target_needs_no_member() -> None:
    plan = Plan(None, "scroll", "down")
    assert not needs_grounding(plan, SCROLL, SETTINGS)
    reward = score_plan(plan, SCROLL, {}, SETTINGS)
    assert (reward.total, reward.r_plan, reward.hits) == (1.0, 1.0, {})
    wrong = score_plan(Plan(None, "scroll", "up"), SCROLL, {}, SETTINGS)
    assert (wrong.total, wrong.r_plan) == (0.0, 1.0)


@pytest.mark.parametrize("element", [None, "", "  "])
def test_plan_without_element_for_a_target_is_a_miss(element: str | None) -> None:
    plan = replace(PLAN, element=element)
    assert not needs_grounding(plan, STEP, SETTINGS)
    reward = score_plan(plan, STEP, {}, SETTINGS)
    assert (reward.total, reward.type_match, reward.value_match) == (0.0, True, True)


def test_failed_member_is_left_out_and_a_missing_point_is_a_miss() -> None:
    reward = score_plan(PLAN, STEP, {"grounder": hit(), "other": None}, SETTINGS)
    assert reward.total == 1.0
    assert set(reward.hits) == set(reward.weights) == set(reward.points_px) == {"grounder"}
    no_point = Grounding(None, raw="sorry")
    reward = score_plan(PLAN, STEP, {"grounder": hit(), "other": no_point}, SETTINGS)
    assert reward.hits["other"] == 0.0
    assert 0 < reward.total < 1


@pytest.mark.parametrize("answers", [{}, {"grounder": None, "ocr": None}])
def test_nobody_answered_is_never_a_zero(answers: dict[str, None]) -> None:
    assert needs_grounding(PLAN, STEP, SETTINGS)
    with pytest.raises(InfrastructureError, match="e/0"):
        score_plan(PLAN, STEP, answers, SETTINGS)


def test_broken_log_probability_names_step_and_member() -> None:
    with pytest.raises(InfrastructureError, match="e/0.*'ocr'.*nan"):
        score_plan(PLAN, STEP, {"grounder": hit(), "ocr": hit(math.nan)}, SETTINGS)


def test_member_without_log_probabilities_is_neutral() -> None:
    answers = {"grounder": hit(-0.1), "other": miss(-0.5), "ocr": Grounding(Point(20, 15))}
    reward = score_plan(PLAN, STEP, answers, SETTINGS)
    assert reward.confidences["ocr"] == pytest.approx((math.exp(-0.1) + math.exp(-0.5)) / 2)
    alone = score_plan(PLAN, STEP, {"ocr": Grounding(Point(20, 15))}, SETTINGS)
    assert alone.confidences == {"ocr": 1.0}


def test_single_member_decides_alone() -> None:
    single = RewardSettings(weighting="single")
    assert score_plan(PLAN, STEP, {"grounder": miss(), "ocr": hit()}, single).total == 0.0
    assert score_plan(PLAN, STEP, {"grounder": hit(), "ocr": miss()}, single).total == 1.0
    with pytest.raises(InfrastructureError):
        score_plan(PLAN, STEP, {"grounder": None, "ocr": hit()}, single)


answers = st.dictionaries(
    st.sampled_from(["grounder", "a", "b", "c", "d"]),
    st.one_of(
        st.none(),
        st.builds(
            lambda make, logprobs: make(*logprobs),
            st.sampled_from([hit, miss]),
            st.lists(st.floats(-9, 0), min_size=1, max_size=4),
        ),
    ),
    min_size=1,
).filter(lambda found: any(found.values()))


@given(answers, st.sampled_from(["cdrem", "uniform", "prior"]))
def test_reward_bounds_and_unanimity(found, weighting) -> None:
    settings = RewardSettings(weighting=weighting, priors={"grounder": 2.0, "d": 0.3})
    reward = score_plan(PLAN, STEP, found, settings)
    assert 0.0 <= reward.total <= 1.0
    votes = set(reward.hits.values())
    if len(votes) == 1:  # unanimous: exact, so that a group of such answers has no variance
        assert reward.total == votes.pop()


def test_point_in_another_space_is_a_bug_not_a_miss() -> None:
    wrong = Grounding(Point(500, 500, Space.NORM1000), (-0.1,))
    with pytest.raises(ValueError, match="norm1000"):
        score_plan(PLAN, STEP, {"grounder": wrong}, SETTINGS)


@pytest.mark.parametrize("threshold", [-0.1, 1.0, math.nan])
def test_threshold_is_checked(threshold: float) -> None:
    with pytest.raises(ConfigError, match="value_f1_threshold"):
        RewardSettings(value_f1_threshold=threshold)


@pytest.mark.parametrize(
    ("found", "min_votes", "expected"),
    [
        ({"grounder": hit(), "ocr": miss()}, 1, True),
        ({"grounder": hit(), "ocr": miss()}, 2, False),
        ({"grounder": hit(), "ocr": hit()}, 2, True),
        ({"grounder": miss(), "ocr": miss()}, 1, False),
    ],
)
def test_verified_by_votes(found: dict[str, Grounding], min_votes: int, expected: bool) -> None:
    assert is_verified(score_plan(PLAN, STEP, found, SETTINGS), min_votes) is expected


def test_verified_needs_gates_unless_told_otherwise() -> None:
    reward = score_plan(replace(PLAN, value="alice"), STEP, {"grounder": hit()}, SETTINGS)
    assert not is_verified(reward)
    assert is_verified(reward, match_type_value=False)
    assert is_verified(score_plan(Plan(None, "scroll", "down"), SCROLL, {}, SETTINGS))
    assert not is_verified(score_plan(Plan(None, "scroll", "up"), SCROLL, {}, SETTINGS))
    assert not is_verified(score_plan(replace(PLAN, element=None), STEP, {}, SETTINGS))
    with pytest.raises(ValueError, match="min_votes"):
        is_verified(reward, 0)


def test_distinct_plans_ignore_case_and_space() -> None:
    first, same, other = (
        Plan(e, "type", v) for e, v in (("OK", "a b"), (" ok", "A  b"), ("OK", "c"))
    )
    assert distinct_plans([first, same, other]) == [first, other]
    assert len(distinct_plans([Plan("a", "click", v) for v in (None, "None", "")])) == 1
    assert distinct_plans([]) == []
