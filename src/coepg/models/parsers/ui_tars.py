"""UI-TARS: ``Thought: ...`` and ``Action: click(start_box='(x,y)')``.

Version 1.0 counts 0..1000 and wraps points in box tokens, 1.5 counts pixels of the resized
picture and also writes ``point='<point>x y</point>'``. Facts: bytedance/UI-TARS
``codes/ui_tars/action_parser.py`` and the prompts of its repository.

The direction of ``scroll`` is the side on which more is shown, hence the content's. A ``scroll``
with a start and an end (version 1.0 on phones) is a finger's stroke.
"""

from __future__ import annotations

from typing import Any

from coepg.models.parsers.base import (
    AnswerParser,
    Notes,
    Reading,
    Unreadable,
    direction_word,
    join_keys,
    stroke_direction,
)
from coepg.models.parsers.calls import Call, find_calls
from coepg.models.parsers.coordinates import point_in_text, read_point
from coepg.types import Point, Space

_POINTED = {
    "click": "click",
    "left_single": "click",
    "left_double": "double_click",
    "right_single": "right_click",
    "long_press": "long_press",
    "hover": "hover",
    "mouse_move": "hover",
}
_DRAGS = ("drag", "select")
_KEYS = ("hotkey", "press", "press_key")
_PLAIN = {
    "press_back": Reading("navigate_back"),
    "press_home": Reading("navigate_home"),
    "press_enter": Reading("press", "enter"),
    "wait": Reading("wait"),
}
_OTHERS = ("type", "scroll", "swipe", "open_app", "finished", "call_user")
_UNSUPPORTED = ("middle_single", "left_triple", "keydown", "keyup", "release")
_KNOWN = (*_POINTED, *_DRAGS, *_KEYS, *_PLAIN, *_OTHERS, *_UNSUPPORTED)
_START = ("start_box", "start_point", "point", "box")
_END = ("end_box", "end_point")


class UITars(AnswerParser):
    """Function calls of the UI-TARS family."""

    def _read(self, text: str, notes: Notes) -> Reading:
        before, found, action = text.rpartition("Action:")
        if not found:
            notes.repair("missing_prefix")
            action = before or text
        calls = find_calls(action, _KNOWN, notes)
        if not calls:
            raise Unreadable("no_call", "no known function")
        if len(calls) > 1:
            notes.warn("extra_calls")
        return self._action(calls[0], notes)

    def _action(self, call: Call, notes: Notes) -> Reading:
        if call.name in _POINTED:
            return Reading(_POINTED[call.name], point=self._start(call, notes))
        if call.name in _DRAGS:
            return Reading("drag", point=self._start(call, notes), end_point=self._end(call, notes))
        if call.name in _KEYS:
            return Reading("press", join_keys(_text(call, ("key", "hotkey", "press")).split()))
        if call.name in _PLAIN:
            return _PLAIN[call.name]
        if call.name in ("scroll", "swipe"):
            return self._scroll(call, notes)
        if call.name == "type":
            return Reading("type", _text(call, ("content", "text"), notes))
        if call.name == "open_app":
            return Reading("open_app", _text(call, ("app_name", "app", "name"), notes))
        if call.name == "finished":
            return Reading("finish", _text(call, ("content",), optional=True))
        if call.name == "call_user":
            return Reading("take_over", _text(call, ("content",), optional=True))
        raise Unreadable("unsupported_action", call.name)

    def _scroll(self, call: Call, notes: Notes) -> Reading:
        point = self._point(call, _START, notes)
        end = self._point(call, _END, notes)
        if point is not None and end is not None:
            return Reading("swipe", stroke_direction(point, end), point, end)
        return Reading(call.name, direction_word(call.kwargs.get("direction")), point)

    def _start(self, call: Call, notes: Notes) -> Point:
        point = self._point(call, _START, notes)
        if point is None and call.args:
            notes.repair("positional_arguments")
            point = self._read_value(call.args[0], notes)
        if point is None:
            raise Unreadable("no_point", f"{call.name} without a start")
        return point

    def _end(self, call: Call, notes: Notes) -> Point:
        point = self._point(call, _END, notes)
        if point is None:
            raise Unreadable("no_point", f"{call.name} without an end")
        return point

    def _point(self, call: Call, names: tuple[str, ...], notes: Notes) -> Point | None:
        value = next((call.kwargs[n] for n in names if call.kwargs.get(n)), None)
        return None if value is None else self._read_value(value, notes)

    def _read_value(self, value: Any, notes: Notes) -> Point:
        assert self.space is not None
        if isinstance(value, str):
            return point_in_text(value, self.space, notes)
        notes.repair("unquoted_coordinates")
        return read_point(value, self.space, notes)


def ui_tars(name: str = "ui_tars") -> UITars:
    """UI-TARS 1.0: 0..1000 of width and height."""
    return UITars(name, Space.NORM1000)


def ui_tars_1_5(name: str = "ui_tars_1_5") -> UITars:
    """UI-TARS 1.5: pixels of the resized picture."""
    return UITars(name, Space.MODEL_PX)


def _text(
    call: Call, names: tuple[str, ...], notes: Notes | None = None, *, optional: bool = False
) -> str:
    """The text of the first argument that is there; "" for an optional one that is not."""
    for name in names:
        if call.kwargs.get(name) not in (None, ""):
            return str(call.kwargs[name])
    if call.args and notes is not None:
        notes.repair("positional_arguments")
        return str(call.args[0])
    if optional:
        return ""
    raise Unreadable("no_value", f"{call.name} without {names[0]}")
