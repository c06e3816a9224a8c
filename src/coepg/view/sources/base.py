"""What every source of the viewer offers, and the plain values that it hands out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from coepg.types import Step
from coepg.view.data import MemberMark
from coepg.view.index import StepIndex

BoxTuple = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer to a step.

    Attributes:
        label: which one it is ("agent", "sample 3").
        text: as it came; "" if only the plan is stored.
        is_parsed: whether there is a plan.
        element, action_type, value: the plan; empty without one.
        verdicts: value by metric; None where the metric does not apply.
        marks: points, in pixels of the screenshot.
        is_right: whether it counts as right; None if nothing says so.
        facts: what else is known, by name (reward, advantage, writer, ...).
    """

    label: str
    text: str = ""
    is_parsed: bool = False
    element: str | None = None
    action_type: str = ""
    value: str | None = None
    verdicts: Mapping[str, bool | float | None] = field(default_factory=dict)
    marks: tuple[MemberMark, ...] = ()
    is_right: bool | None = None
    facts: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """Everything that the page shows of one step.

    Attributes:
        step_id: of the step.
        image_hash: of its picture, or "" if the step is not known.
        image_note: why there is no picture, or "".
        width, height: of the picture in pixels; 0 if not known.
        gold_*: the recorded action; empty if the step is not known.
        alternative_boxes_px: boxes that are as right as the gold box.
        tags: what else the source says of the step.
        answers: none for a dataset.
        notes: sentences on what is missing.
    """

    step_id: str
    episode_id: str = ""
    task_name: str = ""
    split: str = ""
    step_index: int = 0
    num_steps: int = 0
    instruction: str = ""
    step_instruction: str = ""
    history: tuple[str, ...] = ()
    image_hash: str = ""
    image_note: str = ""
    width: int = 0
    height: int = 0
    gold_element: str = ""
    gold_type: str = ""
    gold_value: str | None = None
    gold_box_px: BoxTuple | None = None
    alternative_boxes_px: tuple[BoxTuple, ...] = ()
    gold_point_px: tuple[float, float] | None = None
    end_point_px: tuple[float, float] | None = None
    target_expression: str = ""
    tags: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    notes: tuple[str, ...] = ()


class Collection(Protocol):
    """A list of steps: a dataset, the answers of one evaluation, the rollouts of one training."""

    @property
    def key(self) -> str:
        """Its name in addresses; unique in its source and the same when it has grown."""
        ...

    @property
    def label(self) -> str:
        """Its name for people."""
        ...

    def index(self) -> StepIndex:
        """The index, read again if the files have changed.

        Raises:
            DataError: a file cannot be read.
        """
        ...

    def record(self, row: int) -> Record:
        """A step by its row in the index.

        Raises:
            DataError: the row cannot be read.
            IndexError: there is no such row.
        """
        ...

    def notes(self) -> Sequence[str]:
        """What a reader must know: lines left out, a dataset that was not found."""
        ...


class Source(Protocol):
    """Something that `coepg view` opens."""

    @property
    def title(self) -> str:
        """The page's title."""
        ...

    @property
    def kind(self) -> str:
        """``dataset``, ``run`` or ``evaluation``."""
        ...

    def collections(self) -> Sequence[Collection]:
        """What there is now; a run that is being written gets more."""
        ...

    def image(self, image_hash: str) -> bytes:
        """The encoded bytes of a picture.

        Raises:
            DataError: there is no picture of this name.
        """
        ...


def record_of(
    step: Step,
    *,
    image_note: str = "",
    answers: Sequence[Answer] = (),
    notes: Sequence[str] = (),
) -> Record:
    """The record of a known step."""
    box, point, end = step.target_box_px, step.target_point_px, step.end_point_px
    return Record(
        step_id=step.step_id,
        episode_id=step.episode_id,
        task_name=step.task_name,
        split=step.split,
        step_index=step.step_index,
        num_steps=step.num_steps,
        instruction=step.instruction,
        step_instruction=step.step_instruction,
        history=step.history,
        image_hash="" if image_note else step.screenshot.image_hash,
        image_note=image_note,
        width=step.screenshot.size.width,
        height=step.screenshot.size.height,
        gold_element=step.target_repr,
        gold_type=step.action_type,
        gold_value=step.value,
        gold_box_px=box.as_tuple() if box else None,
        alternative_boxes_px=tuple(b.as_tuple() for b in step.alternative_boxes_px),
        gold_point_px=(point.x, point.y) if point else None,
        end_point_px=(end.x, end.y) if end else None,
        target_expression=step.target_expression,
        tags=dict(step.tags),
        answers=tuple(answers),
        notes=tuple(notes),
    )
