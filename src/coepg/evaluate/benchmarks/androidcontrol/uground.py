"""UGround's rule: the click must fall in the smallest accessibility node under the gold point."""

from __future__ import annotations

from collections.abc import Sequence

from coepg.evaluate.benchmarks.androidcontrol.steps import (
    NO_MATCH,
    POINTING,
    AndroidAction,
    AndroidStep,
    Match,
    MatchingRule,
    ScreenNode,
)
from coepg.evaluate.benchmarks.boxes import smallest_box
from coepg.evaluate.benchmarks.outcomes import step_metrics
from coepg.types import Point


def match_uground(step: AndroidStep) -> Match:
    """Whether an answer is right by UGround's evaluation.

    * click, long press, and typing where the gold action says where: the point lies in the
      smallest node box that holds the gold point; typed text is equal.
    * a click for open_app, or the reverse: the smallest node under the point names the app. The
      point is the one of whichever action clicks; the script reads the answer's point both times
      and an empty name for a gold click, which any text contains.
    * a click for back, or the reverse: that node's text or description holds the word "back".
    * the rest: equal.

    Source: OSU-NLP-Group/UGround offline_evaluation/AndroidControl/eval.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None:
        return NO_MATCH
    if gold.kind == predicted.kind:
        return _same_kind(step, gold, predicted)
    clicking, other = _click_and_other(gold, predicted)
    if clicking is None or other is None:
        return NO_MATCH
    word = "back" if other.kind == "press" else other.text.lower()
    named = bool(word) and _names(step.nodes, clicking.point_norm1000, word)
    return Match(False, named, is_grounded=predicted.kind == "click" or other.kind == "press")


def _same_kind(step: AndroidStep, gold: AndroidAction, predicted: AndroidAction) -> Match:
    points = gold.kind in POINTING or (gold.kind == "type" and gold.point_norm1000 is not None)
    if points:
        hit = _hits(step.nodes, gold.point_norm1000, predicted.point_norm1000)
        return Match(True, hit and gold.text == predicted.text, is_grounded=True)
    same = (gold.text, gold.direction, gold.button) == (
        predicted.text, predicted.direction, predicted.button,
    )  # fmt: skip
    return Match(True, same)


def _hits(nodes: Sequence[ScreenNode], gold: Point | None, predicted: Point | None) -> bool:
    if gold is None or predicted is None:
        return False
    box = smallest_box([node.box_norm1000 for node in nodes], gold)
    return box is not None and box.contains(predicted)


def _click_and_other(
    gold: AndroidAction, predicted: AndroidAction
) -> tuple[AndroidAction | None, AndroidAction | None]:
    """The click, and the action that may be the same thing: open_app or the back button."""
    for click, other in ((gold, predicted), (predicted, gold)):
        is_back = other.kind == "press" and other.button == "back"
        if click.kind == "click" and (other.kind == "open_app" or is_back):
            return click, other
    return None, None


def _names(nodes: Sequence[ScreenNode], point: Point | None, word: str) -> bool:
    if point is None:
        return False
    holding = [node for node in nodes if node.box_norm1000.contains(point)]
    if not holding:
        return False
    node = min(holding, key=lambda node: node.box_norm1000.area)
    return word in node.text.lower() or word in node.description.lower()


UGROUND = MatchingRule(
    "androidcontrol_uground",
    step_metrics(
        "androidcontrol_uground",
        "UGround",
        "Right: same kind, and for a click or long press the point in the smallest accessibility "
        "node that holds the gold point, for all else equal; or a click whose node names the app "
        "to open, or says 'back' for the back button, in either direction. Equivalent actions of "
        "another kind are right though their kind is not. Grounding counts the steps that point.",
        "UGround (arXiv 2410.05243), offline_evaluation/AndroidControl/eval.py",
        "The strictest target, the element itself; equivalent actions count. Published on 500 "
        "random steps. For an open_app answered to a gold click the app's name is looked for at "
        "the gold point, where the script looks for an empty name.",
    ),
    match_uground,
)
