"""What every benchmark's scoring returns: scores with their definitions, and a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from coepg.evaluate.definitions import MetricDefinition
from coepg.evaluate.intervals import Average, Estimate, grouped_mean

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Score:
    """One number.

    Attributes:
        metric: what it counts; a number is comparable with the same name and version only.
        estimate: the mean, what n counts, and the interval.
        part: the part of the data that it is of, such as ``mobile/text``; "" for all.
    """

    metric: MetricDefinition
    estimate: Estimate
    part: str = ""


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """The scores of one set of answers.

    Attributes:
        benchmark: name, such as ``screenspot_pro``.
        num_rows: answers that were scored, unparsable ones included.
        num_unparsed: answers that could not be parsed; they count as wrong.
        scores: in the order in which they are shown.
        notes: what a reader must know besides the definitions.
        blocks: tables in the layout of the benchmark's own script, if it prints any.
    """

    benchmark: str
    num_rows: int
    num_unparsed: int
    scores: tuple[Score, ...]
    notes: tuple[str, ...] = ()
    blocks: Mapping[str, Any] = field(default_factory=dict)

    def score(self, name: str, part: str = "") -> Score:
        """The score of a metric.

        Raises:
            KeyError: there is none.
        """
        for score in self.scores:
            if score.metric.name == name and score.part == part:
                return score
        raise KeyError(f"{name} of {part or 'all'}")


def mean_score(
    metric: MetricDefinition,
    outcomes: Sequence[float],
    groups: Sequence[str] | None = None,
    *,
    average: Average = "micro",
    tasks: Sequence[str] | None = None,
    seed: int = 0,
    part: str = "",
) -> Score:
    """A mean of outcomes as a score; see `coepg.evaluate.intervals.grouped_mean`."""
    estimate = grouped_mean(outcomes, groups, tasks, average, seed=seed)
    return Score(metric, estimate, part)


def parts_of(items: Sequence[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Items by a key, keys in sorted order."""
    parts: dict[str, list[T]] = {}
    for item in items:
        parts.setdefault(key(item), []).append(item)
    return {name: parts[name] for name in sorted(parts)}
