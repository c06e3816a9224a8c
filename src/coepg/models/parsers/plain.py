"""Bare points: ``(x, y)``. The unit does not show, so it must be declared.

The pattern is that of `coepg.models.answers`. A point says where and not what: the action is a
click.
"""

from __future__ import annotations

import re

from coepg.models.answers import find_point
from coepg.models.parsers.base import AnswerParser, Notes, Reading, Unreadable
from coepg.models.parsers.coordinates import make_point
from coepg.types import Space

_NUMBER = r"(?<![0-9.])(-?[0-9]{1,9}(?:\.[0-9]{1,9})?)"
# Bounded repetitions and no start inside a number: the search cannot go back over long digits.
_BARE_PAIR = re.compile(rf"{_NUMBER}\s{{0,8}}[,\s]\s{{0,8}}{_NUMBER}")


class PlainPoint(AnswerParser):
    """The first point of an answer."""

    def __init__(self, name: str, space: Space) -> None:
        super().__init__(name, space)

    def _read(self, text: str, notes: Notes) -> Reading:
        assert self.space is not None
        found = find_point("xy_text", text)
        if found is not None:
            before, after = text[: found.start].strip(), text[found.end :].strip()
            x, y = found.x, found.y
        else:
            match = _BARE_PAIR.search(text)
            if match is None:
                raise Unreadable("no_call", "no point")
            notes.repair("missing_brackets")
            before, after = text[: match.start()].strip(), text[match.end() :].strip()
            x, y = float(match[1]), float(match[2])
        if before:
            notes.repair("text_before_call")
        if after:
            notes.repair("text_after_call")
        return Reading("click", point=make_point(x, y, self.space, notes))
