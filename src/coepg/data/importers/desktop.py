"""Desktop recordings: where the keyboard goes, and calls as actions.

A desktop source names no element when it types: the text goes to what was clicked last. With the
setting ``focus=last_click`` (the default) that box is the target, tagged
``target_box_source=last_click``; with ``focus=leave_out``, or where nothing was clicked yet, the
step is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coepg.data.importers.base import Setting
from coepg.data.importers.history import history_line
from coepg.data.importers.pyautogui_calls import (
    POINTING,
    WITHOUT_KIND,
    Call,
    keys_text,
    scroll_direction,
    unknown_call,
)
from coepg.data.importers.values import numbers_of
from coepg.errors import DataError

FOCUS = Setting(
    "focus", "which element a text is typed into, where the source does not say it",
    ("last_click", "leave_out"), "last_click",
)  # fmt: skip
LAST_CLICK_TAG = {"target_box_source": "last_click"}


@dataclass(frozen=True, slots=True)
class Gesture:
    """One action as a source tells it, before its picture is known.

    Attributes:
        kind: action type, or None with a ``reason``.
        value: text, direction, keys, ...
        point: where it acts, in the source's unit; None where it does not point.
        end_point: where a drag ends.
        boxes: of the target, in the source's own form; () if it has none.
        reason: why there is no step.
        tags: what else is to be noted.
    """

    kind: str | None
    value: str | None = None
    point: tuple[float, ...] | None = None
    end_point: tuple[float, ...] | None = None
    boxes: tuple[Any, ...] = ()
    reason: str = ""
    tags: dict[str, str] = field(default_factory=dict)

    def line(self, target: str = "") -> str:
        """As history tells it."""
        return history_line(self.kind, self.value, target) if self.kind else self.reason


def gesture_of(call: Call, where: str, boxes: Sequence[Any] = ()) -> Gesture:
    """The action of one call.

    Raises:
        DataError: a call that is not known, or values that do not fit it.
    """
    name = call.name
    if name in WITHOUT_KIND:
        return Gesture(None, reason=name)
    if name in POINTING:
        point = (call.argument(0, "x"), call.argument(1, "y"))
        if point == (None, None):
            return Gesture(None, reason="no_position")
        return Gesture(POINTING[name], None, numbers_of(point, 2, name, where), boxes=tuple(boxes))
    if name in ("scroll", "hscroll", "vscroll"):
        (amount,) = numbers_of([call.argument(0, "clicks", "amount")], 1, name, where)
        way = scroll_direction(amount, horizontal=name == "hscroll")
        return Gesture("scroll", way, tags={"scroll_amount": f"{amount:g}"})
    if name in ("write", "typewrite"):
        text = call.argument(0, "message", "text")
        if not isinstance(text, str):
            raise DataError(
                f"{where}: {name}", found=f"{text!r:.80}", expected="a text",
                fix="mend or remove the row",
            )  # fmt: skip
        return Gesture("type", text)
    if name in ("press", "hotkey"):
        keys = call.kwargs.get("keys", list(call.args) if name == "hotkey" else call.argument(0))
        together = "+" if name == "hotkey" else " "
        return Gesture("press", keys_text(keys, where, joined_by=together))
    if name in ("sleep", "wait"):
        seconds = call.argument(0, "seconds", "time")
        return Gesture("wait", "1" if seconds is None else str(seconds))
    if name == "terminate":
        return Gesture("finish", str(call.argument(0, "status") or "success"))
    raise unknown_call(name, where)


def with_context(gestures: Sequence[Gesture], before: Gesture | None, focus: str) -> list[Gesture]:
    """Give drags their start and texts their field, and join what is one action.

    ``moveTo`` before ``dragTo`` or ``scroll`` is where these begin, not a step of its own.

    Args:
        gestures: of one script.
        before: the last gesture of the episode that pointed at something.
        focus: value of the setting `FOCUS`.
    """
    done: list[Gesture] = []
    last = before
    for gesture in gestures:
        if gesture.kind in ("drag", "scroll") and done and done[-1].kind == "hover":
            last = done.pop()
            if gesture.kind == "scroll":
                gesture = replace(gesture, point=last.point)
        if gesture.kind == "drag":
            gesture = _drag(gesture, last)
        elif gesture.kind == "type":
            gesture = _typed(gesture, last, focus)
        done.append(gesture)
        if gesture.kind in POINTING.values():
            last = gesture
    return done


def _drag(gesture: Gesture, start: Gesture | None) -> Gesture:
    if start is None:
        return Gesture(None, reason="drag_without_start")
    return replace(gesture, point=start.point, end_point=gesture.point, boxes=start.boxes)


def _typed(gesture: Gesture, last: Gesture | None, focus: str) -> Gesture:
    if last is None or focus == "leave_out" or last.kind not in ("click", "double_click"):
        return Gesture(None, reason="no_focus")
    tags = gesture.tags | LAST_CLICK_TAG
    return replace(gesture, point=last.point, boxes=last.boxes, tags=tags)
