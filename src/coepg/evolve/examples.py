"""Screens for the report: good and bad answers of the last agent, with every member's point."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coepg.evaluate.judging import judge_step
from coepg.evolve.context import Context
from coepg.evolve.members import Members
from coepg.evolve.stage import Stage
from coepg.rollouts.scoring import score_plans
from coepg.types import Plan, Point, Step
from coepg.view.data import ExampleCard, example_card


@dataclass(frozen=True, slots=True)
class StoredPrediction:
    """One line of a predictions file."""

    text: str
    plan: Plan | None
    point_px: Point | None


def read_predictions(folder: Path, split: str) -> dict[str, StoredPrediction]:
    """Predictions of an evaluation stage by step id."""
    found: dict[str, StoredPrediction] = {}
    path = folder / f"predictions-{split}.jsonl"
    for line in path.read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        plan = None if row["plan"] is None else Plan(*row["plan"])
        point = None if row["point_px"] is None else Point(*row["point_px"])
        found[row["step_id"]] = StoredPrediction(row["text"], plan, point)
    return found


def report_examples(context: Context, stages: Mapping[str, Stage]) -> list[ExampleCard]:
    """Cards of the last scored agent: per split, half failures where there are enough."""
    evaluations = [n for n in stages if n.endswith(("3-eval-sft", "5-eval-grpo"))]
    number = context.recipe.evaluate.num_report_examples
    if not evaluations or not number:
        return []
    name = evaluations[-1]
    iteration, arm = int(name[:2]), name.rpartition("-")[2]
    members = Members(context)
    grounder = stages.get(f"{iteration:02d}-2-sft-grounder")
    ensemble = members.ensemble(context.load(grounder.folder / "model")) if grounder else {}
    cards: list[ExampleCard] = []
    for split, steps in context.eval_steps.items():
        predictions = read_predictions(stages[name].folder, split)
        chosen = _choose(steps, predictions, number)
        plans = [[predictions[s.step_id].plan] for s in chosen]
        rewards: Sequence[Sequence[Any]] = (
            score_plans(ensemble, chosen, plans, members.reward_settings())
            if ensemble
            else [[None] for _ in chosen]
        )
        for step, row in zip(chosen, rewards, strict=True):
            p = predictions[step.step_id]
            cards.append(
                example_card(
                    step,
                    context.table.image_bytes(step.screenshot.image_hash),
                    plan=p.plan,
                    plan_text=p.text,
                    verdict=judge_step(p.plan, p.point_px, step),
                    iteration=iteration,
                    arm=arm,
                    reward=row[0],
                    points_px={"agent": p.point_px},
                )
            )
    return cards


def _choose(
    steps: Sequence[Step], predictions: Mapping[str, StoredPrediction], number: int
) -> list[Step]:
    """Spread over the tasks: round-robin by task name, failures and successes by turns."""
    right: list[Step] = []
    wrong: list[Step] = []
    for step in _by_turns(steps):
        p = predictions[step.step_id]
        verdict = judge_step(p.plan, p.point_px, step)
        (right if verdict.step_success else wrong).append(step)
    num_wrong = min(len(wrong), max(number // 2, number - len(right)))
    return wrong[:num_wrong] + right[: number - num_wrong]


def _by_turns(steps: Sequence[Step]) -> list[Step]:
    tasks: dict[str, list[Step]] = {}
    for step in steps:
        tasks.setdefault(step.task_name, []).append(step)
    longest = max((len(row) for row in tasks.values()), default=0)
    return [row[i] for i in range(longest) for row in tasks.values() if i < len(row)]
