"""One action of a phone's episode, in the project's terms, and the step that it becomes.

``tags["target_box_source"]`` says where a target's box comes from: ``annotation`` (the source
names it), ``a11y`` and ``ui_annotations`` (the smallest element under the source's point),
``point`` (a box around it) or ``screen`` (the whole picture: the source does not say where a text
goes, so that any place is as right as any other).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from coepg.data.importers.elements import Element, box_around, smallest_at, whole_screen
from coepg.errors import DataError
from coepg.types import Box, Point, Screenshot, ScreenText, Size, Step

BoxSource = Literal["annotation", "a11y", "ui_annotations", "point", "screen", ""]


@dataclass(frozen=True, slots=True)
class Act:
    """A gold action and its target.

    Attributes:
        kind: of `coepg.types.ACTION_CLASSES`.
        value: text, direction, name of an app or key; None without one.
        box_px: of the target, with ``box_source``; None for actions without a target.
        others_px: boxes that are as right.
        point_px, end_point_px: where a finger touched and left the screen, if known.
        role, name: of the target, if known.
        tags: more to say of the action.
    """

    kind: str
    value: str | None = None
    box_px: Box | None = None
    box_source: BoxSource = ""
    others_px: tuple[Box, ...] = ()
    point_px: Point | None = None
    end_point_px: Point | None = None
    role: str = ""
    name: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def target_repr(self) -> str:
        """``[role] name``, or "" if neither is known."""
        role = f"[{self.role}]" if self.role else ""
        return f"{role} {' '.join(self.name.split())}".strip()

    @property
    def history_line(self) -> str:
        """``[role] name -> type: value``, each part only where there is one."""
        done = self.kind if self.value is None else f"{self.kind}: {self.value}"
        return f"{self.target_repr} -> {done}" if self.target_repr else done


@dataclass(frozen=True, slots=True)
class Place:
    """Where a step stands: everything but the action and the picture."""

    episode_id: str
    step_index: int
    num_steps: int
    split: str
    task_name: str
    instruction: str
    step_instruction: str = ""
    history: tuple[str, ...] = ()
    tags: dict[str, str] = field(default_factory=dict)


def act_at(
    kind: str,
    point: Point,
    size: Size,
    elements: Iterable[Element],
    source: BoxSource,
    where: str,
    value: str | None = None,
) -> Act:
    """An action at a point, with the smallest element that holds it, or a box around it.

    Raises:
        DataError: the point is outside the picture.
    """
    check_point(point, size, where)
    element = smallest_at(elements, point)
    if element is None:
        return Act(kind, value, box_around(point, size), "point", point_px=point)
    return Act(
        kind,
        value,
        element.box_px,
        source,
        point_px=point,
        role=element.role,
        name=element.name,
    )


def act_anywhere(kind: str, value: str | None, size: Size) -> Act:
    """An action that needs a target in a source that does not say which."""
    return Act(kind, value, whole_screen(size), "screen")


def check_point(point: Point, size: Size, where: str) -> None:
    """Refuse a point outside its picture.

    Raises:
        DataError: it is outside.
    """
    if not (0 <= point.x <= size.width and 0 <= point.y <= size.height):
        raise DataError(
            f"{where}: point",
            found=f"({point.x:g}, {point.y:g})",
            expected=f"a point in the picture of {size.width} x {size.height} px",
            fix="check that the picture has the size that was annotated, and the order of x and y",
        )


def step_of(
    act: Act, place: Place, screenshot: Screenshot, screen_text: tuple[ScreenText, ...] = ()
) -> Step:
    """The step of an action."""
    tags = {"platform": "mobile", **place.tags, **act.tags}
    if act.box_source:
        tags["target_box_source"] = act.box_source
    return Step(
        step_id=f"{place.episode_id}/{place.step_index}",
        episode_id=place.episode_id,
        task_name=place.task_name,
        split=place.split,
        step_index=place.step_index,
        num_steps=place.num_steps,
        instruction=place.instruction,
        history=place.history,
        screenshot=screenshot,
        action_type=act.kind,
        value=act.value,
        target_box_px=act.box_px,
        target_repr=act.target_repr if act.box_px is not None else "",
        screen_text=screen_text,
        alternative_boxes_px=act.others_px,
        target_point_px=act.point_px,
        end_point_px=act.end_point_px,
        step_instruction=place.step_instruction,
        tags=tags,
    )


def unknown_action(found: object, known: Iterable[str], where: str) -> DataError:
    """The error for an action that the importer does not know."""
    return DataError(
        f"{where}: action",
        found=repr(found),
        expected="one of " + ", ".join(known),
        fix="check --format; set such rows aside with --keep-going",
    )


def value_or_none(text: str) -> str | None:
    """A value, or None for an empty one."""
    return text if text.strip() else None
