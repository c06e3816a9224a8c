"""The OCR members: no network, only the text on the screen and fuzzy matching.

A grounder of another kind than the neural ones: it is right where a plan quotes visible text, and
it says nothing ("abstains") where a plan quotes none. It reads ``screen_text`` of source ``ocr``
where a step has it, and runs the reader on the picture where it has not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz import fuzz

from coepg.data.ocr import TextReader
from coepg.models.base import GroundingRequest, ImageStore, Sampling
from coepg.types import Box, Grounding, Point, Screenshot, ScreenText, Size, Step, TextSource

_QUOTED = re.compile(r'"([^"]+)"')
_RELATION = re.compile(r"\b(right of|left of|above|below)\s*$")
_REGION = re.compile(r"\b(?:at|in) the (top|bottom|left|right|center)(?: (left|right))?\b")
MIN_LOGPROB_SCORE = 1e-3
"""Match scores are raised to this before their logarithm is taken."""


@dataclass(frozen=True, slots=True)
class TextMatch:
    """A piece of screen text and how well it fits (0..1)."""

    item: ScreenText
    score: float


def match_score(query: str, text: str) -> float:
    """Similarity of a quoted text and a piece of screen text, 0..1.

    Case is ignored. A query inside a longer piece counts by its share of it, so that the word
    "OK" prefers the piece "OK" over the piece "Look".
    """
    a, b = query.casefold().strip(), text.casefold().strip()
    if not a or not b:
        return 0.0
    whole = fuzz.ratio(a, b) / 100
    words = f" {b} "
    inside = 0.9 if f" {a} " in words else 0.0
    return max(whole, inside)


def _region_distance(item: ScreenText, size: Size, region: re.Match[str] | None) -> float:
    """How far a piece of text lies from the region that a plan names; 0 without one."""
    if region is None:
        return 0.0
    names = {region[1], region[2]} - {None}
    center = item.box_px.center
    x, y = center.x / size.width, center.y / size.height
    want_x = 0.0 if "left" in names else 1.0 if "right" in names else 0.5
    want_y = 0.0 if "top" in names else 1.0 if "bottom" in names else 0.5
    return math.hypot(x - want_x, y - want_y)


def best_match(
    query: str, texts: Sequence[ScreenText], size: Size, region: re.Match[str] | None
) -> TextMatch | None:
    """The best fitting piece; among equals the nearest to the named region, then the first."""
    scored = [TextMatch(t, match_score(query, t.text)) for t in texts]
    if not scored:
        return None
    return max(
        scored,
        key=lambda m: (round(m.score, 3), -_region_distance(m.item, size, region),
                       -m.item.box_px.y0, -m.item.box_px.x0),
    )  # fmt: skip


def _word_box(match: TextMatch, query: str) -> Box:
    """The part of a line that the query takes, by its share of the characters."""
    box, text = match.item.box_px, match.item.text.casefold()
    start = text.find(query.casefold())
    if start < 0 or len(text) <= len(query):
        return box
    width = (box.x1 - box.x0) / len(text)
    x0 = box.x0 + start * width
    return Box(x0, box.y0, x0 + len(query) * width, box.y1)


def _related_point(box: Box, relation: str, role: str, size: Size) -> Point:
    """Where the element lies that is right of, left of, above or below a piece of text."""
    height = box.y1 - box.y0
    center = box.center
    reach = 40.0 if "field" in role or "drop-down" in role or "area" in role else 0.7 * height
    if relation == "right of":
        point = Point(box.x1 + reach, center.y)
    elif relation == "left of":
        point = Point(box.x0 - reach, center.y)
    elif relation == "below":
        point = Point(center.x, box.y1 + height)
    else:
        point = Point(center.x, box.y0 - height)
    return Point(min(max(point.x, 0), size.width - 1), min(max(point.y, 0), size.height - 1))


class ScreenReader:
    """OCR texts of a screen: those recorded with it, or read from its picture and remembered."""

    def __init__(self, images: ImageStore) -> None:
        self.images = images
        self._reader = TextReader()
        self._read: dict[str, tuple[ScreenText, ...]] = {}

    def texts(
        self, screenshot: Screenshot, recorded: Sequence[ScreenText]
    ) -> tuple[ScreenText, ...]:
        """The pieces of source ``ocr``."""
        found = tuple(t for t in recorded if t.source is TextSource.OCR)
        if found:
            return found
        key = screenshot.image_hash
        if key not in self._read:
            self._read[key] = self._reader.read(self.images.image(key))
        return self._read[key]


class OcrGrounder:
    """Implements `coepg.models.base.Grounder` by OCR and fuzzy match.

    Args:
        images: where pictures come from, for screens without recorded text.
        name: of the member.
        min_score: matches below it are no match: the text is not on the screen, a miss.
    """

    def __init__(self, images: ImageStore, *, name: str = "ocr", min_score: float = 0.5) -> None:
        self.name = name
        self.min_score = min_score
        self.reader = ScreenReader(images)

    def ground(self, requests: Sequence[GroundingRequest]) -> list[list[Grounding | None]]:
        """One answer per element; None (abstains) where the plan quotes no text."""
        results = []
        for request in requests:
            is_needed = any(_QUOTED.search(e) for e in request.elements)
            texts = self.reader.texts(request.screenshot, request.screen_text) if is_needed else ()
            results.append(
                [self._ground(e, texts, request.screenshot.size) for e in request.elements]
            )
        return results

    def _ground(self, element: str, texts: Sequence[ScreenText], size: Size) -> Grounding | None:
        quoted = _QUOTED.search(element)
        if quoted is None:
            return None
        region = _REGION.search(element[: quoted.start()] + element[quoted.end() :])
        found = best_match(quoted[1], texts, size, region)
        if found is None or found.score < self.min_score:
            return Grounding(None, (), "")
        # One pseudo token: the match score stands for the probability of the answer.
        logprobs = (math.log(max(found.score, MIN_LOGPROB_SCORE)),)
        box = _word_box(found, quoted[1])
        before = element[: quoted.start()]
        relation = _RELATION.search(before.rstrip())
        point = box.center
        if relation is not None:
            point = _related_point(box, relation[1], before, size)
        return Grounding(point, logprobs, found.item.text)


class OcrDescriber:
    """Implements `coepg.models.base.Describer`: quotes text on, or next to, the gold element."""

    def __init__(self, images: ImageStore, *, name: str = "ocr-describer") -> None:
        self.name = name
        self.reader = ScreenReader(images)

    def describe(self, steps: Sequence[Step], sampling: Sampling) -> list[list[str]]:
        """Up to ``num_samples`` expressions per step, best first; fewer where there are fewer."""
        rows: list[list[str]] = []
        for step in steps:
            if step.target_box_px is None:
                rows.append([])
                continue
            texts = self.reader.texts(step.screenshot, step.screen_text)
            rows.append(describe_box(step.target_box_px, texts)[: sampling.num_samples])
        return rows


def describe_box(box: Box, texts: Sequence[ScreenText]) -> list[str]:
    """Expressions of a box by screen text: what is in it, else what it lies next to.

    A text that occurs twice on the screen identifies nothing and is not used.
    """
    counts: dict[str, int] = {}
    for t in texts:
        counts[t.text.casefold()] = counts.get(t.text.casefold(), 0) + 1
    unique = [t for t in texts if counts[t.text.casefold()] == 1 and '"' not in t.text]
    inside = [t for t in unique if box.contains(t.box_px.center)]
    expressions = [f'"{t.text}"' for t in inside]
    near = sorted((t for t in unique if t not in inside), key=lambda t: _gap(box, t.box_px))
    for t in near[:2]:
        expressions.append(f'element {_relation(box, t.box_px)} "{t.text}"')
    return expressions


def _gap(a: Box, b: Box) -> float:
    dx = max(b.x0 - a.x1, a.x0 - b.x1, 0.0)
    dy = max(b.y0 - a.y1, a.y0 - b.y1, 0.0)
    return float(np.hypot(dx, dy))


def _relation(box: Box, anchor: Box) -> str:
    """Where ``box`` lies, seen from ``anchor``."""
    dx, dy = box.center.x - anchor.center.x, box.center.y - anchor.center.y
    same_row = anchor.y0 <= box.center.y <= anchor.y1 or box.y0 <= anchor.center.y <= box.y1
    if same_row:
        return "right of" if dx > 0 else "left of"
    return "below" if dy > 0 else "above"
