"""Qwen2.5-VL and Qwen3-VL: tool calls ``computer_use`` and ``mobile_use`` as JSON in a tag.

``<tool_call>{"name": "computer_use", "arguments": {"action": "left_click", "coordinate":
[x, y]}}</tool_call>``. Qwen2.5-VL counts pixels of the resized picture, Qwen3-VL 0..1000. Facts:
QwenLM/Qwen3-VL ``cookbooks/utils/agent_function_call.py``.

* ``scroll`` has ``pixels``: positive scrolls up, so the sign names the content's direction.
  ``hscroll`` follows PyAutoGUI: positive goes right.
* ``swipe`` has the finger's start and end.
* ``left_click_drag`` has only an end: it drags from where the pointer is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from coepg.models.parsers.base import (
    AnswerParser,
    Notes,
    Reading,
    Unreadable,
    join_keys,
    stroke_direction,
)
from coepg.models.parsers.coordinates import read_point, to_number
from coepg.models.parsers.lenient_json import read_json
from coepg.types import Point, Space

_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
_TOOLS = ("computer_use", "mobile_use")
_POINTED = {
    "click": "click",
    "left_click": "click",
    "tap": "click",
    "double_click": "double_click",
    "right_click": "right_click",
    "long_press": "long_press",
    "mouse_move": "hover",
}
_UNSUPPORTED = ("middle_click", "triple_click")
_THOUGHTS = re.compile(r"<(think|thinking|thought)>")


class QwenTools(AnswerParser):
    """Tool calls of the Qwen-VL family."""

    def _read(self, text: str, notes: Notes) -> Reading:
        call = _call_object(_call_text(text, notes), notes)
        return self._action(_arguments(call, notes), notes)

    def _action(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        action = str(arguments.get("action", "")).strip().lower()
        if action in _POINTED:
            return Reading(_POINTED[action], point=self._point(arguments, "coordinate", notes))
        if action in _OTHERS:
            return _OTHERS[action](self, arguments, notes)
        if action in _UNSUPPORTED:
            raise Unreadable("unsupported_action", action)
        raise Unreadable("unknown_action", action or "no action named")

    def _point(self, arguments: dict[str, Any], key: str, notes: Notes) -> Point:
        if arguments.get(key) is None:
            raise Unreadable("no_point", f"{arguments.get('action')} without {key}")
        assert self.space is not None
        return read_point(arguments[key], self.space, notes)

    def _optional_point(self, arguments: dict[str, Any], notes: Notes) -> Point | None:
        has_one = arguments.get("coordinate") is not None
        return self._point(arguments, "coordinate", notes) if has_one else None

    def _swipe(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        start = self._point(arguments, "coordinate", notes)
        end = self._point(arguments, "coordinate2", notes)
        return Reading("swipe", stroke_direction(start, end), start, end)

    def _drag(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        if arguments.get("coordinate2") is None:
            return Reading("drag", end_point=self._point(arguments, "coordinate", notes))
        start = self._point(arguments, "coordinate", notes)
        return Reading("drag", point=start, end_point=self._point(arguments, "coordinate2", notes))

    def _scroll(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        if arguments.get("pixels") is None:
            raise Unreadable("no_value", "a scroll without pixels")
        pixels = to_number(arguments["pixels"], notes)
        if pixels == 0:
            raise Unreadable("bad_direction", "a scroll of 0 pixels")
        words = ("right", "left") if arguments["action"] == "hscroll" else ("up", "down")
        return Reading("scroll", words[pixels < 0], self._optional_point(arguments, notes))

    def _type(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        return Reading("type", _text(arguments, "text"), self._optional_point(arguments, notes))

    def _key(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        keys = arguments.get("keys", arguments.get("text"))
        names = keys if isinstance(keys, list) else [keys]
        return Reading("press", join_keys([str(k) for k in names if k is not None]))

    def _system_button(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        button = _text(arguments, "button").lower()
        kinds = {"back": "navigate_back", "home": "navigate_home"}
        return Reading(kinds[button]) if button in kinds else Reading("press", button)

    def _open(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        return Reading("open_app", _text(arguments, "text"))

    def _wait(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        seconds = arguments.get("time")
        return Reading("wait", None if seconds is None else str(seconds))

    def _terminate(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        status = arguments.get("status")
        return Reading("finish", status=None if status is None else str(status).lower())

    def _answer(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        return Reading("finish", _text(arguments, "text"))

    def _take_over(self, arguments: dict[str, Any], notes: Notes) -> Reading:
        text = arguments.get("text")
        return Reading("take_over", None if text is None else str(text))


_OTHERS: dict[str, Callable[[QwenTools, dict[str, Any], Notes], Reading]] = {
    "swipe": QwenTools._swipe,
    "left_click_drag": QwenTools._drag,
    "scroll": QwenTools._scroll,
    "hscroll": QwenTools._scroll,
    "type": QwenTools._type,
    "key": QwenTools._key,
    "system_button": QwenTools._system_button,
    "open": QwenTools._open,
    "wait": QwenTools._wait,
    "terminate": QwenTools._terminate,
    "answer": QwenTools._answer,
    "interact": QwenTools._take_over,
    "call_user": QwenTools._take_over,
}
_ACTIONS = (*_POINTED, *_OTHERS, *_UNSUPPORTED)


def qwen2_5_vl(name: str = "qwen2_5_vl") -> QwenTools:
    """Qwen2.5-VL: pixels of the resized picture."""
    return QwenTools(name, Space.MODEL_PX)


def qwen3_vl(name: str = "qwen3_vl") -> QwenTools:
    """Qwen3-VL: 0..1000 of width and height."""
    return QwenTools(name, Space.NORM1000)


def _text(arguments: dict[str, Any], key: str) -> str:
    value = arguments.get(key)
    if value is None or value == "":
        raise Unreadable("no_value", f"{arguments.get('action')} without {key}")
    return str(value)


def _call_text(text: str, notes: Notes) -> str:
    """What stands in the first tag; without a tag, what begins with the first brace."""
    start = text.find(_OPEN)
    if start < 0:
        start = text.find("{")
        if start < 0 or not any(f'"{key}"' in text for key in ("arguments", "action")):
            raise Unreadable("no_call", "no <tool_call>")
        notes.repair("code_fence" if "```" in text[:start] else "missing_opening_tag")
        _note_before(text[:start].replace("```json", "").replace("```", ""), notes)
        # Whatever follows the object, a fence included, is no part of it.
        return text[start:].partition("```")[0].partition(_CLOSE)[0]
    _note_before(text[:start], notes)
    start += len(_OPEN)
    next_call = text.find(_OPEN, start)
    if next_call >= 0:
        notes.warn("extra_calls")
    stop = len(text) if next_call < 0 else next_call
    end = text.find(_CLOSE, start, stop)
    if end < 0:
        notes.repair("missing_closing_tag")
        end = stop
    elif next_call < 0 and text[end + len(_CLOSE) :].replace("<|im_end|>", "").strip():
        notes.repair("text_after_call")
    inside = text[start:end].strip()
    if inside.startswith("```"):
        notes.repair("code_fence")
        inside = inside.strip("`").removeprefix("json").strip()
    return inside


def _note_before(before: str, notes: Notes) -> None:
    """Words before the call are the dialect's own if they are marked as thoughts."""
    before = before.strip()
    if before and not before.startswith(("Thought", "Action")) and not _THOUGHTS.match(before):
        notes.repair("text_before_call")


