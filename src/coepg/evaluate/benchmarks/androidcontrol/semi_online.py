"""Semi-online AndroidControl: the agent goes on with its own history until its first mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score
from coepg.evaluate.definitions import MetricDefinition
from coepg.evaluate.intervals import bootstrap_interval


@dataclass(frozen=True, slots=True)
class SemiOnlineEpisode:
    """One episode.

    Attributes:
        name: goal or id.
        num_steps: its length.
        num_right: right steps before the first wrong one.
    """

    name: str
    num_steps: int
    num_right: int

    @property
    def progress(self) -> float:
        """``num_right / num_steps``."""
        return self.num_right / self.num_steps


_SOURCE = "UI-S1 (arXiv 2509.11543), X-PLUG/MobileAgent UI-S1/evaluation/eval_qwenvl.py"
_DIFFERS = (
    "The history holds the agent's own answers and the episode ends at the first mistake, where "
    "androidcontrol_*_episode_sr shows every step with the recorded history."
)
SUCCESS = MetricDefinition(
    "androidcontrol_semi_online_sr", 1,
    "Share of episodes whose every step is right by UI-S1's rule, each step shown with the "
    "recorded screen and the agent's own earlier answers; n counts episodes.",
    "Semi-online SR", source=_SOURCE, differs=_DIFFERS,
)  # fmt: skip
PROGRESS = MetricDefinition(
    "androidcontrol_semi_online_progress", 1,
    "Mean over episodes of (right steps before the first wrong one) / (steps), by UI-S1's rule; n "
    "counts episodes.",
    "Semi-online progress", source=_SOURCE, differs=_DIFFERS,
)  # fmt: skip
METRICS = (SUCCESS, PROGRESS)


def semi_online_report(episodes: Sequence[SemiOnlineEpisode], seed: int = 0) -> BenchmarkReport:
    """Success rate and progress; intervals draw episodes."""
    success = [float(e.num_right == e.num_steps) for e in episodes]
    progress = [e.progress for e in episodes]
    scores = (
        Score(SUCCESS, bootstrap_interval(success, seed)),
        Score(PROGRESS, bootstrap_interval(progress, seed)),
    )
    notes = ("the file does not tell unparsable answers from wrong ones",)
    return BenchmarkReport("androidcontrol_semi_online", len(episodes), 0, scores, notes)
