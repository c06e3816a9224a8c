"""A benchmark's own report from answers to the steps of a dataset imported from it.

The importers write what a benchmark's scorer needs into a step's tags, and the steps that count but
could not be made into ``left_out.jsonl``. So answers that were made for any dataset give, besides
coepg's metrics, the benchmark's own numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from coepg.data.table import StepTable
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.mind2web import Mind2WebStep, Variant, mind2web_report
from coepg.evaluate.benchmarks.screenspot import ScreenSpotAnswer, screenspot_report
from coepg.evaluate.benchmarks.screenspot_pro import ScreenSpotProAnswer, screenspot_pro_report
from coepg.types import Plan, Point, Step

SCREENSPOT = {"screenspot": "v1", "screenspot_v2": "v2"}
"""Import format -> edition of the annotations; that of Parquet files is in the tag ``edition``."""
UNKNOWN = "unknown"
"""A platform or group that the source did not name."""


class StepAnswer(Protocol):
    """What is scored; `coepg.evaluate.agent.Prediction` is one."""

    @property
    def plan(self) -> Plan | None:
        """The parsed plan, or None."""
        ...

    @property
    def point_px(self) -> Point | None:
        """Where the agent acts, in pixels of the step's picture, or None."""
        ...


def benchmark_report(
    table: StepTable,
    split: str,
    steps: Sequence[Step],
    answers: Sequence[StepAnswer],
    *,
    seed: int = 0,
    is_told_the_action: bool = False,
) -> BenchmarkReport | None:
    """The report of the benchmark that a dataset was imported from.

    Args:
        table: the dataset; its ``format`` is that of the import.
        split: of the steps.
        steps: those that were answered.
        answers: one a step, in their order.
        seed: of the intervals.
        is_told_the_action: whether action type and value are the gold ones (a grounder alone).

    Returns:
        None for a dataset that comes from no benchmark with a scorer for steps: ScreenSpot (v1, v2,
        Pro) and Mind2Web have one.
    """
    form = str(table.info.get("format", ""))
    version = SCREENSPOT.get(form)
    if form == "screenspot_parquet":
        # Hubs hold both editions in this layout, so only the user can say which it is.
        editions = {step.tags.get("edition") for step in steps}
        version = editions.pop() if len(editions) == 1 else None
    if version is not None:
        report = screenspot_report(_screenspot(steps, answers), version, seed)
    elif form == "screenspot_pro":
        report = screenspot_pro_report(_screenspot_pro(steps, answers), seed)
    elif form in ("mind2web", "mind2web_json"):
        report = _mind2web(table, split, steps, answers, seed, is_told_the_action)
    else:
        return None
    return replace(report, notes=(*report.notes, *_notes(table, split, steps)))


def _notes(table: StepTable, split: str, steps: Sequence[Step]) -> list[str]:
    """In what the data differs from what papers score."""
    notes = []
    crop = table.info.get("crop", "none")
    if crop != "none":
        notes.append(
            f"the import cut the pictures ({crop}), each so that it holds the target; numbers of "
            "whole pictures are not comparable"
        )
    if len(steps) < table.num_steps(split):
        notes.append(f"a sample: {len(steps)} of {table.num_steps(split)} steps of the split")
    if languages := {s.tags["language"] for s in steps if s.tags.get("language", "en") != "en"}:
        notes.append(f"instructions are in the language {', '.join(sorted(languages))}")
    return notes


def _point(answer: StepAnswer) -> Point | None:
    """The point of an answer that could be parsed."""
    return None if answer.plan is None else answer.point_px


def _screenspot(steps: Sequence[Step], answers: Sequence[StepAnswer]) -> list[ScreenSpotAnswer]:
    return [
        ScreenSpotAnswer(
            step.screenshot.image_hash,
            step.tags.get("platform", UNKNOWN),
            step.tags.get("ui_type", UNKNOWN),
            step.target_box_px,
            _point(answer),
        )
        for step, answer in zip(steps, answers, strict=True)
        if step.target_box_px is not None
    ]


def _screenspot_pro(
    steps: Sequence[Step], answers: Sequence[StepAnswer]
) -> list[ScreenSpotProAnswer]:
    # The importer takes the instructions of targets that are there, not actions or descriptions.
    return [
        ScreenSpotProAnswer(
            image=step.screenshot.image_hash,
            group=step.tags.get("group", UNKNOWN),
            platform=step.tags.get("platform", UNKNOWN),
            application=step.tags.get("application", UNKNOWN),
            instruction_style="instruction",
            gt_type="positive",
            ui_type=step.tags.get("ui_type", UNKNOWN),
            box_px=step.target_box_px,
            point_px=_point(answer),
        )
        for step, answer in zip(steps, answers, strict=True)
        if step.target_box_px is not None
    ]


def _mind2web(
    table: StepTable,
    split: str,
    steps: Sequence[Step],
    answers: Sequence[StepAnswer],
    seed: int,
    is_told_the_action: bool,
) -> BenchmarkReport:
    variant: Variant = "uground"
    if steps and all(step.tags.get("boxes") == "seeclick" for step in steps):
        variant = "seeclick"
    rows = [_mind2web_step(s, a) for s, a in zip(steps, answers, strict=True)]
    # SeeClick's script passes over steps without a box; UGround's counts them as failed.
    totals = mind2web_totals(table, split, steps) if variant == "uground" else {}
    report = mind2web_report(rows, variant, totals, seed)
    notes = list(report.notes)
    if totals and (missing := _num_not_imported(steps, totals)):
        notes.append(
            f"{missing} more steps of these tasks were not imported and are not counted; the "
            "published scores count them as failed"
        )
    if is_told_the_action:
        notes.append(
            "action type and value are the gold ones, so Op.F1 is that of the annotator and Step "
            "SR counts the element alone"
        )
    if table.info["format"] == "mind2web_json" and variant == "uground":
        notes.append("the original Mind2Web has other test steps than Multimodal-Mind2Web")
    return replace(report, notes=tuple(notes))


def mind2web_totals(table: StepTable, split: str, steps: Sequence[Step]) -> dict[str, int]:
    """How many steps of each task are scored: those answered, and those left out by the import.

    Of a sample of a split, only tasks that were drawn count; of a whole split also tasks of which
    no step could be made.
    """
    totals = Counter(step.episode_id for step in steps)
    is_whole = len(steps) == table.num_steps(split)
    answered = set(totals)
    totals.update(
        row.episode_id for row in table.left_out(split) if is_whole or row.episode_id in answered
    )
    return dict(totals)


def _num_not_imported(steps: Sequence[Step], totals: Mapping[str, int]) -> int:
    lengths = {step.episode_id: step.num_steps for step in steps}
    return sum(max(0, length - totals[task]) for task, length in lengths.items())


def _mind2web_step(step: Step, answer: StepAnswer) -> Mind2WebStep:
    plan = answer.plan
    boxes = () if step.target_box_px is None else (step.target_box_px, *step.alternative_boxes_px)
    return Mind2WebStep(
        step.step_id,
        step.episode_id,
        step.action_type.upper(),
        step.value or "",
        boxes,
        predicted_op=None if plan is None else plan.action_type.upper(),
        predicted_value="" if plan is None else plan.value or "",
        point_px=_point(answer),
    )