def _call_object(inside: str, notes: Notes) -> dict[str, Any]:
    if not inside:
        raise Unreadable("no_call", "an empty <tool_call>")
    call = read_json(inside, notes)
    if isinstance(call, list) and len(call) == 1:
        notes.repair("call_in_list")
        call = call[0]
    if not isinstance(call, dict):
        raise Unreadable("malformed_json", "the call is no object")
    return call


def _arguments(call: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """The arguments with their ``action``, whatever shape they came in."""
    name = str(call.get("name", "")).strip()
    arguments = call.get("arguments")
    if arguments is None:
        arguments = {key: value for key, value in call.items() if key != "name"}
        notes.repair("flat_arguments")
    if isinstance(arguments, str):
        notes.repair("arguments_as_string")
        arguments = _decoded(arguments)
    if isinstance(arguments, list):
        notes.repair("arguments_as_list")
        arguments = _from_list(arguments)
    if not isinstance(arguments, dict):
        raise Unreadable("malformed_json", "the arguments are no object")
    if "action" not in arguments:
        if name in _TOOLS or name not in _ACTIONS:
            raise Unreadable("unknown_action", name or "no name")
        notes.repair("action_as_function_name")
        return {**arguments, "action": name}
    if name not in _TOOLS:
        notes.repair("wrong_function_name")
    return arguments


def _decoded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable("malformed_json", "the arguments' string is no JSON") from None


def _from_list(items: list[Any]) -> dict[str, Any]:
    """``[x, y]`` is a coordinate; objects and strings are keys that are pressed together."""
    if items and all(isinstance(v, int | float) for v in items):
        return {"coordinate": items}
    if len(items) == 1 and isinstance(items[0], dict):
        return dict(items[0])
    keys = [item.get("text") if isinstance(item, dict) else item for item in items]
    return {"keys": [key for key in keys if isinstance(key, str)]}
