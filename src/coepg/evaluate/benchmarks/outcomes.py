"""Step outcomes of teacher-forced mobile benchmarks, and the numbers made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from coepg.evaluate.benchmarks.base import Score, mean_score, parts_of
from coepg.evaluate.definitions import MetricDefinition
from coepg.evaluate.intervals import bootstrap_interval


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """What a matching rule says of one step.

    Attributes:
        episode_id: steps of one episode are drawn together for intervals.
        position: 0-based place in the episode.
        num_steps: length of the episode, or None if the source does not say it.
        is_parsed: whether the answer could be parsed.
        type_match: whether the kind of action is right.
        success: whether the whole action is right.
        is_grounded: whether the step counts for grounding accuracy.
    """

    episode_id: str
    position: int
    num_steps: int | None
    is_parsed: bool
    type_match: bool
    success: bool
    is_grounded: bool


_GENERAL = {
    "step_acc": ("Step acc.", "Share of steps whose action is right (micro); n counts steps."),
    "step_acc_macro": (
        "Step acc. (episode mean)",
        "Mean over episodes of each one's share of right steps; n counts steps.",
    ),
    "type_acc": ("Type acc.", "Share of steps whose kind of action is right; n counts steps."),
    "grounding_acc": (
        "Grounding acc.",
        "Share of right steps among those that point and whose kind is right; n counts these.",
    ),
    "episode_sr": (
        "Episode SR",
        "Share of episodes whose every step is right, each step shown with the recorded screen and "
        "history. Episodes that are not whole, or of unknown length, are left out; n counts "
        "episodes.",
    ),
    "goal_progress": (
        "Goal progress",
        "Mean over whole episodes of (right steps before the first wrong one) / (steps); n counts "
        "episodes.",
    ),
}


def step_metrics(
    prefix: str, label: str, rule: str, source: str, differs: str, *, version: int = 1
) -> dict[str, MetricDefinition]:
    """The metrics of one matching rule, by short name (``step_acc``, ...).

    Args:
        prefix: of the metrics' names, such as ``androidcontrol_ui_s1``.
        label: of tables.
        rule: when a step is right, in words.
        source: paper or script.
        differs: how the rule differs from its sisters.
        version: of the rule; raised when it changes.
    """
    return {
        short: MetricDefinition(
            f"{prefix}_{short}", version, f"{text} {rule}", f"{label} {name}",
            source=source, differs=differs,
        )
        for short, (name, text) in _GENERAL.items()
    }  # fmt: skip


def step_scores(
    metrics: Mapping[str, MetricDefinition], outcomes: Sequence[StepOutcome], seed: int = 0
) -> tuple[Score, ...]:
    """The scores of a rule's metrics (see `step_metrics`)."""
    groups = [o.episode_id for o in outcomes]
    success = [float(o.success) for o in outcomes]
    grounded = [o for o in outcomes if o.is_grounded]
    return (
        mean_score(metrics["step_acc"], success, groups, seed=seed),
        mean_score(metrics["step_acc_macro"], success, groups, average="macro_episode", seed=seed),
        mean_score(metrics["type_acc"], [float(o.type_match) for o in outcomes], groups, seed=seed),
        mean_score(
            metrics["grounding_acc"],
            [float(o.success) for o in grounded],
            [o.episode_id for o in grounded],
            seed=seed,
        ),
        *trajectory_scores(metrics, outcomes, seed),
    )


def trajectory_scores(
    metrics: Mapping[str, MetricDefinition], outcomes: Sequence[StepOutcome], seed: int = 0
) -> tuple[Score, Score]:
    """Episode success and goal progress over whole episodes."""
    episodes = whole_episodes(outcomes)
    success = [float(all(o.success for o in steps)) for steps in episodes]
    progress = [leading_share([o.success for o in steps]) for steps in episodes]
    return (
        Score(metrics["episode_sr"], bootstrap_interval(success, seed)),
        Score(metrics["goal_progress"], bootstrap_interval(progress, seed)),
    )


def whole_episodes(outcomes: Sequence[StepOutcome]) -> list[list[StepOutcome]]:
    """The episodes of which every step is there, each in order; episodes in order of their id."""
    found = []
    for steps in parts_of(outcomes, lambda o: o.episode_id).values():
        ordered = sorted(steps, key=lambda o: o.position)
        length = ordered[0].num_steps
        if length is not None and [o.position for o in ordered] == list(range(length)):
            found.append(ordered)
    return found


def leading_share(successes: Sequence[bool]) -> float:
    """(right steps before the first wrong one) / (steps): CoAT's goal progress.

    Raises:
        ValueError: no steps.

    Example:
        >>> leading_share([True, True, False, True])
        0.5
    """
    if not successes:
        raise ValueError("an episode has at least one step")
    if all(successes):
        return 1.0
    return list(successes).index(False) / len(successes)
