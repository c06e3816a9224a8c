"""Where the text of a referring expression lies on a screen: parsing, fuzzy match, geometry.

Understood: a quoted text (``button "Save"``), a relation to one (``icon right of "Name"``) and a
region (``at the top left``) that decides between equal texts. Without quotes, a piece of screen
text that the expression contains word by word counts as quoted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from coepg.types import Box, Point, ScreenText, Size

_QUOTED = re.compile(r"\"([^\"]+)\"|\u201c([^\u201d]+)\u201d|(?<!\w)'([^']+)'(?!\w)")
_RELATION = re.compile(
    r"\b(right|left|above|over|below|under|beneath|next|beside)\b"
    r"(?: (?:of|to))?(?: the)?(?: \w+){0,2}$"
)
_REGION = re.compile(
    r"\b(?:at|in|on|near) the (?:very )?"
    r"(top|upper|bottom|lower|left|right|center|middle)(?:[ -](left|right|center))?\b"
)
_DIRECTIONS = {
    "over": "above", "under": "below", "beneath": "below", "next": "right", "beside": "right",
}  # fmt: skip
_PLACES = {"upper": "top", "lower": "bottom", "middle": "center"}
_LABELLED = ("text field", "password field", "text area", "input", "search box", "slider")
"""Kinds whose name is a label beside or above them, not text of their own."""

_TEXTLESS = (*_LABELLED, "drop-down", "dropdown", "check", "radio", "icon", "image", "circle",
             "square", "shape", "swatch", "toggle", "switch", "element")  # fmt: skip
_WORD = re.compile(r"[^\W_]+")
_GENERIC = frozenset(
    ("button", "link", "field", "text", "box", "icon", "image", "menu", "item", "tab", "page",
     "list", "label", "option", "check", "radio", "row", "column", "cell", "the", "and", "for",
     "with", "first", "last", "next", "top", "bottom", "left", "right", "center", "red", "green",
     "blue", "yellow", "black", "white")
)  # fmt: skip
"""Words of expressions that name kinds and places: unquoted, they name no text."""

MIN_FUZZY_CHARS = 3
"""Shorter texts must match exactly: almost every line has some two letters of them."""

INSIDE_FACTOR = 0.9
"""A text inside a longer line counts this much of the same text alone."""

MERGED_FACTOR = 0.8
"""... and this much where it has no word borders (readers merge words) or other letters."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a referring expression says about text.

    Attributes:
        query: the text to look for.
        kind: the words before it, lower case, which name the kind of element.
        relation: ``right``, ``left``, ``above``, ``below``: where the element lies, seen from the
            text; "" if the text is its own.
        region: words among top, bottom, left, right, center; empty without a region.
    """

    query: str
    kind: str = ""
    relation: str = ""
    region: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A piece of screen text, how well it fits (0..1), and the part of it that fits."""

    item: ScreenText
    score: float
    box_px: Box


def parse_target(element: str, texts: Sequence[ScreenText]) -> Target | None:
    """What an expression says about text, or None if it names none.

    Example:
        >>> parse_target('icon right of "Name" at the top', [])
        Target(query='Name', kind='icon right of', relation='right', region=('top',))
    """
    quoted = _QUOTED.search(element)
    if quoted is None:
        query = _unquoted(element, texts)
        return None if query is None else Target(query, element.casefold(), "", _region(element))
    before = element[: quoted.start()].casefold().strip()
    query = next(group for group in quoted.groups() if group)
    found = _RELATION.search(before)
    relation = _DIRECTIONS.get(found[1], found[1]) if found else ""
    rest = f"{before} | {element[quoted.end() :]}" if not found else element[quoted.end() :]
    return Target(query.strip(), before, relation, _region(rest))


def _region(text: str) -> tuple[str, ...]:
    match = _REGION.search(text.casefold())
    names = [n for n in match.groups() if n] if match else []
    return tuple(_PLACES.get(n, n) for n in names)


def _unquoted(element: str, texts: Sequence[ScreenText]) -> str | None:
    """The longest piece of screen text that the expression contains word by word."""
    words = f" {' '.join(_WORD.findall(element.casefold()))} "
    found = []
    for item in texts:
        parts = _WORD.findall(item.text.casefold())
        if len("".join(parts)) >= MIN_FUZZY_CHARS and not _GENERIC.issuperset(parts):
            phrase = " ".join(parts)
            if f" {phrase} " in words:
                found.append(item.text)
    return max(found, key=len) if found else None


