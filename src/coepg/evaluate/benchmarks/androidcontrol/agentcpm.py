"""AgentCPM-GUI's rule for AndroidControl: one of the five nearest boxes, or 4 % of the screen."""

from __future__ import annotations

from coepg.evaluate.benchmarks.androidcontrol.steps import (
    NO_MATCH,
    POINTING,
    AndroidStep,
    Match,
    MatchingRule,
)
from coepg.evaluate.benchmarks.boxes import distance, enlarged_from_corner, hits_any
from coepg.evaluate.benchmarks.outcomes import step_metrics
from coepg.evaluate.benchmarks.words import clean_lower, contains_either_way
from coepg.types import Point

ENLARGE = 1.2
NUM_BOXES = 5
MAX_DISTANCE_NORM1000 = 40.0


def match_agentcpm(step: AndroidStep) -> Match:
    """Whether an answer is right by AgentCPM-GUI's evaluation with ``--eval_android_control``.

    * click: in one of the five boxes of the screen whose centre is nearest to the gold point, each
      enlarged 1.2 times from its corner, or within 0.04 of the gold point in 0..1. A gold long
      press is scored as a click.
    * type: one text contains the other, case and blanks around aside.
    * scroll: equal direction. button: equal.
    * finish and wait are one kind, and right as such.

    Source: OpenBMB/AgentCPM-GUI eval/utils/evaluator.py, eval/eval_data/process_ac.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None:
        return NO_MATCH
    kind = "click" if gold.kind in POINTING else _stop(gold.kind)
    if kind != _stop(predicted.kind):
        return NO_MATCH
    if kind == "click":
        hit = _hits(step, gold.point_norm1000, predicted.point_norm1000)
        return Match(True, hit, is_grounded=True)
    if kind == "type":
        texts = clean_lower(gold.text), clean_lower(predicted.text)
        return Match(True, contains_either_way(*texts))
    if kind == "scroll":
        return Match(True, gold.direction == predicted.direction)
    if kind == "press":
        return Match(True, gold.button.lower() == predicted.button.lower())
    return Match(True, True)


def _stop(kind: str) -> str:
    return "stop" if kind in ("finish", "wait") else kind


def _hits(step: AndroidStep, gold: Point | None, predicted: Point | None) -> bool:
    if gold is None or predicted is None:
        return False
    boxes = [enlarged_from_corner(box, ENLARGE, 1000) for box in step.boxes_norm1000]
    nearest = sorted(boxes, key=lambda box: distance(box.center, gold))[:NUM_BOXES]
    return hits_any(predicted, nearest) or distance(gold, predicted) <= MAX_DISTANCE_NORM1000


AGENTCPM = MatchingRule(
    "androidcontrol_agentcpm",
    step_metrics(
        "androidcontrol_agentcpm",
        "AgentCPM",
        "Right: same kind, finish and wait being one kind; for a click, the point in one of the "
        "five boxes of the screen nearest to the gold point, enlarged 1.2 times, or within 0.04 of "
        "it in 0..1 of width and height; for typed text, one contains the other, case aside; for "
        "scroll and button, equal. Steps that open an app are left out. Grounding counts clicks.",
        "AgentCPM-GUI (arXiv 2506.01391), eval/utils/evaluator.py",
        "A hit on any of five neighbouring elements is right, where Qwen's rule takes the "
        "candidate boxes of the target; published on validation and test together, with a finish "
        "step added to each episode.",
    ),
    match_agentcpm,
    leaves_out=frozenset({"open_app"}),
)
