"""Running an agent over annotated steps and judging every answer.

Answers are made in chunks of `CHUNK_STEPS`, each a JSON value. A `Store` may keep them, so that an
interrupted evaluation continues. The chunks are the same whoever evaluates, so the numbers are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coepg.evaluate.intervals import Estimate
from coepg.evaluate.judging import StepResult, judge_answer
from coepg.evaluate.metrics import plan_diversity, plan_purity, summarize
from coepg.models.base import Actor, Grounder, Planner, Sampling
from coepg.rewards.gates import same_value
from coepg.rewards.plan_reward import RewardSettings
from coepg.rewards.verification import distinct_plans, is_verified
from coepg.rollouts.scoring import ground_elements, score_plans
from coepg.types import Plan, Point, Step

CHUNK_STEPS = 64
"""Steps that are answered together."""

Store = Callable[[str, Callable[[], Any]], Any]
"""(name, make) -> the JSON value of that name, made unless it is kept already."""

Answer = dict[str, Any]
"""``{"text": str, "plan": [element, action_type, value] | None, "point_px": [x, y] | None}``."""


def keep_nothing(name: str, make: Callable[[], Any]) -> Any:
    """The store that keeps nothing."""
    return make()


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

    def to_record(self) -> dict[str, Any]:
        """As a line of ``predictions-<split>.jsonl``; ``action_type`` is the gold one."""
        verdict = self.result.verdict
        return {
            "step_id": self.result.step_id,
            "episode_id": self.result.episode_id,
            "task_name": self.result.task_name,
            "action_type": self.result.action_type,
            **_answer(self.text, self.plan, self.point_px),
            "element_hit": verdict.element_hit,
            "op_f1": verdict.op_f1,
            "step_success": verdict.step_success,
        }


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
    store: Store = keep_nothing,
) -> Evaluation:
    """Greedy plan, greedy point, verdict; then sampled plans for purity and diversity."""

    def answer(part: Sequence[Step], start: int) -> list[Answer]:
        return answer_pair(planner, grounder, part, max_tokens)

    evaluation = _judged(steps, _chunked(store, "answers", steps, answer), seed)
    if not num_sampled_plans:
        return evaluation

    def sample(part: Sequence[Step], start: int) -> list[list[Any]]:
        sampling = Sampling(num_sampled_plans, temperature, max_tokens, seed + start)
        return sample_plans(planner, grounder, part, sampling)

    sampled = _chunked(store, "sampled", steps, sample)
    estimates = evaluation.estimates | sampled_estimates(steps, sampled, seed)
    return Evaluation(evaluation.predictions, estimates)


def evaluate_actor(
    actor: Actor,
    steps: Sequence[Step],
    *,
    max_tokens: int,
    seed: int,
    store: Store = keep_nothing,
) -> Evaluation:
    """An end-to-end model: type, value and point in one answer."""

    def answer(part: Sequence[Step], start: int) -> list[Answer]:
        groups = actor.act(part, Sampling(1, 0.0, max_tokens, seed))
        return [
            _answer(acted.rollout.text, acted.rollout.plan, acted.point_px) for acted, *_ in groups
        ]

    return _judged(steps, _chunked(store, "answers", steps, answer), seed)


def evaluate_grounder(
    grounder: Grounder, steps: Sequence[Step], *, seed: int, store: Store = keep_nothing
) -> Evaluation:
    """A grounder alone: the step's own referring expression instead of a plan.

    The expression is the one that came with the data, else the instruction (as in ScreenSpot).
    Type and value are the gold ones, so only the element can be missed.
    """

    def answer(part: Sequence[Step], start: int) -> list[Answer]:
        elements = [s.target_expression or s.instruction for s in part]
        found = ground_elements({"grounder": grounder}, part, [[e] for e in elements])
        rows = []
        for step, element, row in zip(part, elements, found, strict=True):
            grounding = row.get(element, {}).get("grounder")
            plan = Plan(element, step.action_type, step.value)
            text, point = (grounding.raw, grounding.point_px) if grounding else ("", None)
            rows.append(_answer(text, plan, point))
        return rows

    return _judged(steps, _chunked(store, "answers", steps, answer), seed)


def answer_pair(
    planner: Planner, grounder: Grounder, steps: Sequence[Step], max_tokens: int
) -> list[Answer]:
    """The likeliest plan of each step and the grounder's point for it."""
    rollouts = planner.plan(steps, Sampling(1, 0.0, max_tokens))
    plans = [group[0].plan for group in rollouts]
    elements = [[p.element] if p is not None and p.element else [] for p in plans]
    found = ground_elements({"grounder": grounder}, steps, elements)
    rows = []
    for group, plan, row in zip(rollouts, plans, found, strict=True):
        grounding = row.get(plan.element or "", {}).get("grounder") if plan is not None else None
        point = grounding.point_px if grounding is not None else None
        rows.append(_answer(group[0].text, plan, point))
    return rows