def match_text(query: str, item: ScreenText) -> TextMatch:
    """How well a piece of screen text fits; letter case counts nothing.

    The same text alone scores 1; as words inside a longer piece `INSIDE_FACTOR`; inside a longer
    piece without word borders or with misread letters `MERGED_FACTOR` of its similarity.
    """
    a, b = query.casefold().strip(), item.text.casefold()
    if not a or not b.strip():
        return TextMatch(item, 0.0, item.box_px)
    whole = fuzz.ratio(a, b.strip()) / 100
    if len(a) < MIN_FUZZY_CHARS and whole < 1:
        whole = 0.0
    best = TextMatch(item, whole, item.box_px)
    word = re.search(rf"(?<!\w){re.escape(a)}(?!\w)", b)
    if word is not None and whole < INSIDE_FACTOR:
        return TextMatch(item, INSIDE_FACTOR, _part(item.box_px, len(b), *word.span()))
    if len(a) >= MIN_FUZZY_CHARS and len(b) > len(a):
        part = fuzz.partial_ratio_alignment(a, b)
        if part is not None and MERGED_FACTOR * part.score / 100 > best.score:
            box = _part(item.box_px, len(b), part.dest_start, part.dest_end)
            best = TextMatch(item, MERGED_FACTOR * part.score / 100, box)
    return best


def _part(box: Box, length: int, start: int, end: int) -> Box:
    """The part of a line that some of its characters take, as if all were equally wide."""
    width = (box.x1 - box.x0) / length
    return Box(box.x0 + start * width, box.y0, box.x0 + end * width, box.y1, box.space)


def best_match(target: Target, texts: Sequence[ScreenText], size: Size) -> TextMatch | None:
    """The best fitting piece; of equals the one nearest to the region, then in reading order."""
    matches = [match_text(target.query, t) for t in texts]
    if not matches:
        return None
    return min(
        matches,
        key=lambda m: (-round(m.score, 3), _region_distance(m.box_px, target.region, size),
                       m.box_px.y0, m.box_px.x0),
    )  # fmt: skip


def _region_distance(box: Box, region: tuple[str, ...], size: Size) -> float:
    """How far a box lies from a named region, in screens; an unnamed axis counts little."""
    if not region:
        return 0.0
    x, y = box.center.x / size.width, box.center.y / size.height
    wanted_x = 0.0 if "left" in region else 1.0 if "right" in region else 0.5
    wanted_y = 0.0 if "top" in region else 1.0 if "bottom" in region else 0.5
    weight_x = 1.0 if {"left", "right", "center"} & set(region) else 0.1
    weight_y = 1.0 if {"top", "bottom", "center"} & set(region) else 0.1
    return math.hypot(weight_x * (x - wanted_x), weight_y * (y - wanted_y))


def target_point(
    target: Target, match: TextMatch, texts: Sequence[ScreenText], size: Size
) -> Point:
    """Where to act: on the text, or on the element that lies beside it."""
    box = match.box_px
    relation = target.relation
    is_labelled = any(kind in target.kind for kind in _LABELLED)
    if not relation and is_labelled:
        relation = _field_side(box, texts)
    if not relation:
        return box.center
    if not any(kind in target.kind for kind in _TEXTLESS):
        neighbour = _neighbour(box, relation, texts)
        if neighbour is not None:
            return neighbour.box_px.center
    height = box.y1 - box.y0
    reach = (3.0 if is_labelled or "drop" in target.kind else 0.7) * height
    point = {
        "right": Point(box.x1 + reach, box.center.y),
        "left": Point(box.x0 - reach, box.center.y),
        "below": Point(box.center.x, box.y1 + height),
        "above": Point(box.center.x, box.y0 - height),
    }[relation]
    return Point(
        min(max(point.x, 0.0), size.width - 1.0), min(max(point.y, 0.0), size.height - 1.0)
    )


def _field_side(label: Box, texts: Sequence[ScreenText]) -> str:
    """Where the field of a label lies: below if a line of its height is free there, else right."""
    height = label.y1 - label.y0
    below = [
        t.box_px.y0 - label.y1
        for t in texts
        if t.box_px.center.y > label.y1 and t.box_px.x0 < label.x1 and t.box_px.x1 > label.x0
    ]
    return "below" if below and min(below) >= 1.5 * height else "right"


def _neighbour(box: Box, relation: str, texts: Sequence[ScreenText]) -> ScreenText | None:
    """The nearest piece in that direction, in line with the box and within eight lines."""
    height = box.y1 - box.y0
    found: list[tuple[float, int]] = []
    for i, item in enumerate(texts):
        other = item.box_px
        gap = {
            "right": other.x0 - box.x1,
            "left": box.x0 - other.x1,
            "below": other.y0 - box.y1,
            "above": box.y0 - other.y1,
        }[relation]
        if relation in ("right", "left"):
            in_line = min(box.y1, other.y1) - max(box.y0, other.y0) > 0.3 * height
        else:
            in_line = min(box.x1, other.x1) > max(box.x0, other.x0)
        if in_line and -0.3 * height <= gap <= 8 * height and other != box:
            found.append((gap, i))
    return texts[min(found)[1]] if found else None
