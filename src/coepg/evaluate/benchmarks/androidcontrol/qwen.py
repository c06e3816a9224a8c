"""The rule of Qwen2.5-VL and its two descendants: box enlarged 1.2 times, or 4 % of the screen."""

from __future__ import annotations

import math

from coepg.evaluate.benchmarks.androidcontrol.steps import (
    NO_MATCH,
    POINTING,
    AndroidStep,
    Match,
    MatchingRule,
)
from coepg.evaluate.benchmarks.boxes import distance, enlarged, hits_any
from coepg.evaluate.benchmarks.outcomes import step_metrics
from coepg.evaluate.benchmarks.words import clean_lower, contains_either_way
from coepg.types import Point

ENLARGE = 1.2
MAX_DISTANCE_NORM1000 = 40.0
MAX_SHARE_OF_LONGER_SIDE = 0.04


def match_ui_s1(step: AndroidStep) -> Match:
    """Whether an answer is right by UI-S1's copy of Qwen2.5-VL's evaluation.

    * click, long press: the kinds agree, and the point lies in a candidate box enlarged 1.2 times
      about its centre, or within 0.04 of the gold point in coordinates of 0..1.
    * open app: open with a text that contains the gold name or is contained in it; or a click in
      a candidate box, or within 0.04 of the first one's centre.
    * type: one text contains the other, case and blanks around aside. An empty text is right.
    * scroll: any scroll, whatever its direction.
    * system button: same button. wait: any wait.

    Source: X-PLUG/MobileAgent UI-S1/evaluation/qwenvl_utils.py.
    """
    return _match(step, needs_direction=False, in_pixels=False)


def match_infigui(step: AndroidStep) -> Match:
    """Whether an answer is right by InfiGUI-R1's evaluation.

    As `match_ui_s1`, but the direction of a scroll must agree, and the distance is in pixels: at
    most 0.04 of the longer side of the screen.

    Raises:
        ValueError: a distance is needed and the step has no size.

    Source: Reallm-Labs/InfiGUI-R1 eval/android_control/evaluate_android_control.py, after issue
    QwenLM/Qwen2.5-VL#904.
    """
    return _match(step, needs_direction=True, in_pixels=True)


def _match(step: AndroidStep, *, needs_direction: bool, in_pixels: bool) -> Match:
    gold, predicted = step.gold, step.predicted
    if predicted is None:
        return NO_MATCH
    if gold.kind == "open_app" and predicted.kind == "click" and step.boxes_norm1000:
        centre = step.boxes_norm1000[0].center
        return Match(True, _is_near(step, centre, in_pixels), is_grounded=True)
    if gold.kind != predicted.kind:
        return NO_MATCH
    if gold.kind in POINTING:
        return Match(True, _is_near(step, gold.point_norm1000, in_pixels), is_grounded=True)
    if gold.kind in ("type", "open_app"):
        texts = clean_lower(gold.text), clean_lower(predicted.text)
        return Match(True, contains_either_way(*texts))
    if gold.kind == "press":
        return Match(True, clean_lower(gold.button) == clean_lower(predicted.button))
    if gold.kind == "scroll" and needs_direction:
        return Match(True, gold.direction == predicted.direction)
    return Match(True, True)


def _is_near(step: AndroidStep, gold_point: Point | None, in_pixels: bool) -> bool:
    point = step.predicted.point_norm1000 if step.predicted is not None else None
    if point is None:
        return False
    if hits_any(point, [enlarged(box, ENLARGE) for box in step.boxes_norm1000]):
        return True
    if gold_point is None:
        return False
    if not in_pixels:
        return distance(point, gold_point) <= MAX_DISTANCE_NORM1000
    if step.size_px is None:
        raise ValueError(f"{step.episode_id}/{step.position}: this rule needs the screen's size")
    width, height = step.size_px.width, step.size_px.height
    distance_px = math.hypot(
        (point.x - gold_point.x) * width / 1000, (point.y - gold_point.y) * height / 1000
    )
    return distance_px <= MAX_SHARE_OF_LONGER_SIDE * max(width, height)


_RULE = (
    "Right: same kind; for a click or long press, the point in a candidate box enlarged 1.2 times "
    "or {near}; for typed text and app names, one text contains the other, case aside; a click on "
    "the app's icon is also right for open_app; for a system button, the same; {scroll}. Grounding "
    "counts whatever points."
)

UI_S1 = MatchingRule(
    "androidcontrol_ui_s1",
    step_metrics(
        "androidcontrol_ui_s1",
        "UI-S1",
        _RULE.format(
            near="within 0.04 of the gold point in 0..1 of width and height",
            scroll="for a scroll, any direction",
        ),
        "UI-S1 (X-PLUG/MobileAgent UI-S1/evaluation/qwenvl_utils.py), after Qwen2.5-VL",
        "Scrolls in the wrong direction are right; the 4 % disc is an ellipse on the screen.",
    ),
    match_ui_s1,
)
INFIGUI = MatchingRule(
    "androidcontrol_infigui",
    step_metrics(
        "androidcontrol_infigui",
        "InfiGUI-R1",
        _RULE.format(
            near="within 0.04 of the screen's longer side, in pixels, of the gold point",
            scroll="for a scroll, equal direction",
        ),
        "InfiGUI-R1 (arXiv 2504.14239), eval/android_control/evaluate_android_control.py, after "
        "QwenLM/Qwen2.5-VL#904",
        "Stricter than UI-S1 about scrolls, laxer sideways; scored on all 8,444 steps. "
        "Written from descriptions of the script, not checked against its output.",
    ),
    match_infigui,
)
