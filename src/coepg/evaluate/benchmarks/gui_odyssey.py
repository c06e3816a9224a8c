"""GUI-Odyssey: action matching score (AMS) and success rate (SR)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Levenshtein

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score, mean_score, parts_of
from coepg.evaluate.benchmarks.boxes import distance
from coepg.evaluate.benchmarks.outcomes import StepOutcome, whole_episodes
from coepg.evaluate.benchmarks.words import contains_either_way, set_f1
from coepg.evaluate.definitions import MetricDefinition
from coepg.evaluate.intervals import grouped_mean
from coepg.types import Box, Point

MAX_DISTANCE = 0.14
MIN_TEXT_SIMILARITY = 0.5
POINTING = ("CLICK", "LONG_PRESS")


@dataclass(frozen=True, slots=True)
class OdysseyAction:
    """One action.

    Attributes:
        kind: as in the data, upper case: ``CLICK``, ``TYPE``, ``PRESS_HOME``, ``COMPLETE``, ...
        point_norm1000: of a click or long press, in 0..1000 of width and height.
        text: what is typed, or the direction of a scroll.
    """

    kind: str
    point_norm1000: Point | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class OdysseyStep:
    """One step and the answer to it.

    Attributes:
        episode_id, position: the step's place; position is 0-based.
        gold: the recorded action.
        predicted: or None if the answer could not be parsed.
        num_steps: length of the episode, or None if the source does not say it.
        category: of the task, for the mean of categories; "" if the source does not say it.
        sam2_box_norm1000: of the target (second edition), or None.
    """

    episode_id: str
    position: int
    gold: OdysseyAction
    predicted: OdysseyAction | None
    num_steps: int | None = None
    category: str = ""
    sam2_box_norm1000: Box | None = None


def text_matches(gold: str, predicted: str) -> bool:
    """One text contains the other, or 1 - Levenshtein / (longer length) is at least 0.5.

    Case counts, blanks around do not; an empty text is contained in every text.
    OpenGVLab/GUI-Odyssey src/eval_mm/GUIOdyssey_action_matching.py.

    Example:
        >>> text_matches("kitten", "sitting"), text_matches("abc", "xyz")
        (True, False)
    """
    gold, predicted = gold.strip(), predicted.strip()
    if contains_either_way(gold, predicted):
        return True
    return bool(Levenshtein.normalized_similarity(gold, predicted) >= MIN_TEXT_SIMILARITY)


def match_odyssey(step: OdysseyStep) -> bool:
    """The official rule.

    Same kind; a click or long press in the SAM2 box or within 0.14 of the gold point (coordinates
    divided by 1000); typed text as `text_matches`; same direction of a scroll; else the kind is
    enough. OpenGVLab/GUI-Odyssey src/eval_mm/GUIOdyssey_action_matching.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None or gold.kind != predicted.kind:
        return False
    if gold.kind in POINTING:
        return _is_near(gold, predicted, step.sam2_box_norm1000)
    if gold.kind == "TYPE":
        return text_matches(gold.text, predicted.text)
    if gold.kind == "SCROLL":
        return gold.text.strip().lower() == predicted.text.strip().lower()
    return True


def match_os_atlas(step: OdysseyStep) -> bool:
    """OS-Atlas' rule for GUI-Odyssey.

    As the official one, but without a box; typed text by F1 above 0.5 of the word sets of
    ``TYPE [text]``, the word TYPE included; the direction of a scroll as written.
    OS-Copilot/OS-Atlas eval/eval_scripts/odyssey/evaluation_unify.py.
    """
    gold, predicted = step.gold, step.predicted
    if predicted is None or gold.kind != predicted.kind:
        return False
    if gold.kind in POINTING:
        return _is_near(gold, predicted, None)
    if gold.kind == "TYPE":
        words = [f"TYPE [{action.text}]".lower().split() for action in (predicted, gold)]
        return set_f1(*words) > 0.5
    return gold.kind != "SCROLL" or gold.text == predicted.text


def _is_near(gold: OdysseyAction, predicted: OdysseyAction, box: Box | None) -> bool:
    if predicted.point_norm1000 is None:
        return False
    if box is not None and box.contains(predicted.point_norm1000):
        return True
    if gold.point_norm1000 is None:
        return False
    return distance(gold.point_norm1000, predicted.point_norm1000) <= MAX_DISTANCE * 1000


