"""AITZ (Android in the Zoo), as CoAT and as AgentCPM-GUI score it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rapidfuzz.distance import Indel

from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.boxes import (
    box_iou,
    distance,
    enlarged,
    enlarged_from_corner,
    hits_any,
)
from coepg.evaluate.benchmarks.outcomes import StepOutcome, step_metrics, step_scores
from coepg.evaluate.benchmarks.words import clean_lower, contains_either_way
from coepg.types import Box, Point, Size

AitzKind = Literal["click", "scroll", "type", "press", "stop"]
Variant = Literal["coat", "agentcpm"]

ENLARGE = 1.2
MIN_IOU = 0.5
MIN_TEXT_RATIO = 0.8
MAX_DISTANCE = 0.14


@dataclass(frozen=True, slots=True)
class AitzAction:
    """One action.

    Attributes:
        kind: ``stop`` is complete or impossible.
        point_px: of a click, in pixels of the stored picture.
        box_px: of a click that is answered with a box (CoAT), in the same pixels.
        direction: of a scroll, in the same sense for answer and gold.
        text: what is typed.
        button: ``back``, ``home`` or ``enter``.
    """

    kind: AitzKind
    point_px: Point | None = None
    box_px: Box | None = None
    direction: str = ""
    text: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True)
class AitzStep:
    """One step and the answer to it.

    Attributes:
        episode_id, position: the step's place; position is 0-based.
        num_steps: length of the episode.
        size_px: of the stored picture.
        gold: the recorded action.
        predicted: or None if the answer could not be parsed.
        boxes_px: of the screen's annotated elements.
    """

    episode_id: str
    position: int
    num_steps: int
    size_px: Size
    gold: AitzAction
    predicted: AitzAction | None
    boxes_px: tuple[Box, ...] = ()


def click_matches_coat(point: Point, box: Box, boxes_px: Sequence[Box]) -> bool:
    """Whether a box is a right answer to a gold point.

    The point lies in the box enlarged 1.2 times; or an annotated box so enlarged that holds the
    point overlaps it with an IoU above 0.5.

    Source: IMNearth/CoAT coat/evaluate.py. There the gold point is only set for scrolls, so clicks
    are compared with (0, 0); here it is the touch.
    """
    wide = enlarged(box, ENLARGE)
    if wide.contains(point):
        return True
    holding = [b for b in (enlarged(b, ENLARGE) for b in boxes_px) if b.contains(point)]
    return any(box_iou(wide, b) > MIN_IOU for b in holding)


def match_coat(step: AitzStep) -> bool:
    """CoAT's rule: click by `click_matches_coat`, typed text contained or with ratio above 0.8."""
    gold, predicted = step.gold, step.predicted
    if predicted is None or gold.kind != predicted.kind:
        return False
    if gold.kind == "click":
        if gold.point_px is None or predicted.box_px is None:
            return False
        return click_matches_coat(gold.point_px, predicted.box_px, step.boxes_px)
    if gold.kind == "type":
        ratio = Indel.normalized_similarity(gold.text, predicted.text)
        return contains_either_way(gold.text, predicted.text) or ratio > MIN_TEXT_RATIO
    return _same_rest(gold, predicted)


def match_agentcpm(step: AitzStep) -> bool:
    """AgentCPM-GUI's rule.

    A click lies in an annotated box, enlarged 1.2 times from its corner, that holds the gold
    point, or within 0.14 of it in 0..1; of typed texts one contains the other, case aside.

    Source: OpenBMB/AgentCPM-GUI eval/utils/evaluator.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None or gold.kind != predicted.kind:
        return False
    if gold.kind == "click":
        if gold.point_px is None or predicted.point_px is None:
            return False
        boxes = [_clipped(box, step.size_px) for box in step.boxes_px]
        holding = [box for box in boxes if box.contains(gold.point_px)]
        return hits_any(predicted.point_px, holding) or _is_near(
            gold.point_px, predicted.point_px, step.size_px
        )
    if gold.kind == "type":
        return contains_either_way(clean_lower(gold.text), clean_lower(predicted.text))
    return _same_rest(gold, predicted)


def _same_rest(gold: AitzAction, predicted: AitzAction) -> bool:
    if gold.kind == "scroll":
        return gold.direction == predicted.direction
    return gold.kind != "press" or gold.button == predicted.button


def _clipped(box: Box, size: Size) -> Box:
    return enlarged_from_corner(box, ENLARGE, float(max(size.width, size.height)))


def _is_near(a: Point, b: Point, size: Size) -> bool:
    first, second = (Point(p.x / size.width, p.y / size.height) for p in (a, b))
    return distance(first, second) <= MAX_DISTANCE


RULES = {"coat": match_coat, "agentcpm": match_agentcpm}

FAMILIES = {
    "coat": step_metrics(
        "aitz_coat",
        "AITZ",
        "Right: same kind; for a click, the gold point in the answered box enlarged 1.2 times, or "
        "an IoU above 0.5 with an annotated box so enlarged that holds it; for typed text, one "
        "contains the other or a Levenshtein ratio above 0.8; for scroll and button, equal; any "
        "stop. Grounding counts clicks.",
        "AITZ (arXiv 2403.02713), IMNearth/CoAT coat/evaluate.py",
        "Answers are boxes, and directions and text count, unlike AITW. CoAT's script compares "
        "clicks with the point (0, 0); here with the recorded touch.",
    ),
    "agentcpm": step_metrics(
        "aitz_agentcpm",
        "AITZ (points)",
        "Right: same kind; for a click, the point in an annotated box, enlarged 1.2 times, that "
        "holds the gold point, or within 0.14 of it in 0..1 of width and height; for typed text, "
        "one contains the other, case aside; for scroll and button, equal; any stop. Grounding "
        "counts clicks.",
        "AgentCPM-GUI (arXiv 2506.01391), eval/utils/evaluator.py",
        "Points where CoAT takes boxes; boxes enlarged 1.2 times where AITW takes 2.4.",
    ),
}

METRICS = tuple(metric for family in FAMILIES.values() for metric in family.values())


def aitz_report(steps: Sequence[AitzStep], variant: Variant, seed: int = 0) -> BenchmarkReport:
    """The scores of one rule.

    Args:
        steps: one a scored step.
        variant: whose rule.
        seed: of the intervals, which draw whole episodes.
    """
    rule = RULES[variant]
    outcomes = [
        StepOutcome(
            step.episode_id, step.position, step.num_steps, step.predicted is not None,
            type_match=step.predicted is not None and step.predicted.kind == step.gold.kind,
            success=rule(step),
            is_grounded=step.predicted is not None
            and step.gold.kind == step.predicted.kind == "click",
        )
        for step in steps
    ]  # fmt: skip
    scores = step_scores(FAMILIES[variant], outcomes, seed)
    unparsed = sum(step.predicted is None for step in steps)
    return BenchmarkReport(f"aitz_{variant}", len(steps), unparsed, scores)
