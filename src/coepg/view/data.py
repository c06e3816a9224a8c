"""What a report shows, as plain values; built by whoever ran the work, drawn by `report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coepg.evaluate.intervals import Estimate
from coepg.evaluate.results import ResultRow
from coepg.types import Plan, Point, RewardBreakdown, Step, Verdict


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart: its name and its (x, y) points, x rising.

    ``bands`` holds (low, high) per point where there is an interval, else it is empty.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    bands: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Curve:
    """One chart.

    Attributes:
        title: what y is.
        series: the lines.
        x_label: what x counts.
        is_share: y lies in 0..1 and is shown in per cent, on a full scale.
        marks: x values with a label where a hairline stands (a new iteration).
        note: a line of small print.
    """

    title: str
    series: tuple[Series, ...]
    x_label: str = "step"
    is_share: bool = False
    marks: tuple[tuple[float, str], ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class StageTime:
    """How long one stage of one iteration took."""

    iteration: int
    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task name of one arm after one iteration on one split (micro means, 0..1)."""

    iteration: int
    arm: str
    split: str
    task_name: str
    n: int
    ele_acc: float
    op_f1: float
    step_sr: float


@dataclass(frozen=True, slots=True)
class MemberMark:
    """One grounder's answer in an example.

    ``weight`` and ``confidence`` are None where the grounder did not vote on a reward.
    """

    name: str
    point_px: tuple[float, float] | None
    is_hit: bool | None = None
    weight: float | None = None
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ExampleCard:
    """One screen with what was asked, what was said and what was right.

    Attributes:
        png: the encoded screenshot; empty for none.
        width, height: of the screenshot in pixels, in which box and points are given.
        gold_box_px: x0, y0, x1, y1; None for an action without a target.
        plan_text: the planner's answer as it came.
        is_parsed: whether it could be parsed; if not, the plan's parts are empty.
        members: the grounders that were asked.
        reward: of the plan, if it was scored.
        is_right: whether the step succeeded.
        element_hit: None where the gold action has no target.
    """

    step_id: str
    split: str
    task_name: str
    iteration: int
    arm: str
    png: bytes
    width: int
    height: int
    instruction: str
    history: tuple[str, ...]
    gold_element: str
    gold_type: str
    gold_value: str | None
    gold_box_px: tuple[float, float, float, float] | None
    plan_text: str
    is_parsed: bool
    plan_element: str | None
    plan_type: str
    plan_value: str | None
    members: tuple[MemberMark, ...]
    reward: float | None
    is_right: bool
    type_match: bool
    value_match: bool
    element_hit: bool | None
    op_f1: float


@dataclass(frozen=True, slots=True)
class ReportData:
    """Everything that a report shows.

    Attributes:
        title: the page's name.
        recipe: the recipe's name.
        description: one or two sentences on it.
        recipe_toml: the resolved recipe, shown on demand.
        versions, hardware: name and value pairs, in order.
        results: rows as in metrics.csv.
        curves: charts, see `coepg.view.curves`.
        stage_times: where the time went.
        tasks: results by task name.
        examples: screens, good and bad ones.
        notes: sentences that a reader of the numbers must know.
    """

    title: str
    recipe: str
    description: str = ""
    recipe_toml: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    hardware: Mapping[str, str] = field(default_factory=dict)
    results: tuple[ResultRow, ...] = ()
    curves: tuple[Curve, ...] = ()
    stage_times: tuple[StageTime, ...] = ()
    tasks: tuple[TaskRow, ...] = ()
    examples: tuple[ExampleCard, ...] = ()
    notes: tuple[str, ...] = ()


def task_rows(
    table: Mapping[str, Mapping[str, Estimate]], *, iteration: int, arm: str, split: str
) -> list[TaskRow]:
    """Rows from `coepg.evaluate.metrics.by_task`."""
    return [
        TaskRow(
            iteration=iteration,
            arm=arm,
            split=split,
            task_name=task_name,
            n=estimates["step_sr"].n,
            ele_acc=estimates["ele_acc"].value,
            op_f1=estimates["op_f1"].value,
            step_sr=estimates["step_sr"].value,
        )
        for task_name, estimates in table.items()
    ]


def example_card(
    step: Step,
    png: bytes,
    *,
    plan: Plan | None,
    plan_text: str,
    verdict: Verdict,
    iteration: int,
    arm: str,
    reward: RewardBreakdown | None = None,
    points_px: Mapping[str, Point | None] | None = None,
) -> ExampleCard:
    """A card from the vocabulary's own types.

    Args:
        step: the gold step.
        png: its screenshot, encoded.
        plan: the parsed plan, or None.
        plan_text: the planner's answer as it came.
        verdict: what the gold step says of the answer.
        iteration: after which iteration.
        arm: of which arm.
        reward: of the plan, if it was scored; brings weights, confidences and points.
        points_px: points of grounders beyond those in the reward, or in its place.
    """
    points = {**(reward.points_px if reward else {}), **(points_px or {})}
    box_px = step.target_box_px
    return ExampleCard(
        step_id=step.step_id,
        split=step.split,
        task_name=step.task_name,
        iteration=iteration,
        arm=arm,
        png=png,
        width=step.screenshot.size.width,
        height=step.screenshot.size.height,
        instruction=step.instruction,
        history=step.history,
        gold_element=step.target_repr,
        gold_type=step.action_type,
        gold_value=step.value,
        gold_box_px=box_px.as_tuple() if box_px else None,
        plan_text=plan_text,
        is_parsed=plan is not None,
        plan_element=plan.element if plan else None,
        plan_type=plan.action_type if plan else "",
        plan_value=plan.value if plan else None,
        members=tuple(
            MemberMark(
                name=name,
                point_px=(point.x, point.y) if point else None,
                is_hit=step.is_hit(point) if box_px else None,
                weight=reward.weights.get(name) if reward else None,
                confidence=reward.confidences.get(name) if reward else None,
            )
            for name, point in points.items()
        ),
        reward=reward.total if reward else None,
        is_right=verdict.step_success,
        type_match=verdict.type_match,
        value_match=verdict.value_match,
        element_hit=verdict.element_hit,
        op_f1=verdict.op_f1,
    )
