"""AutoGLM: ``do(action="Tap", element=[x, y])`` and ``finish(message="...")``.

Points are in 0..1000. The planner's form names the element in words instead:
``do(action="Click", element_description="...")``, which `coepg.types.format_call` writes. Facts:
zai-org/Open-AutoGLM ``phone_agent/actions/handler.py``; THUDM/WebRL for ``Scroll Down``,
``exit`` and ``go_backward``.

``Swipe`` has the finger's start and end, or its direction; ``Scroll`` the content's direction.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
from coepg.models.parsers.coordinates import read_point
from coepg.types import ACTION_CLASSES, Point, Space, action_class, has_target
from coepg.types.actions import call_name

_FUNCTIONS = ("do", "finish", "exit", "go_backward")
_KINDS = {call_name(kind).lower(): kind for kind in ACTION_CLASSES} | {
    "tap": "click",
    "double tap": "double_click",
    "type_name": "type",
    "select dropdown option": "select",
    "launch": "open_app",
    "back": "navigate_back",
    "press back": "navigate_back",
    "home": "navigate_home",
    "press home": "navigate_home",
    "take_over": "take_over",
    "interact": "take_over",
}
_WHOLE = {
    "scroll down": Reading("scroll", "down"),
    "scroll up": Reading("scroll", "up"),
    "press enter": Reading("press", "enter"),
}
_UNSUPPORTED = ("note", "call_api", "search", "switch tab", "go forward")
_VALUE_NAMES = {
    "open_app": ("app", "name", "argument"),
    "wait": ("duration", "seconds", "argument"),
    "take_over": ("message",),
}
_ONLY_NUMBERS = re.compile(r"[\s()\[\]0-9.]*,[\s()\[\]0-9.,]*")
_SECONDS = re.compile(r"[0-9]+(?:\.[0-9]+)?")


class AutoGlm(AnswerParser):
    """Calls of AutoGLM, and coepg's own call form."""

    def _read(self, text: str, notes: Notes) -> Reading:
        before, tag, answer = text.rpartition("<answer>")
        if tag:
            if "</answer>" not in answer:
                notes.repair("missing_closing_tag")
            text = answer.partition("</answer>")[0]
        calls = find_calls(text, _FUNCTIONS, notes)
        if not calls:
            raise Unreadable("no_call", "no do() or finish()")
        if len(calls) > 1:
            notes.warn("extra_calls")
        thoughts = text[: calls[0].start].rpartition("</think>")[2]
        if thoughts.strip():
            notes.repair("text_before_call")
        return self._call(calls[0], notes)

    def _call(self, call: Call, notes: Notes) -> Reading:
        if call.name in ("finish", "exit"):
            message = call.kwargs.get("message", call.args[0] if call.args else None)
            if call.args:
                notes.repair("positional_arguments")
            return Reading("finish", None if message is None else str(message))
        if call.name == "go_backward":
            return Reading("navigate_back")
        arguments = dict(call.kwargs)
        if "action" not in arguments and call.args:
            notes.repair("positional_arguments")
            arguments["action"] = call.args[0]
        action = str(arguments.get("action", "")).strip()
        return self._action(action.lower(), arguments, notes)

    def _action(self, action: str, arguments: Mapping[str, Any], notes: Notes) -> Reading:
        if action in _WHOLE:
            return _WHOLE[action]
        if action in _UNSUPPORTED:
            raise Unreadable("unsupported_action", action)
        kind = _KINDS.get(action)
        if kind is None:
            raise Unreadable("unknown_action", action or "no action named")
        if kind == "swipe":
            return self._swipe(arguments, notes)
        value = _value(kind, arguments)
        point, element = self._target(kind, arguments, notes)
        return Reading(kind, value, point, element=element)

    def _target(
        self, kind: str, arguments: Mapping[str, Any], notes: Notes
    ) -> tuple[Point | None, str | None]:
        """The point, or the words, that name the target."""
        if not has_target(kind):
            return None, None
        words = arguments.get("element_description")
        target = arguments.get("element", arguments.get("element_coordinates"))
        if isinstance(target, str) and not re.fullmatch(
            r"[\s()\[\]0-9.,]*,[\s()\[\]0-9.,]*", target
        ):
            words, target = target, None
        if target is None and words is None and kind not in ("type", "select"):
            raise Unreadable("no_point", f"{kind} without an element")
        assert self.space is not None
        point = None if target is None else read_point(target, self.space, notes)
        return point, None if words is None else str(words)

    def _swipe(self, arguments: Mapping[str, Any], notes: Notes) -> Reading:
        assert self.space is not None
        if "start" in arguments and "end" in arguments:
            start, end = (read_point(arguments[k], self.space, notes) for k in ("start", "end"))
            return Reading("swipe", stroke_direction(start, end), start, end)
        direction = arguments.get("direction", arguments.get("argument"))
        if direction is None:
            raise Unreadable("no_point", "swipe without start and end, or a direction")
        return Reading("swipe", direction_word(direction))


def autoglm(name: str = "autoglm") -> AutoGlm:
    """AutoGLM: 0..1000 of width and height."""
    return AutoGlm(name, Space.NORM1000)


def _value(kind: str, arguments: Mapping[str, Any]) -> str | None:
    """The text of the argument that the kind's value field, or its dialect's word, names."""
    own = action_class(kind).value_field
    names = _VALUE_NAMES.get(kind, (own, "argument")) if own else ()
    value = next((arguments[n] for n in names if arguments.get(n) is not None), None)
    if kind == "scroll":
        return direction_word(value)
    if kind == "wait" and value is not None:
        found = _SECONDS.search(str(value))
        return found[0] if found else None
    if kind in ("type", "select", "press", "open_app") and value in (None, ""):
        raise Unreadable("no_value", f"{kind} without {names[0]}")
    if kind == "press" and isinstance(value, list):
        return join_keys([str(key) for key in value])
    return None if value is None else str(value)
