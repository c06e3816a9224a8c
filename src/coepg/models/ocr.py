"""The OCR members: no network, only the text on the screen and fuzzy matching.

A grounder of another kind than the neural ones: it is right where a plan names visible text, and
it abstains (None: left out of the weights) where a plan names none. It reads ``screen_text`` of
source ``ocr`` where a step has it, and runs the reader on the picture where it has not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from coepg.data.ocr import TextReader
from coepg.models.base import GroundingRequest, ImageStore, Sampling
from coepg.models.ocr_match import best_match, parse_target, target_point
from coepg.types import Box, Grounding, Screenshot, ScreenText, Size, Step, TextSource

MIN_LOGPROB_SCORE = 1e-3
"""Match scores are raised to this before their logarithm is taken."""


class ScreenReader:
    """OCR texts of a screen: those recorded with it, or read from its picture and remembered."""

    def __init__(self, images: ImageStore) -> None:
        self.images = images
        self._readers: dict[int, TextReader] = {}
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
            factor = upscale_of(screenshot.size)
            reader = self._readers.setdefault(factor, TextReader(upscale=factor))
            self._read[key] = reader.read(self.images.image(key))
        return self._read[key]


def upscale_of(size: Size) -> int:
    """How much to enlarge a screen for the reader: 3 for tiny ones, not at all from 800 px on."""
    return max(1, min(3, 1200 // max(size.width, size.height)))


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
        """One answer per element.

        None (abstains) where the plan names no text; a point of None (a miss) where the text that
        it quotes is not on the screen.
        """
        results: list[list[Grounding | None]] = []
        for request in requests:
            texts = (
                self.reader.texts(request.screenshot, request.screen_text)
                if request.elements
                else ()
            )
            found = {
                e: self._ground(e, texts, request.screenshot.size) for e in set(request.elements)
            }
            results.append([found[e] for e in request.elements])
        return results

    def _ground(self, element: str, texts: Sequence[ScreenText], size: Size) -> Grounding | None:
        target = parse_target(element, texts)
        if target is None:
            return None
        found = best_match(target, texts, size)
        if found is None or found.score < self.min_score:
            return Grounding(None, (), found.item.text if found is not None else "")
        # One pseudo token: the match score stands for the probability of the answer.
        logprobs = (math.log(max(found.score, MIN_LOGPROB_SCORE)),)
        return Grounding(target_point(target, found, texts, size), logprobs, found.item.text)


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
    return math.hypot(dx, dy)


def _relation(box: Box, anchor: Box) -> str:
    """Where ``box`` lies, seen from ``anchor``."""
    dx, dy = box.center.x - anchor.center.x, box.center.y - anchor.center.y
    same_row = anchor.y0 <= box.center.y <= anchor.y1 or box.y0 <= anchor.center.y <= box.y1
    if same_row:
        return "right of" if dx > 0 else "left of"
    return "below" if dy > 0 else "above"
