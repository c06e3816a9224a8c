"""The numbers of an evaluation, each with an interval.

Judge every step, then summarise:

    results = [judge_answer(plan, point_px, step) for plan, point_px, step in answers]
    estimates = summarize(results)
    rows = result_rows(estimates, iteration=1, arm="grpo", split="test_seed")

Definitions stand in `coepg.evaluate.definitions.METRICS`; docs/concepts/metrics.md explains them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from coepg.credit.group import zero_variance
from coepg.evaluate.definitions import AVERAGED, METRICS, MetricDefinition
from coepg.evaluate.intervals import (
    EMPTY,
    Average,
    Difference,
    Estimate,
    bootstrap_interval,
    grouped_mean,
    paired_bootstrap,
)
from coepg.evaluate.judging import StepResult, judge_answer, judge_step, operation_f1
from coepg.evaluate.results import ResultRow, result_rows
from coepg.rewards.verification import distinct_plans
from coepg.types import Plan

__all__ = [
    "EMPTY",
    "METRICS",
    "Average",
    "Difference",
    "Estimate",
    "MetricDefinition",
    "ResultRow",
    "StepResult",
    "bootstrap_interval",
    "by_action_type",
    "by_task",
    "ele_acc",
    "episode_sr",
    "judge_answer",
    "judge_step",
    "op_f1",
    "operation_f1",
    "paired_bootstrap",
    "parse_failures",
    "plan_diversity",
    "plan_purity",
    "result_rows",
    "step_sr",
    "summarize",
    "zero_variance_share",
]


def ele_acc(results: Sequence[StepResult], average: Average = "micro", seed: int = 0) -> Estimate:
    """Element accuracy over the steps whose gold action has a target."""
    with_target = [r for r in results if r.verdict.element_hit is not None]
    return _average(with_target, lambda r: float(bool(r.verdict.element_hit)), average, seed)


def op_f1(results: Sequence[StepResult], average: Average = "micro", seed: int = 0) -> Estimate:
    """Operation F1 over all steps."""
    return _average(results, lambda r: r.verdict.op_f1, average, seed)


def step_sr(results: Sequence[StepResult], average: Average = "micro", seed: int = 0) -> Estimate:
    """Step success rate over all steps."""
    return _average(results, lambda r: float(r.verdict.step_success), average, seed)


def parse_failures(results: Sequence[StepResult], seed: int = 0) -> Estimate:
    """Share of planner answers that could not be parsed."""
    return _average(results, lambda r: float(not r.is_parsed), "micro", seed)


def episode_sr(results: Sequence[StepResult], seed: int = 0) -> Estimate:
    """Share of episodes whose every step succeeds, teacher-forced; incomplete ones are left out."""
    _check_unique(results)
    outcomes = [
        float(all(r.verdict.step_success for r in steps))
        for steps in _parts(results, lambda r: r.episode_id).values()
        if len(steps) == steps[0].num_steps
    ]
    return bootstrap_interval(outcomes, seed)


def summarize(results: Sequence[StepResult], seed: int = 0) -> dict[str, Estimate]:
    """Every step metric of one evaluation, by its name in metrics.csv.

    Args:
        results: one per step, of one arm on one split.
        seed: of the bootstrap.

    Raises:
        ValueError: a step occurs twice.
    """
    summary: dict[str, Estimate] = {}
    averages: tuple[tuple[str, Average], ...] = (
        ("", "micro"),
        ("_macro_task", "macro_task"),
        ("_macro_episode", "macro_episode"),
    )
    for suffix, average in averages:
        for name in AVERAGED:
            summary[name + suffix] = _STEP_METRICS[name](results, average, seed)
    summary["episode_sr"] = episode_sr(results, seed)
    summary["parse_failures"] = parse_failures(results, seed)
    return summary


def by_task(results: Sequence[StepResult], seed: int = 0) -> dict[str, dict[str, Estimate]]:
    """The micro means of each task name, and its episode success rate; tasks in sorted order."""
    table = _by(results, lambda r: r.task_name, seed)
    for task_name, part in _parts(results, lambda r: r.task_name).items():
        table[task_name]["episode_sr"] = episode_sr(part, seed)
    return table


def by_action_type(results: Sequence[StepResult], seed: int = 0) -> dict[str, dict[str, Estimate]]:
    """The micro means of each gold action kind, kinds in sorted order."""
    return _by(results, lambda r: r.action_type, seed)


def plan_purity(verified: Sequence[bool], step_ids: Sequence[str], seed: int = 0) -> Estimate:
    """Share of sampled plans that grounders execute.

    Args:
        verified: per sampled plan, what `coepg.rewards.verification.is_verified` says; False for
            an unparsable plan.
        step_ids: per sampled plan, the step that it answers.
        seed: of the bootstrap.
    """
    return bootstrap_interval([float(v) for v in verified], seed, _episode_ids(step_ids))


def plan_diversity(kept: Mapping[str, Sequence[Plan]], seed: int = 0) -> Estimate:
    """Mean number of distinct verified plans kept per step.

    Args:
        kept: the verified plans by step id; a step without any counts as 0 and must be listed.
        seed: of the bootstrap.
    """
    counts = [float(len(distinct_plans(plans))) for plans in kept.values()]
    return bootstrap_interval(counts, seed, _episode_ids(list(kept)))


def zero_variance_share(
    groups: Sequence[Sequence[float | None]], step_ids: Sequence[str] | None = None, seed: int = 0
) -> Estimate:
    """Share of groups of rewards that carry no gradient.

    Args:
        groups: the rewards of each group; None for a plan that could not be scored. Groups with
            fewer than two scored plans are left out.
        step_ids: per group, the step that was answered; by default groups are drawn alone.
        seed: of the bootstrap.
    """
    if step_ids is not None and len(step_ids) != len(groups):
        raise ValueError(f"{len(groups)} groups but {len(step_ids)} step ids")
    is_kept = [sum(r is not None for r in rewards) >= 2 for rewards in groups]
    values = [float(zero_variance(g)) for g, kept in zip(groups, is_kept, strict=True) if kept]
    if step_ids is None:
        return bootstrap_interval(values, seed)
    ids = [step_id for step_id, kept in zip(step_ids, is_kept, strict=True) if kept]
    return bootstrap_interval(values, seed, _episode_ids(ids))


_STEP_METRICS: dict[str, Callable[[Sequence[StepResult], Average, int], Estimate]] = {
    "ele_acc": ele_acc,
    "op_f1": op_f1,
    "step_sr": step_sr,
}


def _average(
    results: Sequence[StepResult],
    score: Callable[[StepResult], float],
    average: Average,
    seed: int,
) -> Estimate:
    _check_unique(results)
    return grouped_mean(
        [score(r) for r in results],
        [r.episode_id for r in results],
        [r.task_name for r in results],
        average,
        seed=seed,
    )


def _by(
    results: Sequence[StepResult], key: Callable[[StepResult], str], seed: int
) -> dict[str, dict[str, Estimate]]:
    return {
        name: {metric: _STEP_METRICS[metric](part, "micro", seed) for metric in AVERAGED}
        for name, part in _parts(results, key).items()
    }


def _parts(
    results: Sequence[StepResult], key: Callable[[StepResult], str]
) -> dict[str, list[StepResult]]:
    """The results by a key, keys in sorted order."""
    parts: dict[str, list[StepResult]] = {}
    for result in results:
        parts.setdefault(key(result), []).append(result)
    return {name: parts[name] for name in sorted(parts)}


def _check_unique(results: Sequence[StepResult]) -> None:
    """Two arms or splits in one list would give a number that means nothing."""
    seen: set[str] = set()
    for result in results:
        if result.step_id in seen:
            raise ValueError(f"step {result.step_id} occurs twice; give one arm on one split")
        seen.add(result.step_id)


def _episode_ids(step_ids: Sequence[str]) -> list[str]:
    """Step ids are ``<episode_id>/<step_index>``."""
    return [step_id.rpartition("/")[0] or step_id for step_id in step_ids]
