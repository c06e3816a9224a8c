"""Points out of what stands where coordinates belong."""

from __future__ import annotations

import math
import re

from coepg.models.parsers.base import Notes, Unreadable
from coepg.types import Point, Space

_NUMBER = re.compile(r"[-+]?[0-9]+(?:\.[0-9]+)?")
_LIMIT = {Space.NORM1: 1.0, Space.NORM1000: 1000.0}
_PAIRS = {"(": ")", "[": "]"}


def to_number(value: object, notes: Notes) -> float:
    """A finite number; text that holds just one is mended.

    Raises:
        Unreadable: it is none.
    """
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            raise Unreadable("bad_coordinates", repr(value))
        notes.repair("coordinates_as_strings")
        value = float(value.strip())
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Unreadable("bad_coordinates", repr(value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise Unreadable("bad_coordinates", "not finite")
    return number


def make_point(x: float, y: float, space: Space, notes: Notes) -> Point:
    """A point; one outside its space is kept and warned of, since it is a miss and not noise."""
    if not (math.isfinite(x) and math.isfinite(y)):
        raise Unreadable("bad_coordinates", "not finite")
    limit = _LIMIT.get(space, math.inf)
    if min(x, y) < 0 or max(x, y) > limit:
        notes.warn("outside_range")
    return Point(x, y, space)


def read_point(value: object, space: Space, notes: Notes) -> Point:
    """The point that a literal says: ``[x, y]``, its centre for ``[x0, y0, x1, y1]``, or text.

    Raises:
        Unreadable: it says none.
    """
    if isinstance(value, str):
        notes.repair("coordinates_as_strings")
        return point_in_text(value, space, notes)
    if isinstance(value, dict) and {"x", "y"} <= set(value):
        notes.repair("coordinates_as_object")
        value = [value["x"], value["y"]]
    if isinstance(value, list | tuple) and len(value) == 1:
        notes.repair("nested_coordinates")
        value = value[0]
    if not isinstance(value, list | tuple):
        raise Unreadable("bad_coordinates", repr(value))
    if len(value) not in (2, 4):
        raise Unreadable("bad_coordinates", f"{len(value)} numbers")
    numbers = [to_number(v, notes) for v in value]
    if len(numbers) == 4:
        notes.repair("box_as_point")
    return _centre(numbers, space, notes)


def point_in_text(text: str, space: Space, notes: Notes) -> Point:
    """The point in text that holds nothing else: ``(x,y)``, ``x y``, or a box's four numbers.

    Raises:
        Unreadable: not two or four numbers.
    """
    if "<point>" in text and "</point>" not in text:
        notes.repair("missing_closing_tag")
    bare = re.sub(r"</?point>|<\|box_(?:start|end)\|>", " ", text)
    numbers = [float(n) for n in _NUMBER.findall(bare)]
    if len(numbers) not in (2, 4):
        raise Unreadable("bad_coordinates", text)
    if not brackets_match(bare):
        notes.repair("swapped_brackets")
    return _centre(numbers, space, notes)


def brackets_match(text: str) -> bool:
    """Whether round and square brackets close in the right order."""
    open_: list[str] = []
    for char in text:
        if char in _PAIRS:
            open_.append(_PAIRS[char])
        elif char in ")]" and (not open_ or open_.pop() != char):
            return False
    return not open_


def _centre(numbers: list[float], space: Space, notes: Notes) -> Point:
    if len(numbers) == 2:
        return make_point(numbers[0], numbers[1], space, notes)
    x0, y0, x1, y1 = numbers
    return make_point((x0 + x1) / 2, (y0 + y1) / 2, space, notes)