_RULE = (
    "Right: same kind; a click or long press in the SAM2 box, where there is one, or within 0.14 "
    "of the gold point in 0..1 of width and height; typed text of which one contains the other, or "
    "whose normalised Levenshtein similarity is at least 0.5; a scroll in the same direction."
)
_SOURCE = (
    "GUI-Odyssey (arXiv 2406.08451), OpenGVLab/GUI-Odyssey "
    "src/eval_mm/GUIOdyssey_action_matching.py, evaluate_GUIOdyssey.py"
)
_NAMES = (
    "The official script calls the mean over steps 'macro' and the mean of the six categories "
    "'micro'; it uses the latter for the random split."
)
AMS = MetricDefinition(
    "gui_odyssey_ams", 1, f"Share of steps that match; n counts steps. {_RULE}", "AMS",
    source=_SOURCE, differs=_NAMES,
)  # fmt: skip
AMS_MEAN = MetricDefinition(
    "gui_odyssey_ams_category_mean", 1,
    f"Plain mean over task categories of the share of steps that match; n counts steps. {_RULE}",
    "AMS (category mean)", source=_SOURCE, differs=_NAMES,
)  # fmt: skip
SR = MetricDefinition(
    "gui_odyssey_sr", 1,
    "Share of episodes whose every step matches; episodes that are not whole are left out; n "
    f"counts episodes. {_RULE}",
    "SR", source=_SOURCE, differs=_NAMES,
)  # fmt: skip
SR_MEAN = MetricDefinition(
    "gui_odyssey_sr_category_mean", 1,
    "Plain mean over task categories of the share of whole episodes whose every step matches; n "
    f"counts episodes. {_RULE}",
    "SR (category mean)", source=_SOURCE, differs=_NAMES,
)  # fmt: skip
OS_ATLAS_AMS = MetricDefinition(
    "gui_odyssey_os_atlas_ams", 1,
    "Share of steps that match; n counts steps. Right: same kind; a click or long press within "
    "140 of the gold point on the 0..1000 grid; typed text with a word F1 above 0.5, the word "
    "TYPE included; a scroll in the same direction.",
    "AMS (OS-Atlas)",
    source="OS-Atlas (arXiv 2410.23218), eval/eval_scripts/odyssey/evaluation_unify.py",
    differs="No SAM2 box, and text by words instead of letters.",
)  # fmt: skip
METRICS = (AMS, AMS_MEAN, SR, SR_MEAN, OS_ATLAS_AMS)


def gui_odyssey_report(steps: Sequence[OdysseyStep], seed: int = 0) -> BenchmarkReport:
    """AMS and SR by the official rule, both means, and AMS by OS-Atlas' rule.

    Args:
        steps: one a scored step.
        seed: of the intervals, which draw whole episodes.
    """
    episodes = [step.episode_id for step in steps]
    official = [float(match_odyssey(step)) for step in steps]
    scores = [mean_score(AMS, official, episodes, seed=seed)]
    has_categories = bool(steps) and all(step.category for step in steps)
    if has_categories:
        categories = [step.category for step in steps]
        scores.append(
            mean_score(
                AMS_MEAN, official, episodes, average="macro_task", tasks=categories, seed=seed
            )
        )
    scores.extend(_success(steps, has_categories, seed))
    scores.append(
        mean_score(OS_ATLAS_AMS, [float(match_os_atlas(s)) for s in steps], episodes, seed=seed)
    )
    for category, found in parts_of(steps, lambda step: step.category).items():
        if category:
            hits = [float(match_odyssey(step)) for step in found]
            groups = [step.episode_id for step in found]
            scores.append(mean_score(AMS, hits, groups, seed=seed, part=category))
    notes = () if has_categories else ("no categories in the file: their mean is not given",)
    unparsed = sum(step.predicted is None for step in steps)
    return BenchmarkReport("gui_odyssey", len(steps), unparsed, tuple(scores), notes)


def _success(steps: Sequence[OdysseyStep], has_categories: bool, seed: int) -> list[Score]:
    category = {step.episode_id: step.category for step in steps}
    outcomes = [
        StepOutcome(
            step.episode_id, step.position, step.num_steps, step.predicted is not None,
            type_match=False, success=match_odyssey(step), is_grounded=False,
        )
        for step in steps
    ]  # fmt: skip
    episodes = whole_episodes(outcomes)
    values = [float(all(o.success for o in part)) for part in episodes]
    ids = [part[0].episode_id for part in episodes]
    scores = [Score(SR, grouped_mean(values, ids, seed=seed))]
    if has_categories:
        tasks = [category[episode] for episode in ids]
        estimate = grouped_mean(values, ids, tasks, "macro_task", seed=seed)
        scores.append(Score(SR_MEAN, estimate))
    return scores
