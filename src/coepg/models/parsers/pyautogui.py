"""PyAutoGUI lines, as Aguvis, OpenCUA and OmniACT write them.

``pyautogui.click(x=0.32, y=0.26)``: Aguvis counts 0..1, others pixels, so the unit is declared.
Phones are spoken to by ``mobile.swipe(from_coord=[x, y], to_coord=[x, y])`` and its like.

* ``scroll(n)``: positive is up, so the sign names the content's direction; ``hscroll(n)``:
  positive is right (PyAutoGUI's documentation).
* ``mobile.swipe`` has the finger's start and end.
* ``dragTo`` has only an end: it drags from where the pointer is. ``moveTo`` before another action
  gives that action its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from coepg.models.parsers.base import (
    AnswerParser,
    Notes,
    Reading,
    Unreadable,
    join_keys,
    stroke_direction,
)
from coepg.models.parsers.calls import Call, find_calls
from coepg.models.parsers.coordinates import make_point, read_point, to_number
from coepg.types import Point, Space

_MODULES = ("pyautogui", "mobile", "computer", "browser")
_BARE = ("answer", "terminate")
_WORDS = {
    "WAIT": Reading("wait"),
    "DONE": Reading("finish", status="success"),
    "FAIL": Reading("finish", status="failure"),
}
_CLICKS = {
    "click": "click",
    "leftClick": "click",
    "doubleClick": "double_click",
    "rightClick": "right_click",
    "long_press": "long_press",
    "moveTo": "hover",
}
_PLAIN = {"back": "navigate_back", "home": "navigate_home"}
_UNSUPPORTED = (
    *("tripleClick", "triple_click", "middleClick", "mouseDown", "mouseUp", "keyDown", "keyUp"),
    *("moveRel", "move", "dragRel", "drag"),
)


class PyAutoGui(AnswerParser):
    """Python lines that call PyAutoGUI."""

    def _read(self, text: str, notes: Notes) -> Reading:
        readings = self.read_script(text, notes)
        first = readings[0]
        if len(readings) > 1 and first.kind == "hover":
            first, readings = _placed(readings[1], first.point), readings[1:]
        if len(readings) > 1:
            notes.warn("extra_calls")
        return first

    def read_script(self, text: str, notes: Notes) -> list[Reading]:
        """Every action of a script, in order.

        Raises:
            Unreadable: there is none, or one of them cannot be read.
        """
        calls = find_calls(text, _is_known, notes)
        if not calls:
            word = text.strip().strip("`").strip()
            if word.upper() in _WORDS:
                if word not in _WORDS:
                    notes.repair("lower_case_action")
                return [_WORDS[word.upper()]]
            raise Unreadable("no_call", "no call of pyautogui")
        return [self._action(call, notes) for call in calls]

    def _action(self, call: Call, notes: Notes) -> Reading:
        name = call.name.rpartition(".")[2]
        if name in _CLICKS:
            return self._click(name, call, notes)
        if name in _PLAIN:
            return Reading(_PLAIN[name])
        if name in _OTHERS:
            return _OTHERS[name](self, call, notes)
        if name in _UNSUPPORTED:
            raise Unreadable("unsupported_action", call.name)
        raise Unreadable("unknown_action", call.name)

    def _click(self, name: str, call: Call, notes: Notes) -> Reading:
        point = self._xy(call, notes)
        if point is None:
            raise Unreadable("no_point", f"{call.name} without coordinates")
        kind = _CLICKS[name]
        if name == "click":
            button, clicks = call.kwargs.get("button", "left"), call.kwargs.get("clicks", 1)
            by_button = {"left": "click", "right": "right_click"}
            by_clicks = {1: "click", 2: "double_click"}
            if button not in by_button or not isinstance(clicks, int) or clicks not in by_clicks:
                raise Unreadable("unsupported_action", f"{call.name}: {clicks} x {button}")
            kind = by_button[button] if button != "left" else by_clicks[clicks]
        return Reading(kind, point=point)

    def _xy(self, call: Call, notes: Notes) -> Point | None:
        assert self.space is not None
        values = [call.kwargs.get("x"), call.kwargs.get("y")]
        if values == [None, None] and len(call.args) >= 2:
            values = list(call.args[:2])
        if values == [None, None] and call.args and isinstance(call.args[0], list | tuple):
            return read_point(call.args[0], self.space, notes)
        if None in values:
            return None
        x, y = (to_number(value, notes) for value in values)
        return make_point(x, y, self.space, notes)

    def _drag(self, call: Call, notes: Notes) -> Reading:
        end = self._xy(call, notes)
        if end is None:
            raise Unreadable("no_point", f"{call.name} without coordinates")
        return Reading("drag", end_point=end)

    def _scroll(self, call: Call, notes: Notes) -> Reading:
        amount = _first(call, ("clicks", "page", "amount"))
        if amount is None:
            raise Unreadable("no_value", f"{call.name} without an amount")
        number = to_number(amount, notes)
        if number == 0:
            raise Unreadable("bad_direction", "a scroll of 0")
        words = ("right", "left") if call.name.endswith("hscroll") else ("up", "down")
        has_place = call.kwargs.get("x") is not None and call.kwargs.get("y") is not None
        # A scroll's unnamed argument is its amount, never a coordinate.
        place = self._xy(Call(call.name, (), call.kwargs), notes) if has_place else None
        return Reading("scroll", words[number < 0], place)

    def _write(self, call: Call, notes: Notes) -> Reading:
        return Reading("type", _text(call, ("message", "text")))

    def _press(self, call: Call, notes: Notes) -> Reading:
        keys = list(call.args) or [_first(call, ("keys", "key"))]
        if len(keys) == 1 and isinstance(keys[0], list | tuple):
            keys = list(keys[0])
        return Reading("press", join_keys([str(k) for k in keys if k is not None]))

    def _swipe(self, call: Call, notes: Notes) -> Reading:
        assert self.space is not None
        ends = [call.kwargs.get("from_coord"), call.kwargs.get("to_coord")]
        if None in ends and len(call.args) >= 2:
            ends = list(call.args[:2])
        if None in ends:
            raise Unreadable("no_point", f"{call.name} without from_coord and to_coord")
        start, end = (read_point(value, self.space, notes) for value in ends)
        return Reading("swipe", stroke_direction(start, end), start, end)

    def _open_app(self, call: Call, notes: Notes) -> Reading:
        return Reading("open_app", _text(call, ("app_name", "app")))

    def _select(self, call: Call, notes: Notes) -> Reading:
        return Reading("select", _text(call, ("value", "option")), self._xy(call, notes))

    def _wait(self, call: Call, notes: Notes) -> Reading:
        seconds = _first(call, ("seconds",))
        return Reading("wait", None if seconds is None else str(seconds))

    def _terminate(self, call: Call, notes: Notes) -> Reading:
        status = _first(call, ("status",))
        return Reading("finish", status=None if status is None else str(status).lower())

    def _answer(self, call: Call, notes: Notes) -> Reading:
        return Reading("finish", _text(call, ("text", "answer")))


_OTHERS: dict[str, Callable[[PyAutoGui, Call, Notes], Reading]] = {
    "dragTo": PyAutoGui._drag,
    "scroll": PyAutoGui._scroll,
    "hscroll": PyAutoGui._scroll,
    "vscroll": PyAutoGui._scroll,
    "write": PyAutoGui._write,
    "typewrite": PyAutoGui._write,
    "press": PyAutoGui._press,
    "hotkey": PyAutoGui._press,
    "swipe": PyAutoGui._swipe,
    "open_app": PyAutoGui._open_app,
    "select_option": PyAutoGui._select,
    "wait": PyAutoGui._wait,
    "sleep": PyAutoGui._wait,
    "terminate": PyAutoGui._terminate,
    "answer": PyAutoGui._answer,
}


def aguvis(name: str = "aguvis") -> PyAutoGui:
    """Aguvis: 0..1 of width and height."""
    return PyAutoGui(name, Space.NORM1)


def _is_known(name: str) -> bool:
    module, _, _ = name.rpartition(".")
    return module in _MODULES or name in _BARE


def _placed(reading: Reading, point: Point | None) -> Reading:
    """An action at the place where the pointer was moved, unless it names its own."""
    return reading if reading.point is not None else replace(reading, point=point)


def _first(call: Call, names: tuple[str, ...]) -> Any:
    named = next((call.kwargs[n] for n in names if call.kwargs.get(n) is not None), None)
    return call.args[0] if named is None and call.args else named


def _text(call: Call, names: tuple[str, ...]) -> str:
    value = _first(call, names)
    if value is None or value == "":
        raise Unreadable("no_value", f"{call.name} without {names[0]}")
    return str(value)
