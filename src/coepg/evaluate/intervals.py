"""Means with bootstrap intervals that respect episodes.

Steps of one episode stand or fall together, so the bootstrap draws whole episodes with
replacement, never single steps; an interval over single steps would be too narrow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

NUM_RESAMPLES = 1000
"""Bootstrap resamples behind every interval."""

LEVEL = 0.95
"""Coverage of every interval."""

Average = Literal["micro", "macro_task", "macro_episode"]
"""Mean over steps, over the means of the task names, or over the means of the episodes."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and its interval.

    Attributes:
        value: the mean; NaN when there is nothing to average.
        n: how many things were averaged (steps, episodes, plans; see the metric's definition).
        low, high: percentile bootstrap interval of 95 %; NaN like the value.
    """

    value: float
    n: int
    low: float
    high: float


EMPTY = Estimate(math.nan, 0, math.nan, math.nan)
"""The estimate of nothing."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two means on the same items, and its interval.

    Attributes:
        value: mean(a) - mean(b).
        n: number of pairs.
        low, high: percentile bootstrap interval of 95 %.
        share_positive: share of resamples in which a is above b.
    """

    value: float
    n: int
    low: float
    high: float
    share_positive: float


def bootstrap_interval(
    values: Sequence[float] | NDArray[np.float64],
    seed: int = 0,
    groups: Sequence[str] | None = None,
    *,
    resamples: int = NUM_RESAMPLES,
) -> Estimate:
    """The mean of the values with a percentile bootstrap interval.

    Args:
        values: finite numbers.
        seed: of the resampling; the same inputs give the same interval, in any order.
        groups: per value, what it is drawn together with (the episode id); by default each
            value is drawn alone.
        resamples: how many bootstrap samples to draw.

    Raises:
        ValueError: lengths differ or a value is not finite.
    """
    return grouped_mean(values, groups, seed=seed, resamples=resamples)


def paired_bootstrap(
    a: Sequence[float] | NDArray[np.float64],
    b: Sequence[float] | NDArray[np.float64],
    groups: Sequence[str] | None = None,
    seed: int = 0,
    *,
    resamples: int = NUM_RESAMPLES,
) -> Difference:
    """How far mean(a) lies above mean(b), where ``a[i]`` and ``b[i]`` score the same item.

    Args:
        a: scores of the first system.
        b: scores of the second system on the same items, in the same order.
        groups: per item, what it is drawn together with (the episode id).
        seed: of the resampling.
        resamples: how many bootstrap samples to draw.

    Raises:
        ValueError: lengths differ or a value is not finite.
    """
    first, second = _checked(a, None), _checked(b, None)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} values against {len(second)}; pairs need equal lengths")
    values = first - second
    if not len(values):
        return Difference(math.nan, 0, math.nan, math.nan, math.nan)
    names = _group_names(groups, len(values))
    means = _resampled_means(values, names, names, "micro", seed, resamples)
    low, high = _percentiles(means)
    return Difference(float(values.mean()), len(values), low, high, float(np.mean(means > 0)))


def grouped_mean(
    values: Sequence[float] | NDArray[np.float64],
    groups: Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    average: Average = "micro",
    *,
    seed: int = 0,
    resamples: int = NUM_RESAMPLES,
) -> Estimate:
    """A micro or macro mean with its interval, by whole groups.

    Args:
        values: finite numbers.
        groups: episode id per value; by default each value is its own.
        tasks: task name per value; needed by ``macro_task``. A group belongs to one task.
        average: which mean.
        seed: of the resampling.
        resamples: how many bootstrap samples to draw.
    """
    array = _checked(values, groups)
    if not len(array):
        return EMPTY
    names = _group_names(groups, len(array))
    task_names = _group_names(tasks, len(array)) if tasks is not None else names
    value = _mean(array, names, task_names, average)
    low, high = _percentiles(_resampled_means(array, names, task_names, average, seed, resamples))
    return Estimate(value, len(array), low, high)


def weighted_mean(
    values: Sequence[float] | NDArray[np.float64],
    weights: Sequence[float] | NDArray[np.float64],
    groups: Sequence[str] | None = None,
    *,
    seed: int = 0,
    resamples: int = NUM_RESAMPLES,
) -> Estimate:
    """sum(w_i v_i) / sum(w_i) with its interval, by whole groups.

    Args:
        values: finite numbers.
        weights: finite numbers with a positive sum, one a value.
        groups: per value, what it is drawn together with; by default each is drawn alone.
        seed: of the resampling.
        resamples: how many bootstrap samples to draw.

    Raises:
        ValueError: lengths differ, a value is not finite, or the weights' sum is not positive.

    Example:
        >>> weighted_mean([1.0, 0.0], [3.0, 1.0]).value
        0.75
    """
    array, loads = _checked(values, groups), _checked(weights, groups)
    if len(array) != len(loads):
        raise ValueError(f"{len(array)} values but {len(loads)} weights")
    if not len(array):
        return EMPTY
    if loads.sum() <= 0:
        raise ValueError("the sum of the weights must be positive")
    _, inverse = np.unique(_group_names(groups, len(array)), return_inverse=True)
    sums, totals = np.bincount(inverse, array * loads), np.bincount(inverse, loads)
    draws = _draws(len(sums), seed, resamples)
    drawn = draws @ totals
    # Only a weight below 0 can leave a sample without a positive sum, and then without a mean.
    is_mean = drawn > 0
    low, high = _percentiles(np.asarray((draws @ sums)[is_mean] / drawn[is_mean]))
    return Estimate(float((array * loads).sum() / loads.sum()), len(array), low, high)


def _mean(
    values: NDArray[np.float64], groups: NDArray[np.str_], tasks: NDArray[np.str_], average: Average
) -> float:
    """The mean itself, straight from its definition."""
    if average == "micro":
        return float(values.mean())
    labels = tasks if average == "macro_task" else groups
    _, inverse = np.unique(labels, return_inverse=True)
    return float((np.bincount(inverse, values) / np.bincount(inverse)).mean())


def _resampled_means(
    values: NDArray[np.float64],
    groups: NDArray[np.str_],
    tasks: NDArray[np.str_],
    average: Average,
    seed: int,
    resamples: int,
) -> NDArray[np.float64]:
    """The mean in every bootstrap sample, shape (resamples,)."""
    _, first_row, inverse = np.unique(groups, return_index=True, return_inverse=True)
    sums = np.bincount(inverse, values)
    counts = np.bincount(inverse).astype(np.float64)
    draws = _draws(len(sums), seed, resamples)
    if average == "micro":
        return np.asarray((draws @ sums) / (draws @ counts))
    if average == "macro_episode":
        return np.asarray((draws @ (sums / counts)) / len(sums))
    # A sample in which a task was never drawn has no mean for it: the others are averaged.
    order = np.argsort(tasks[first_row], kind="stable")
    _, starts = np.unique(tasks[first_row][order], return_index=True)
    task_sums = np.add.reduceat(draws[:, order] * sums[order], starts, axis=1)
    task_counts = np.add.reduceat(draws[:, order] * counts[order], starts, axis=1)
    is_drawn = task_counts > 0
    means = np.where(is_drawn, task_sums / np.where(is_drawn, task_counts, 1.0), 0.0)
    return np.asarray(means.sum(axis=1) / is_drawn.sum(axis=1))


@lru_cache(maxsize=8)
def _draws(num_groups: int, seed: int, resamples: int) -> NDArray[np.float64]:
    """How often each group is drawn in each sample, shape (resamples, num_groups); read-only."""
    rng = np.random.default_rng(seed)
    shares = np.full(num_groups, 1.0 / num_groups)
    draws = rng.multinomial(num_groups, shares, size=resamples).astype(np.float64)
    draws.flags.writeable = False
    return draws


def _percentiles(means: NDArray[np.float64]) -> tuple[float, float]:
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail])
    return float(low), float(high)


def _checked(
    values: Sequence[float] | NDArray[np.float64], groups: Sequence[str] | None
) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if groups is not None and len(groups) != len(array):
        raise ValueError(f"{len(array)} values but {len(groups)} groups")
    if not np.isfinite(array).all():
        bad = int(np.flatnonzero(~np.isfinite(array))[0])
        raise ValueError(f"value {bad} is {array[bad]}; expected finite numbers")
    return array


def _group_names(groups: Sequence[str] | None, num_values: int) -> NDArray[np.str_]:
    if groups is None:
        return np.arange(num_values).astype(np.str_)
    if len(groups) != num_values:
        raise ValueError(f"{num_values} values but {len(groups)} groups")
    return np.asarray(groups, dtype=np.str_)
