"""Metrics worked by hand on five episodes' worth of verdicts."""

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.metrics import (
    METRICS,
    StepResult,
    by_action_type,
    by_task,
    ele_acc,
    episode_sr,
    judge_answer,
    judge_step,
    op_f1,
    operation_f1,
    parse_failures,
    plan_diversity,
    plan_purity,
    result_rows,
    step_sr,
    summarize,
    zero_variance_share,
)
from coepg.types import Box, Plan, Point, Screenshot, Size, Step, Verdict

STEP = Step(
    step_id="e/0",
    episode_id="e",
    task_name="book-flight",
    split="test_seed",
    step_index=0,
    num_steps=1,
    instruction="Fly to Boston",
    history=(),
    screenshot=Screenshot("0" * 64, Size(160, 210)),
    action_type="type",
    value="Boston MA",
    target_box_px=Box(10, 10, 30, 20),
)
PLAN = Plan("the field", "type", "boston ma")
INSIDE, OUTSIDE = Point(30, 20), Point(30.5, 20)


def result(
    episode: str,
    index: int,
    *,
    hit: bool | None = True,
    f1: float = 1.0,
    task: str = "t1",
    num_steps: int = 1,
    kind: str = "click",
    parsed: bool = True,
) -> StepResult:
    success = hit is not False and f1 == 1.0
    verdict = Verdict(parsed, parsed, hit, f1, success)
    return StepResult(f"{episode}/{index}", episode, task, "test", num_steps, kind, parsed, verdict)


RESULTS = [
    result("a", 0, num_steps=3),
    result("a", 1, num_steps=3, hit=None, kind="scroll"),
    result("a", 2, num_steps=3, hit=False),
    result("b", 0),
    result("c", 0, task="t2", num_steps=2, f1=0.5, kind="type"),
    result("c", 1, task="t2", num_steps=2, hit=False, f1=0.0, parsed=False, kind="type"),
    result("d", 0, task="t2", num_steps=2),  # the second step was not evaluated
]


@pytest.mark.parametrize(
    ("plan", "step", "f1"),
    [
        (PLAN, STEP, 1.0),
        (replace(PLAN, value="ma boston boston"), STEP, 1.0),  # sets: order, repeats ignored
        (replace(PLAN, value="boston"), STEP, 0.8),  # 2*2 / (2+3)
        (replace(PLAN, action_type="select"), STEP, 2 / 3),
        (replace(PLAN, value=None), STEP, 0.5),
        (None, STEP, 0.0),
        (Plan("x", "click", "None"), replace(STEP, action_type="click", value=None), 1.0),
        (Plan("x", "click", "ok"), replace(STEP, action_type="click", value=None), 2 / 3),
    ],
)
def test_operation_f1_by_hand(plan: Plan | None, step: Step, f1: float) -> None:
    assert operation_f1(plan, step) == pytest.approx(f1)


words = st.none() | st.lists(st.sampled_from(["a", "b", "c", "D"]), max_size=4).map(" ".join)


@given(words, words)
def test_operation_f1_bounds_and_symmetry(mine: str | None, gold: str | None) -> None:
    forward = operation_f1(replace(PLAN, value=mine), replace(STEP, value=gold))
    assert 0 < forward <= 1  # the type agrees
    assert forward == operation_f1(replace(PLAN, value=gold), replace(STEP, value=mine))
    assert operation_f1(replace(PLAN, value=mine), replace(STEP, value=mine)) == 1.0


def test_judging_a_step_with_a_target() -> None:
    assert judge_step(PLAN, INSIDE, STEP) == Verdict(True, True, True, 1.0, True)
    assert judge_step(PLAN, OUTSIDE, STEP) == Verdict(True, True, False, 1.0, False)
    assert judge_step(PLAN, None, STEP) == Verdict(True, True, False, 1.0, False)
    close = judge_step(replace(PLAN, value="boston"), INSIDE, STEP)
    assert (close.value_match, close.element_hit, close.step_success) == (True, True, False)


def test_unparsable_answer_is_wrong_everywhere() -> None:
    assert judge_step(None, INSIDE, STEP) == Verdict(False, False, False, 0.0, False)


def test_judging_a_step_without_a_target() -> None:
    scroll = replace(STEP, action_type="scroll", value="down", target_box_px=None)
    right = Verdict(True, True, None, 1.0, True)
    assert judge_step(Plan(None, "scroll", "down"), None, scroll) == right
    assert judge_step(Plan(None, "scroll", "down"), OUTSIDE, scroll) == right
    assert not judge_step(Plan(None, "scroll", "up"), None, scroll).step_success
    assert judge_answer(None, None, scroll).verdict.element_hit is None


