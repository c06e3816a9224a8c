"""Android in the Wild: action matching of dual-point gestures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score, mean_score, parts_of
from coepg.evaluate.benchmarks.boxes import distance, enlarged_from_corner
from coepg.evaluate.benchmarks.outcomes import StepOutcome, step_metrics, trajectory_scores
from coepg.evaluate.benchmarks.words import clean_lower, contains_either_way
from coepg.evaluate.definitions import MetricDefinition
from coepg.types import Box, Point

TYPE, DUAL_POINT, BACK, HOME, ENTER, COMPLETE, IMPOSSIBLE = 3, 4, 5, 6, 7, 10, 11
"""Action types of the data."""

MAX_TAP_LENGTH = 0.04
MAX_TAP_DISTANCE = 0.14
ENLARGE = 2.4


@dataclass(frozen=True, slots=True)
class AitwAction:
    """One action.

    Attributes:
        action_type: see the numbers of this module.
        touch_norm1, lift_norm1: where a dual-point gesture begins and ends, x and y in 0..1;
            None for other types.
        text: what is typed.
    """

    action_type: int
    touch_norm1: Point | None = None
    lift_norm1: Point | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class AitwStep:
    """One step and the answer to it.

    Attributes:
        episode_id, position: the step's place; position is 0-based.
        subset: ``general``, ``install``, ``google_apps``, ``single`` or ``web_shopping``.
        gold: the recorded action.
        predicted: or None if the answer could not be parsed.
        boxes_norm1: of the screen's annotated elements.
        num_steps: length of the episode, or None if the source does not say it.
    """

    episode_id: str
    position: int
    subset: str
    gold: AitwAction
    predicted: AitwAction | None
    boxes_norm1: tuple[Box, ...] = ()
    num_steps: int | None = None


def is_tap(action: AitwAction) -> bool:
    """Whether a gesture is a tap: touch and lift at most 0.04 apart."""
    if action.touch_norm1 is None or action.lift_norm1 is None:
        return False
    return distance(action.touch_norm1, action.lift_norm1) <= MAX_TAP_LENGTH


def taps_match(a: Point, b: Point, boxes_norm1: Iterable[Box]) -> bool:
    """At most 0.14 apart, or both in one annotated box enlarged 2.4 times from its corner.

    ``touch`` points of both; x and y in 0..1, so 0.14 is an ellipse on the screen.
    """
    if distance(a, b) <= MAX_TAP_DISTANCE:
        return True
    wide = (enlarged_from_corner(box, ENLARGE, 1) for box in boxes_norm1)
    return any(box.contains(a) and box.contains(b) for box in wide)


def main_axis(action: AitwAction) -> str:
    """``x`` or ``y``: in which coordinate a swipe moves more; ``y`` if equal.

    Raises:
        ValueError: the action has no gesture.
    """
    if action.touch_norm1 is None or action.lift_norm1 is None:
        raise ValueError("only a dual-point gesture has an axis")
    dx = abs(action.lift_norm1.x - action.touch_norm1.x)
    dy = abs(action.lift_norm1.y - action.touch_norm1.y)
    return "x" if dx > dy else "y"


def match_aitw(step: AitwStep) -> bool:
    """The benchmark's action matching.

    If either action is no dual-point gesture, the types decide (typed text is not compared). Two
    taps: `taps_match`. Two swipes: same main axis, so up and down are the same. A tap and a swipe
    do not match.

    Source: google-research android_in_the_wild action_matching.py (arXiv 2307.10088); SeeClick
    agent_tasks/action_matching.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None:
        return False
    if gold.action_type != DUAL_POINT or predicted.action_type != DUAL_POINT:
        return gold.action_type == predicted.action_type
    if gold.touch_norm1 is None or predicted.touch_norm1 is None:
        return False
    if is_tap(gold) != is_tap(predicted):
        return False
    if is_tap(gold):
        return taps_match(gold.touch_norm1, predicted.touch_norm1, step.boxes_norm1)
    return main_axis(gold) == main_axis(predicted)


