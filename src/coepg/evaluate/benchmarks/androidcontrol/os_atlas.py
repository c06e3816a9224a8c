"""OS-Atlas' rule, also UI-TARS' and UI-R1's: a disc of 14 % of the screen around the gold point."""

from __future__ import annotations

from coepg.evaluate.benchmarks.androidcontrol.steps import (
    NO_MATCH,
    POINTING,
    AndroidAction,
    AndroidStep,
    Match,
    MatchingRule,
)
from coepg.evaluate.benchmarks.boxes import distance
from coepg.evaluate.benchmarks.outcomes import step_metrics

MAX_DISTANCE_NORM1000 = 140.0


def match_os_atlas(step: AndroidStep) -> Match:
    """Whether an answer is right by OS-Atlas' script.

    * The kinds agree (back, home and enter are kinds of their own).
    * click, long press: distance of the points at most 140 on the 0..1000 grid; a disc, whatever
      the element.
    * type, open app: the answers are equal, or the first words of ``[text]`` are, case aside. (The
      script means F1 > 0.5, but compares the second word of ``TYPE [text]`` only.)
    * the rest: equal, so the direction of a scroll counts.

    Source: OS-Copilot/OS-Atlas eval/eval_scripts/android_control/evaluation_unify.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None or _kind(gold) != _kind(predicted):
        return NO_MATCH
    if gold.kind in POINTING:
        near = (
            gold.point_norm1000 is not None
            and predicted.point_norm1000 is not None
            and distance(gold.point_norm1000, predicted.point_norm1000) <= MAX_DISTANCE_NORM1000
        )
        return Match(True, near, is_grounded=gold.kind == "click")
    if gold.kind in ("type", "open_app"):
        same = gold.text == predicted.text or _first_word(gold.text) == _first_word(predicted.text)
        return Match(True, same)
    return Match(True, gold.direction == predicted.direction)


def _kind(action: AndroidAction) -> str:
    return f"press {action.button}" if action.kind == "press" else action.kind


def _first_word(text: str) -> str:
    return f"TYPE [{text}]".split()[1].lower()


OS_ATLAS = MatchingRule(
    "androidcontrol_os_atlas",
    step_metrics(
        "androidcontrol_os_atlas",
        "OS-Atlas",
        "Right: same kind; for a click or long press, distance to the gold point at most 140 on "
        "the 0..1000 grid; for typed text and app names, equal text or equal first word; for a "
        "scroll, equal direction. Grounding counts clicks only.",
        "OS-Atlas (arXiv 2410.23218), eval/eval_scripts/android_control/evaluation_unify.py; the "
        "14 % also in UI-TARS (bytedance/UI-TARS#79) and UI-R1",
        "The widest target: a disc of 14 % around the point, no element needed; only the first "
        "word of a text is compared. Published on 7,708 of the 8,444 steps.",
    ),
    match_os_atlas,
)
