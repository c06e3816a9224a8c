"""OS-Atlas: one upper-case word and its argument, points in 0..1000.

``CLICK <point>[[x,y]]</point>``, ``TYPE [text]``, ``SCROLL [UP]``, ``OPEN_APP [name]``,
``PRESS_BACK``, ``WAIT``, ``COMPLETE``, after the heading ``actions:``. Facts: the action lists in
OS-Copilot/OS-Atlas' evaluation prompts.

What ``SCROLL [UP]`` means is not stated anywhere (OS-Copilot/OS-Atlas#58 is unanswered) and
depends on the data: AndroidControl's own word is the content's direction, GUI-Odyssey's converter
names the finger's. Hence there are two dialects, and both give the content's direction.
"""

from __future__ import annotations

import re

from coepg.models.parsers.base import (
    OPPOSITE,
    AnswerParser,
    Notes,
    Reading,
    Unreadable,
    direction_word,
)
from coepg.models.parsers.coordinates import point_in_text
from coepg.types import Point, Space

_HEADING = re.compile(r"actions?:", re.IGNORECASE)
_POINTED = {
    "CLICK": "click",
    "LONG_PRESS": "long_press",
    "DOUBLE_CLICK": "double_click",
    "RIGHT_CLICK": "right_click",
    "MOVE_TO": "hover",
}
_PLAIN = {
    "PRESS_BACK": Reading("navigate_back"),
    "PRESS_HOME": Reading("navigate_home"),
    "PRESS_RECENT": Reading("press", "recent"),
    "PRESS_ENTER": Reading("press", "enter"),
    "ENTER": Reading("press", "enter"),
    "WAIT": Reading("wait"),
    "COMPLETE": Reading("finish", status="success"),
    "IMPOSSIBLE": Reading("finish", status="failure"),
    "INCOMPLETE": Reading("finish", status="failure"),
}
_BRACKETED = {"TYPE": "type", "SCROLL": "scroll", "OPEN_APP": "open_app", "HOTKEY": "press"}
_WORDS = sorted((*_POINTED, *_PLAIN, *_BRACKETED), key=len, reverse=True)
_WORD = re.compile(rf"(?<![A-Za-z_])({'|'.join(_WORDS)})(?![A-Za-z_])")
_ANY_CASE = re.compile(rf"^[ \t]*({'|'.join(_WORDS)})(?![A-Za-z_])", re.IGNORECASE | re.MULTILINE)


class OSAtlas(AnswerParser):
    """Action words of the OS-Atlas family.

    Args:
        name: of the dialect.
        finger_scroll: whether SCROLL names the finger's direction, which is then turned round.
    """

    def __init__(self, name: str, *, finger_scroll: bool) -> None:
        super().__init__(name, Space.NORM1000)
        self.finger_scroll = finger_scroll

    def _read(self, text: str, notes: Notes) -> Reading:
        word, argument = _first_action(_after_heading(text, notes), notes)
        if word in _PLAIN:
            return _PLAIN[word]
        if word in _POINTED:
            if not re.search(r"[0-9]", argument):
                raise Unreadable("no_point", f"{word} without a point")
            return Reading(_POINTED[word], point=self._point(argument, notes))
        value = _bracketed(word, argument, notes)
        if word == "SCROLL":
            direction = direction_word(value)
            return Reading("scroll", OPPOSITE[direction] if self.finger_scroll else direction)
        return Reading(_BRACKETED[word], value)

    def _point(self, argument: str, notes: Notes) -> Point:
        assert self.space is not None
        line = argument.strip().partition("\n")[0]
        if "<point>" not in line:
            notes.repair("missing_opening_tag")
        head, end, _ = line.partition("</point>")
        return point_in_text(head + end, self.space, notes)


def os_atlas(name: str = "os_atlas") -> OSAtlas:
    """SCROLL in AndroidControl's sense: the direction of the content."""
    return OSAtlas(name, finger_scroll=False)


def os_atlas_finger(name: str = "os_atlas_finger") -> OSAtlas:
    """SCROLL in GUI-Odyssey's sense: the direction of the finger."""
    return OSAtlas(name, finger_scroll=True)


def _after_heading(text: str, notes: Notes) -> str:
    headings = list(_HEADING.finditer(text))
    if not headings:
        notes.repair("missing_prefix")
        return text
    return text[headings[-1].end() :]


def _first_action(text: str, notes: Notes) -> tuple[str, str]:
    """The first action word and what follows, up to the next action's line."""
    match = _WORD.search(text)
    if match is None:
        match = _ANY_CASE.search(text)
        if match is None:
            raise Unreadable("no_call", "no action word")
        notes.repair("lower_case_action")
    if text[: match.start()].strip():
        notes.repair("text_before_call")
    rest = text[match.end() :]
    following = _ANY_CASE.search(rest, 1) if "\n" in rest else None
    if following is not None and rest[: following.start()].endswith("\n"):
        notes.warn("extra_calls")
        rest = rest[: following.start()]
    return match[1].upper(), rest


def _bracketed(word: str, argument: str, notes: Notes) -> str:
    """What stands between the first and the last bracket; without brackets, the line."""
    argument = argument.strip()
    if not argument.startswith("["):
        notes.repair("missing_brackets")
        value = argument.partition("\n")[0].strip(" :'\"")
    elif "]" in argument:
        value = argument[1 : argument.rindex("]")]
    else:
        notes.repair("missing_closing_bracket")
        value = argument[1:].partition("\n")[0]
    if not value:
        raise Unreadable("no_value", f"{word} without a value")
    return value