_RULE = (
    "Right: same type; for two taps, at most 0.14 apart in 0..1 of width and height, or both in "
    "one annotated box enlarged 2.4 times; for two swipes, same main axis; typed text is not "
    "compared."
)
_SOURCE = (
    "AITW (arXiv 2307.10088), google-research android_in_the_wild/action_matching.py; SeeClick "
    "agent_tasks/aitw_test.py"
)
_FAMILY = step_metrics(
    "aitw", "AITW", _RULE, _SOURCE,
    "Up and down are not told apart, nor left and right; AITZ compares directions and text.",
)  # fmt: skip
ACTION_ACC = MetricDefinition(
    "aitw_action_acc", 1, f"Share of steps that match (micro); n counts steps. {_RULE}",
    "AITW", source=_SOURCE, differs=_FAMILY["step_acc"].differs,
)  # fmt: skip
SUBSET_MEAN = MetricDefinition(
    "aitw_action_acc_subset_mean", 1,
    f"Plain mean over the subsets of the share of steps that match; n counts steps. {_RULE}",
    "AITW (subset mean)", source=_SOURCE, differs="What SeeClick and later papers print.",
)  # fmt: skip
TEXT_ACC = MetricDefinition(
    "aitw_text_acc", 1,
    "Share of steps with a gold text whose answer types one that contains it or is contained in "
    "it, case aside; n counts steps whose gold action types.",
    "AITW text", source=_SOURCE,
)  # fmt: skip
METRICS = (
    ACTION_ACC, SUBSET_MEAN, TEXT_ACC, _FAMILY["type_acc"], _FAMILY["episode_sr"],
    _FAMILY["goal_progress"],
)  # fmt: skip


def aitw_report(steps: Sequence[AitwStep], seed: int = 0) -> BenchmarkReport:
    """Action matching, micro and as the mean of subsets, types, text and episodes.

    Args:
        steps: one a scored step.
        seed: of the intervals, which draw whole episodes.
    """
    values = [float(match_aitw(step)) for step in steps]
    groups = [step.episode_id for step in steps]
    subsets = [step.subset for step in steps]
    outcomes = [_outcome(step) for step in steps]
    types = [float(o.type_match) for o in outcomes]
    scores: list[Score] = [
        mean_score(ACTION_ACC, values, groups, seed=seed),
        mean_score(SUBSET_MEAN, values, groups, average="macro_task", tasks=subsets, seed=seed),
        mean_score(_FAMILY["type_acc"], types, groups, seed=seed),
        _text_score(steps, seed),
        *trajectory_scores(_FAMILY, outcomes, seed),
    ]
    for subset, found in parts_of(steps, lambda step: step.subset).items():
        part = [float(match_aitw(step)) for step in found]
        ids = [step.episode_id for step in found]
        scores.append(mean_score(ACTION_ACC, part, ids, seed=seed, part=subset))
    unparsed = sum(step.predicted is None for step in steps)
    return BenchmarkReport("aitw", len(steps), unparsed, tuple(scores))


def _outcome(step: AitwStep) -> StepOutcome:
    type_match = step.predicted is not None and step.predicted.action_type == step.gold.action_type
    return StepOutcome(
        step.episode_id, step.position, step.num_steps, step.predicted is not None,
        type_match=type_match, success=match_aitw(step), is_grounded=False,
    )  # fmt: skip


def _text_score(steps: Sequence[AitwStep], seed: int) -> Score:
    typing = [step for step in steps if step.gold.action_type == TYPE]
    values = [
        float(
            step.predicted is not None
            and step.predicted.action_type == TYPE
            and contains_either_way(clean_lower(step.gold.text), clean_lower(step.predicted.text))
        )
        for step in typing
    ]
    return mean_score(TEXT_ACC, values, [step.episode_id for step in typing], seed=seed)
