"""AgentCPM-GUI: one flat JSON object, points in 0..1000.

``{"thought": "...", "POINT": [x, y], "to": "up", "duration": 200, "PRESS": "BACK", "TYPE": "...",
"STATUS": "finish"}``. Facts: OpenBMB/AgentCPM-GUI ``eval/utils/schema`` and its converters.

``to`` is the finger's direction or its end (the converters turn UI-TARS' content direction round
to get it). A touch longer than the schema's default of 200 ms is a long press.
"""

from __future__ import annotations

from typing import Any

from coepg.models.parsers.base import (
    AnswerParser,
    Notes,
    Reading,
    Unreadable,
    direction_word,
    stroke_direction,
)
from coepg.models.parsers.coordinates import read_point, to_number
from coepg.models.parsers.lenient_json import read_json
from coepg.types import Space

DEFAULT_DURATION_MS = 200
_PRESSES = {
    "BACK": Reading("navigate_back"),
    "HOME": Reading("navigate_home"),
    "ENTER": Reading("press", "enter"),
    "APPSELECT": Reading("press", "recent"),
    "RECENT": Reading("press", "recent"),
}
_ENDS = {
    "finish": Reading("finish", status="success"),
    "satisfied": Reading("finish", status="success"),
    "impossible": Reading("finish", status="failure"),
    "interrupt": Reading("finish", status="failure"),
    "need_feedback": Reading("take_over"),
}


class AgentCpm(AnswerParser):
    """The JSON of AgentCPM-GUI."""

    def _read(self, text: str, notes: Notes) -> Reading:
        start = text.find("{")
        if start < 0:
            raise Unreadable("no_call", "no JSON object")
        before = text[:start].strip()
        if "```" in before:
            notes.repair("code_fence")
        elif before:
            notes.repair("text_before_call")
        answer = read_json(text[start:].partition("```")[0], notes)
        if not isinstance(answer, dict):
            raise Unreadable("malformed_json", "the answer is no object")
        return self._action(answer, notes)

    def _action(self, answer: dict[str, Any], notes: Notes) -> Reading:
        kinds = [k for k in ("PRESS", "TYPE", "OPEN_APP", "POINT") if answer.get(k) is not None]
        if len(kinds) > 1 and kinds != ["TYPE", "POINT"]:
            notes.warn("extra_calls")
        if "PRESS" in kinds:
            key = str(answer["PRESS"]).upper()
            if key not in _PRESSES:
                raise Unreadable("unknown_action", f"PRESS {key}")
            return _PRESSES[key]
        if "TYPE" in kinds:
            return self._type(answer, notes)
        if "OPEN_APP" in kinds:
            return Reading("open_app", str(answer["OPEN_APP"]))
        if "POINT" in kinds:
            return self._touch(answer, notes)
        status = str(answer.get("STATUS", "continue")).lower()
        if status in _ENDS:
            return _ENDS[status]
        if answer.get("duration") is not None:
            seconds = to_number(answer["duration"], notes) / 1000
            return Reading("wait", f"{seconds:g}")
        raise Unreadable("no_call", f"no action among {sorted(map(str, answer))[:8]}")

    def _type(self, answer: dict[str, Any], notes: Notes) -> Reading:
        assert self.space is not None
        text, point = answer["TYPE"], answer.get("POINT")
        if text == "":
            raise Unreadable("no_value", "an empty TYPE")
        place = None if point is None else read_point(point, self.space, notes)
        return Reading("type", str(text), place)

    def _touch(self, answer: dict[str, Any], notes: Notes) -> Reading:
        assert self.space is not None
        start, to = read_point(answer["POINT"], self.space, notes), answer.get("to")
        if isinstance(to, str):
            return Reading("swipe", direction_word(to), start)
        if to is not None:
            end = read_point(to, self.space, notes)
            return Reading("swipe", stroke_direction(start, end), start, end)
        duration = answer.get("duration")
        is_long = duration is not None and to_number(duration, notes) > DEFAULT_DURATION_MS
        return Reading("long_press" if is_long else "click", point=start)


def agentcpm(name: str = "agentcpm") -> AgentCpm:
    """AgentCPM-GUI: 0..1000 of width and height."""
    return AgentCpm(name, Space.NORM1000)
