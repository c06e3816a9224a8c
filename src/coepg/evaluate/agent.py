"""Running an agent over annotated steps and judging every answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from coepg.evaluate.intervals import Estimate
from coepg.evaluate.judging import StepResult, judge_answer
from coepg.evaluate.metrics import plan_diversity, plan_purity, summarize
from coepg.models.base import Actor, Grounder, Planner, Sampling
from coepg.rewards.gates import same_value
from coepg.rewards.plan_reward import RewardSettings
from coepg.rewards.verification import distinct_plans, is_verified
from coepg.rollouts.scoring import ground_elements, score_plans
from coepg.types import Plan, Point, Step


@dataclass(frozen=True, slots=True)
class Prediction:
    """The likeliest answer to one step.

    Attributes:
        text: the planner's answer as it came.
        plan: parsed, or None.
        point_px: where the grounder points, or None.
        result: the verdict.
    """

    text: str
    plan: Plan | None
    point_px: Point | None
    result: StepResult


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Predictions in the order of the steps, and the metrics."""

    predictions: tuple[Prediction, ...]
    estimates: dict[str, Estimate] = field(default_factory=dict)


def evaluate_pair(
    planner: Planner,
    grounder: Grounder,
    steps: Sequence[Step],
    *,
    max_tokens: int,
    num_sampled_plans: int,
    temperature: float,
    seed: int,
) -> Evaluation:
    """Greedy plan, greedy point, verdict; then sampled plans for purity and diversity."""
    rollouts = planner.plan(steps, Sampling(1, 0.0, max_tokens, seed))
    plans = [group[0].plan for group in rollouts]
    elements = [[p.element] if p is not None and p.element else [] for p in plans]
    answers = ground_elements({"grounder": grounder}, steps, elements)
    predictions = []
    for step, group, plan, row in zip(steps, rollouts, plans, answers, strict=True):
        found = row.get(plan.element or "", {}).get("grounder") if plan is not None else None
        point = found.point_px if found is not None else None
        predictions.append(Prediction(group[0].text, plan, point, judge_answer(plan, point, step)))
    estimates = summarize([p.result for p in predictions], seed)
    if num_sampled_plans:
        sampling = Sampling(num_sampled_plans, temperature, max_tokens, seed)
        estimates |= sampled_estimates(planner, grounder, steps, sampling)
    return Evaluation(tuple(predictions), estimates)


def sampled_estimates(
    planner: Planner, grounder: Grounder, steps: Sequence[Step], sampling: Sampling
) -> dict[str, Estimate]:
    """Purity and diversity of sampled plans, as this grounder executes them."""
    groups = planner.plan(steps, sampling)
    plans = [[r.plan for r in group] for group in groups]
    settings = RewardSettings(confidence="none", weighting="uniform")
    scored = score_plans({"grounder": grounder}, steps, plans, settings)
    verified = [
        [
            reward is not None
            and plan is not None
            and is_verified(reward)
            and same_value(plan.value, step.value)
            for plan, reward in zip(row, rewards, strict=True)
        ]
        for step, row, rewards in zip(steps, plans, scored, strict=True)
    ]
    ids = [step.step_id for step, row in zip(steps, verified, strict=True) for _ in row]
    kept = {
        step.step_id: distinct_plans(
            plan for plan, good in zip(row, flags, strict=True) if good and plan is not None
        )
        for step, row, flags in zip(steps, plans, verified, strict=True)
    }
    flat = [flag for row in verified for flag in row]
    return {
        "plan_purity": plan_purity(flat, ids, sampling.seed),
        "plan_diversity": plan_diversity(kept, sampling.seed),
    }


def evaluate_actor(
    actor: Actor, steps: Sequence[Step], *, max_tokens: int, seed: int
) -> Evaluation:
    """The end-to-end baseline: type, value and point in one answer."""
    groups = actor.act(steps, Sampling(1, 0.0, max_tokens, seed))
    predictions = [
        Prediction(acted.rollout.text, acted.rollout.plan, acted.point_px,
                   judge_answer(acted.rollout.plan, acted.point_px, step))
        for step, (acted, *_) in zip(steps, groups, strict=True)
    ]  # fmt: skip
    return Evaluation(tuple(predictions), summarize([p.result for p in predictions], seed))
