"""AndroidControl in UI-S1's JSONL: one episode a line, pictures apart.

``coordinate`` and boxes are pixels of the screenshot, boxes ``[x0, y0, x1, y1]``. The smallest of
``check_options.candidate_bbox`` (or ``bbox`` in training files) that holds the point is the
target, cut to the screen (lists reach beyond it). The others that hold it count as hits too, as in
UI-S1's own score, unless ``--option candidates=smallest``.

A ``swipe`` is a scroll of AndroidControl. Where ``check_options.direction`` is given, it is
AndroidControl's word, the direction of the content, and is taken. The stroke's points are made up
by that conversion (the same few for all steps) and are dropped: in the test file they follow the
finger for up and down, but the word for left and right. Training rows have no word. There the
stroke runs along it (every stroke of the published example runs down, where the tasks ask for what
is below); ``--option stroke=finger`` reads it as a finger's.

``type`` names no place, so its box is the whole screen. Source: X-PLUG/MobileAgent, UI-S1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from coepg.data.crop import screenshot_of
from coepg.data.importers.acts import (
    Act,
    Place,
    act_anywhere,
    act_at,
    check_point,
    step_of,
    unknown_action,
    value_or_none,
)
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.elements import visible_part
from coepg.data.importers.fields import (
    field_list,
    field_object,
    field_text,
    numbers,
    optional_text,
)
from coepg.data.importers.gestures import OPPOSITE, content_direction, finger_direction
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.pictures import read_picture
from coepg.errors import DataError
from coepg.types import Box, Point, Size

_BUTTONS = {"Back": ("navigate_back", None), "Home": ("navigate_home", None),
            "Enter": ("press", "enter"), "Menu": ("press", "menu")}  # fmt: skip
_STATUS = {"success": None, "failure": "impossible"}
_KNOWN = ("click", "long_press", "swipe", "type", "open", "wait", "system_button", "terminate")


class UiS1Importer:
    """One episode a line."""

    format = SourceFormat(
        name="android_control_ui_s1",
        title="AndroidControl, UI-S1's JSONL",
        license="Apache-2.0",
        url="https://github.com/X-PLUG/MobileAgent/tree/main/UI-S1",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="content",
        settings=(
            Setting("candidates", "which boxes that hold the point are right",
                    ("all", "smallest"), "all"),
            Setting("stroke", "what the two points of a training row's swipe follow",
                    ("content", "finger"), "content"),
        ),
    )  # fmt: skip

    def __init__(self, options: ImportOptions) -> None:
        settings = options.checked(self.format)
        self.options = options
        self._smallest_only = settings["candidates"] == "smallest"
        self._finger_stroke = settings["stroke"] == "finger"
        self._folder = Path()
        self._split = "train"

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The lines of the file."""
        self._folder = self.options.images or source.parent
        self._split = self.options.split or ("test" if "test" in source.stem else "train")
        yield from iter_json_lines(source)

    def convert(self, record: Record) -> list[Imported]:
        """The steps of an episode."""
        row, where = record.data, record.where
        goal = field_text(row, "goal", where)
        raw_steps = field_list(row, "steps", where)
        steps: list[Imported] = []
        history: tuple[str, ...] = ()
        for k, raw in enumerate(raw_steps):
            here = f"{where}, step {k}"
            if not isinstance(raw, dict):
                raise unknown_action(raw, _KNOWN, here)
            name = PurePosixPath(field_text(raw, "screenshot", here)).name
            # Training rows have no episode_id; the picture's name begins with it.
            episode = str(row.get("episode_id", name.rpartition("_")[0]))
            data = read_picture(self._folder, name, here)
            shot = screenshot_of(data, here)
            act = self.act(raw, shot.size, here)
            place = Place(
                episode, k, len(raw_steps), self._split, "android_control", goal,
                step_instruction=optional_text(raw, "step_instruction", here), history=history,
            )  # fmt: skip
            steps.append(Imported(step_of(act, place, shot), data))
            history = (*history, act.history_line)
        if not steps:
            raise DataError(
                f"{where}: steps",
                found="an empty list",
                expected="at least one step",
                fix="remove the line, or set it aside with --keep-going",
            )
        return steps

    def act(self, raw: Mapping[str, Any], size: Size, where: str) -> Act:
        """The action of a step whose picture has this size.

        Raises:
            DataError: an action that is not known, or values that do not fit it.
        """
        action = field_object(raw, "action_content", where)
        checks = field_object(raw, "check_options", where) if "check_options" in raw else {}
        kind = action.get("action")
        if kind in ("click", "long_press"):
            return self._touch(str(kind), action, checks, size, where)
        if kind == "swipe":
            return Act("scroll", self._direction(action, checks, where))
        if kind == "type":
            return act_anywhere("type", field_text(action, "text", where), size)
        if kind == "open":
            return Act("open_app", value_or_none(field_text(action, "text", where)))
        if kind == "wait":
            time_s = action.get("time")
            return Act("wait", None if time_s is None else f"{float(time_s):g}")
        if kind == "system_button" and action.get("button") in _BUTTONS:
            return Act(*_BUTTONS[action["button"]])
        if kind == "terminate" and action.get("status", "success") in _STATUS:
            return Act("finish", _STATUS[action.get("status", "success")])
        raise unknown_action(dict(action), _KNOWN, where)

    def _touch(
        self, kind: str, action: Mapping[str, Any], checks: Mapping[str, Any], size: Size,
        where: str,
    ) -> Act:  # fmt: skip
        x, y = numbers(action.get("coordinate"), 2, "coordinate", where)
        point = Point(x, y)
        check_point(point, size, where)
        corners = list(checks.get("candidate_bbox") or [])
        corners += [action["bbox"]] if action.get("bbox") is not None else []
        visible = (visible_part(_box(c, where), size) for c in corners)
        holding = [b for b in visible if b is not None and b.area and b.contains(point)]
        holding.sort(key=lambda b: b.area)
        if not holding:
            return act_at(kind, point, size, [], "point", where)
        others = () if self._smallest_only else tuple(holding[1:])
        return Act(kind, None, holding[0], "annotation", others, point_px=point)

    def _direction(self, action: Mapping[str, Any], checks: Mapping[str, Any], where: str) -> str:
        word = checks.get("direction")
        if word is not None:
            if word not in OPPOSITE:
                raise unknown_action(f"swipe {word}", OPPOSITE, where)
            return str(word)
        x0, y0 = numbers(action.get("coordinate"), 2, "coordinate", where)
        x1, y1 = numbers(action.get("coordinate2"), 2, "coordinate2", where)
        start, end = Point(x0, y0), Point(x1, y1)
        if self._finger_stroke:
            return content_direction(start, end)
        return finger_direction(start, end)


def _box(corners: Any, where: str) -> Box:
    x0, y0, x1, y1 = numbers(corners, 4, "candidate_bbox", where)
    try:
        return Box(x0, y0, x1, y1)
    except ValueError as error:
        raise DataError(
            f"{where}: candidate_bbox",
            found=repr(corners),
            expected="[x0, y0, x1, y1] in pixels, left <= right and top <= bottom",
            fix="check the order of the corners",
        ) from error