def sample_plans(
    planner: Planner, grounder: Grounder, steps: Sequence[Step], sampling: Sampling
) -> list[list[Any]]:
    """Per step and sampled plan: ``[element, action_type, value, is_good]``, or None unparsed.

    A plan is good if this grounder executes it and its value is the gold one.
    """
    groups = planner.plan(steps, sampling)
    plans = [[r.plan for r in group] for group in groups]
    settings = RewardSettings(confidence="none", weighting="uniform")
    scored = score_plans({"grounder": grounder}, steps, plans, settings)
    rows = []
    for step, row, rewards in zip(steps, plans, scored, strict=True):
        found: list[Any] = []
        for plan, reward in zip(row, rewards, strict=True):
            if plan is None:
                found.append(None)
                continue
            good = reward is not None and is_verified(reward) and same_value(plan.value, step.value)
            found.append([plan.element, plan.action_type, plan.value, good])
        rows.append(found)
    return rows


def sampled_estimates(
    steps: Sequence[Step], sampled: Sequence[Sequence[Any]], seed: int
) -> dict[str, Estimate]:
    """Purity and diversity of the plans that `sample_plans` gave."""
    flat = [plan is not None and plan[3] for row in sampled for plan in row]
    ids = [step.step_id for step, row in zip(steps, sampled, strict=True) for _ in row]
    kept = {
        step.step_id: distinct_plans(Plan(*p[:3]) for p in row if p is not None and p[3])
        for step, row in zip(steps, sampled, strict=True)
    }
    return {
        "plan_purity": plan_purity(flat, ids, seed),
        "plan_diversity": plan_diversity(kept, seed),
    }


def _chunked(
    store: Store,
    name: str,
    steps: Sequence[Step],
    make: Callable[[Sequence[Step], int], list[Any]],
) -> list[Any]:
    rows: list[Any] = []
    for start in range(0, len(steps), CHUNK_STEPS):
        part = steps[start : start + CHUNK_STEPS]
        rows += store(f"{name}-{start:06d}", lambda p=part, s=start: make(p, s))  # type: ignore[misc]
    return rows


def _answer(text: str, plan: Plan | None, point_px: Point | None) -> Answer:
    return {
        "text": text,
        "plan": None if plan is None else [plan.element, plan.action_type, plan.value],
        "point_px": None if point_px is None else [point_px.x, point_px.y],
    }


def _judged(steps: Sequence[Step], answers: Sequence[Mapping[str, Any]], seed: int) -> Evaluation:
    predictions = []
    for step, row in zip(steps, answers, strict=True):
        plan = None if row["plan"] is None else Plan(*row["plan"])
        point = None if row["point_px"] is None else Point(*row["point_px"])
        predictions.append(Prediction(row["text"], plan, point, judge_answer(plan, point, step)))
    return Evaluation(tuple(predictions), summarize([p.result for p in predictions], seed))
