"""The answers of planners and grounders: written for training, parsed from what models say.

Parsing never evaluates anything and never invents a value: an answer that does not hold what is
asked is None, and the caller counts it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coepg.models.profile import ModelProfile, PointFormat
from coepg.types import ACTION_CLASSES, Frame, Plan, Point, Space

NUM_LOC_BINS = 100
"""Bins a side of the ``<loc_XX>`` grid."""

_TAGS = re.compile(
    r"<plan>(?P<plan>.*?)</plan>\s*<type>(?P<type>.*?)</type>\s*<value>(?P<value>.*?)</value>", re.S
)
_ACT = re.compile(r"<type>(?P<type>.*?)</type>\s*<value>(?P<value>.*?)</value>(?P<rest>.*)", re.S)
_PLAN_ONLY = re.compile(r"<plan>(.*?)</plan>", re.S)
_LOC = re.compile(r"<loc_(\d{2})>\s*<loc_(\d{2})>")
_XY = re.compile(r"[(\[]\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*[)\]]")
MAX_ANSWER_CHARS = 4_000
"""Longer answers are cut before parsing."""


def format_plan(plan: Plan) -> str:
    """The tags of the paper (its figure 1); an unused plan or value is the word None."""
    return (
        f"<plan>{plan.element or 'None'}</plan><type>{plan.action_type}</type>"
        f"<value>{plan.value or 'None'}</value>"
    )


def parse_plan(text: str) -> Plan | None:
    """The plan in an answer, or None if the tags or a known action type are missing."""
    match = _TAGS.search(text[:MAX_ANSWER_CHARS])
    if match is None:
        return None
    kind = match["type"].strip().lower().replace(" ", "_")
    if kind not in ACTION_CLASSES:
        return None
    return Plan(_unless_none(match["plan"]), kind, _unless_none(match["value"]))


def parse_description(text: str) -> str | None:
    """The referring expression in a describer's answer: between the tags, or the whole text."""
    match = _PLAN_ONLY.search(text[:MAX_ANSWER_CHARS])
    return _unless_none(match[1] if match else text[:MAX_ANSWER_CHARS])


def _unless_none(text: str) -> str | None:
    text = text.strip()
    return None if text in ("", "None") else text


def format_loc(point: Point) -> str:
    """Two location tokens for a point on the 0..1000 grid: bin k covers [10k, 10k + 10)."""
    if point.space is not Space.NORM1000:
        raise ValueError(f"location tokens need a point in norm1000, got {point.space.value}")
    bins = [
        min(NUM_LOC_BINS - 1, max(0, int(v * NUM_LOC_BINS // 1000))) for v in (point.x, point.y)
    ]
    return f"<loc_{bins[0]:02d}><loc_{bins[1]:02d}>"


def format_point(profile: ModelProfile, frame: Frame, point_px: Point) -> str:
    """A grounder's answer for a point of the screenshot."""
    there = frame.convert(point_px, profile.point_space)
    if profile.point_format == "loc_tokens":
        return format_loc(there)
    return f"({round(there.x)}, {round(there.y)})"


def parse_point(profile: ModelProfile, frame: Frame, text: str) -> Point | None:
    """The first point of a grounder's answer in screenshot pixels, or None.

    A point outside the picture is kept as it is: it is a miss, not a parse failure.
    """
    found = find_point(profile.point_format, text)
    if found is None:
        return None
    return frame.convert(Point(found.x, found.y, profile.point_space), Space.IMAGE_PX)


@dataclass(frozen=True, slots=True)
class FoundPoint:
    """Coordinates in a text, in whatever space its model speaks.

    Attributes:
        x, y: the coordinates; of location tokens, the middle of the bin in 0..1000.
        start, end: where they stand in the text.
    """

    x: float
    y: float
    start: int
    end: int


def find_point(point_format: PointFormat, text: str) -> FoundPoint | None:
    """The first point in a text, or None."""
    is_loc = point_format == "loc_tokens"
    match = (_LOC if is_loc else _XY).search(text[:MAX_ANSWER_CHARS])
    if match is None:
        return None
    x, y = float(match[1]), float(match[2])
    if is_loc:
        width = 1000 / NUM_LOC_BINS
        x, y = (x + 0.5) * width, (y + 0.5) * width
    return FoundPoint(x, y, match.start(), match.end())


def coordinate_spans(profile: ModelProfile, text: str) -> tuple[tuple[int, int], ...]:
    """Where the two coordinates stand that `parse_point` reads: character ranges, or ()."""
    pattern = _LOC if profile.point_format == "loc_tokens" else _XY
    match = pattern.search(text[:MAX_ANSWER_CHARS])
    return () if match is None else (match.span(1), match.span(2))


def tokens_in_spans(pieces: Sequence[str], spans: Sequence[tuple[int, int]]) -> list[int]:
    """Which tokens overlap the character ranges.

    Args:
        pieces: the text of each token; joined they are the answer.
        spans: character ranges of the answer.
    """
    chosen, at = [], 0
    for k, piece in enumerate(pieces):
        end = at + len(piece)
        if any(at < high and low < end for low, high in spans):
            chosen.append(k)
        at = end
    return chosen


def format_act(
    profile: ModelProfile, frame: Frame, action_type: str, value: str | None, point_px: Point | None
) -> str:
    """An end-to-end agent's answer: type, value and, if the action has a target, a point."""
    point = format_point(profile, frame, point_px) if point_px is not None else ""
    return f"<type>{action_type}</type><value>{value or 'None'}</value>{point}"


def parse_act(profile: ModelProfile, frame: Frame, text: str) -> tuple[Plan, Point | None] | None:
    """Type, value and point of an end-to-end answer, or None if it cannot be read."""
    match = _ACT.search(text[:MAX_ANSWER_CHARS])
    if match is None:
        return None
    kind = match["type"].strip().lower().replace(" ", "_")
    if kind not in ACTION_CLASSES:
        return None
    return Plan(None, kind, _unless_none(match["value"])), parse_point(
        profile, frame, match["rest"]
    )