def test_judge_answer_keeps_what_groups_it() -> None:
    found = judge_answer(PLAN, INSIDE, STEP)
    assert (found.step_id, found.task_name, found.action_type) == ("e/0", "book-flight", "type")
    assert found.is_parsed
    assert not judge_answer(None, None, STEP).is_parsed


@pytest.mark.parametrize(
    ("metric", "micro", "task", "episode", "n"),
    [
        # hits: a 1,-,0  b 1 | c 1,0  d 1
        (ele_acc, 4 / 6, (2 / 3 + 2 / 3) / 2, (0.5 + 1 + 0.5 + 1) / 4, 6),
        # f1: a 1,1,1  b 1 | c .5,0  d 1
        (op_f1, 5.5 / 7, (1 + 0.5) / 2, (1 + 1 + 0.25 + 1) / 4, 7),
        # success: a 1,1,0  b 1 | c 0,0  d 1
        (step_sr, 4 / 7, (3 / 4 + 1 / 3) / 2, (2 / 3 + 1 + 0 + 1) / 4, 7),
    ],
)
def test_means_by_hand(metric, micro: float, task: float, episode: float, n: int) -> None:
    averages = {"micro": micro, "macro_task": task, "macro_episode": episode}
    for average, expected in averages.items():
        estimate = metric(RESULTS, average)
        assert estimate.value == pytest.approx(expected)
        assert estimate.n == n
        assert estimate.low <= estimate.value <= estimate.high


def test_episodes_count_when_whole() -> None:
    estimate = episode_sr(RESULTS)  # a no, b yes, c no; d is incomplete
    assert (estimate.value, estimate.n) == (pytest.approx(1 / 3), 3)


def test_parse_failures_by_hand() -> None:
    assert parse_failures(RESULTS).value == pytest.approx(1 / 7)


def test_tables_by_hand() -> None:
    tasks = by_task(RESULTS)
    assert list(tasks) == ["t1", "t2"]
    assert (tasks["t1"]["step_sr"].value, tasks["t1"]["step_sr"].n) == (0.75, 4)
    assert tasks["t1"]["episode_sr"].value == 0.5
    assert tasks["t2"]["episode_sr"].n == 1
    kinds = by_action_type(RESULTS)
    assert list(kinds) == ["click", "scroll", "type"]
    assert kinds["type"]["op_f1"].value == 0.25
    assert kinds["scroll"]["ele_acc"].n == 0
    assert math.isnan(kinds["scroll"]["ele_acc"].value)


def test_summary_has_a_definition_for_every_name_and_ignores_order() -> None:
    summary = summarize(RESULTS, seed=3)
    assert set(summary) <= set(METRICS)
    assert len(summary) == 11
    assert summarize(RESULTS[::-1], seed=3) == summary
    rows = result_rows(summary, iteration=2, arm="grpo", split="test_task")
    assert [r.metric for r in rows] == list(summary)
    assert (rows[0].iteration, rows[0].arm, rows[0].split) == (2, "grpo", "test_task")


def test_nothing_to_average() -> None:
    for estimate in summarize([]).values():
        assert estimate.n == 0
        assert math.isnan(estimate.value)


def test_mixing_arms_is_refused() -> None:
    with pytest.raises(ValueError, match="a/0 occurs twice"):
        summarize([*RESULTS, RESULTS[0]])


def test_purity_by_hand() -> None:
    estimate = plan_purity([True, False, True, True], ["a/0", "a/0", "a/1", "b/0"])
    assert (estimate.value, estimate.n) == (0.75, 4)
    with pytest.raises(ValueError, match="4 groups|4 values"):
        plan_purity([True] * 4, ["a/0"])


def test_diversity_counts_distinct_plans_and_empty_steps() -> None:
    button, upper, field = Plan("OK", "click"), Plan("ok", "click"), Plan("field", "type", "x")
    estimate = plan_diversity({"a/0": [button, upper, field], "a/1": [], "b/0": [field]})
    assert (estimate.value, estimate.n) == (1.0, 3)


def test_zero_variance_share_by_hand() -> None:
    groups = [[1.0, 1.0], [1.0, 0.0], [0.0, None, 0.0], [None, 1.0], []]
    estimate = zero_variance_share(groups)
    assert (estimate.value, estimate.n) == (pytest.approx(2 / 3), 3)
    assert zero_variance_share(groups, ["a/0", "a/1", "b/0", "b/1", "c/0"]).n == 3
    with pytest.raises(ValueError, match="5 groups"):
        zero_variance_share(groups, ["a/0"])


def test_definitions_are_named_and_versioned() -> None:
    assert {"ele_acc", "op_f1", "step_sr", "plan_purity", "plan_diversity"} <= set(METRICS)
    for name, definition in METRICS.items():
        assert definition.name == name
        assert definition.version >= 1
        assert definition.text.endswith(".")
    assert not METRICS["plan_diversity"].is_share
