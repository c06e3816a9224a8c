"""AndroidControl's actions and steps, as every rule reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score
from coepg.evaluate.benchmarks.outcomes import StepOutcome, step_scores
from coepg.evaluate.definitions import MetricDefinition
from coepg.types import Box, Point, Size

AndroidKind = Literal[
    "click", "long_press", "type", "scroll", "open_app", "press", "wait", "finish"
]
POINTING: tuple[AndroidKind, ...] = ("click", "long_press")


@dataclass(frozen=True, slots=True)
class AndroidAction:
    """One action.

    Attributes:
        kind: what is done; ``press`` is a system button, ``finish`` ends the episode.
        point_norm1000: where, for click and long press, in 0..1000 of width and height.
        text: what is typed, or the name of the app.
        direction: ``up``, ``down``, ``left`` or ``right``, in the same sense for answer and gold.
        button: ``back``, ``home`` or ``enter``.
    """

    kind: AndroidKind
    point_norm1000: Point | None = None
    text: str = ""
    direction: str = ""
    button: str = ""


@dataclass(frozen=True, slots=True)
class ScreenNode:
    """A node of the accessibility tree: its box, visible text and content description."""

    box_norm1000: Box
    text: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class AndroidStep:
    """One step and the answer to it.

    Attributes:
        episode_id, position: the step's place; position is 0-based.
        gold: the recorded action.
        predicted: or None if the answer could not be parsed.
        num_steps: length of the episode, or None if the source does not say it.
        boxes_norm1000: candidate boxes of the gold action; for AgentCPM-GUI's rule all boxes of
            the screen.
        nodes: of the accessibility tree (UGround's rule).
        size_px: of the screen (InfiGUI-R1's rule).
    """

    episode_id: str
    position: int
    gold: AndroidAction
    predicted: AndroidAction | None
    num_steps: int | None = None
    boxes_norm1000: tuple[Box, ...] = ()
    nodes: tuple[ScreenNode, ...] = ()
    size_px: Size | None = None


@dataclass(frozen=True, slots=True)
class Match:
    """What a rule says of one step."""

    type_match: bool
    success: bool
    is_grounded: bool = False


NO_MATCH = Match(False, False)


@dataclass(frozen=True, slots=True)
class MatchingRule:
    """A rule with its metrics.

    Attributes:
        name: such as ``androidcontrol_os_atlas``.
        metrics: see `coepg.evaluate.benchmarks.outcomes.step_metrics`.
        match: the rule itself; an answer that could not be parsed never reaches it.
        leaves_out: gold kinds that the rule's data do not have.
    """

    name: str
    metrics: dict[str, MetricDefinition]
    match: Callable[[AndroidStep], Match]
    leaves_out: frozenset[str] = frozenset()


def outcome(step: AndroidStep, rule: MatchingRule) -> StepOutcome:
    """The outcome of one step under a rule; an unparsable answer is wrong."""
    found = NO_MATCH if step.predicted is None else rule.match(step)
    return StepOutcome(
        step.episode_id,
        step.position,
        step.num_steps,
        is_parsed=step.predicted is not None,
        type_match=found.type_match,
        success=found.success,
        is_grounded=found.is_grounded,
    )


def androidcontrol_report(
    steps: Sequence[AndroidStep], rules: Sequence[MatchingRule], seed: int = 0
) -> BenchmarkReport:
    """The scores of the same answers under several rules.

    Args:
        steps: one a scored step.
        rules: see `coepg.evaluate.benchmarks.androidcontrol.rules.RULES`.
        seed: of the intervals, which draw whole episodes.
    """
    scores: list[Score] = []
    notes: list[str] = []
    for rule in rules:
        kept = [step for step in steps if step.gold.kind not in rule.leaves_out]
        if len(kept) < len(steps):
            notes.append(
                f"{rule.name} leaves out {len(steps) - len(kept)} steps whose gold action is "
                + " or ".join(sorted(rule.leaves_out))
            )
        scores.extend(step_scores(rule.metrics, [outcome(step, rule) for step in kept], seed))
    unparsed = sum(step.predicted is None for step in steps)
    return BenchmarkReport("androidcontrol", len(steps), unparsed, tuple(scores), tuple(notes))
