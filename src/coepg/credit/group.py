"""Group-relative advantages of GRPO: each answer against the other answers to the same step."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

VARIANCE_TOLERANCE = 1e-8
"""Rewards whose largest and smallest differ by no more than this count as equal."""


def zero_variance(rewards: Sequence[float | None], tolerance: float = VARIANCE_TOLERANCE) -> bool:
    """Whether a group carries no gradient: its scored rewards are all equal, or fewer than two.

    Args:
        rewards: one per sampled answer; None for an answer that could not be scored.
        tolerance: how far apart rewards may lie and still count as equal.

    Raises:
        ValueError: a reward is NaN or infinite.
    """
    scored = _scored(rewards)
    return len(scored) < 2 or max(scored) - min(scored) <= tolerance


def group_advantages(rewards: Sequence[float | None], epsilon: float = 1e-4) -> list[float | None]:
    """Z-scores within a group (Co-EPG section 4.3; GRPO).

        A_i = (r_i - mean(r)) / (std(r) + epsilon)

    mean and std run over the G scored rewards r of the group; std is the population's (divided
    by G), so that |A_i| < sqrt(G - 1) plus rounding, and the advantages sum to 0. A group without
    variance (see `zero_variance`) has advantages of exactly 0.

    Args:
        rewards: one per sampled answer; None for an answer that could not be scored, which takes
            no part and stays None.
        epsilon: keeps the quotient small where the spread is tiny; at least 0.

    Raises:
        ValueError: a reward is NaN or infinite, or epsilon is negative.

    Example:
        >>> group_advantages([1.0, None, 0.0], epsilon=0.0)
        [1.0, None, -1.0]
    """
    _check_epsilon(epsilon)
    scored = _scored(rewards)
    if zero_variance(rewards):
        return [None if r is None else 0.0 for r in rewards]
    mean = math.fsum(scored) / len(scored)
    std = math.sqrt(math.fsum((r - mean) ** 2 for r in scored) / len(scored))
    return [None if r is None else (r - mean) / (std + epsilon) for r in rewards]


def group_advantages_array(
    rewards: NDArray[np.float64], epsilon: float = 1e-4
) -> NDArray[np.float64]:
    """`group_advantages` of many groups at once.

    Args:
        rewards: shape (num_groups, group_size); NaN for an answer that could not be scored.
        epsilon: as there.

    Returns:
        An array of the same shape, NaN where the reward is NaN.
    """
    _check_epsilon(epsilon)
    if rewards.ndim != 2:
        raise ValueError(f"rewards have {rewards.ndim} axes; expected (num_groups, group_size)")
    if np.isinf(rewards).any():
        raise ValueError("a reward is infinite")
    is_scored = ~np.isnan(rewards)
    counts = is_scored.sum(axis=1, keepdims=True)
    filled = np.where(is_scored, rewards, 0.0)
    mean = filled.sum(axis=1, keepdims=True) / np.maximum(counts, 1)
    deviation = np.where(is_scored, rewards - mean, 0.0)
    std = np.sqrt((deviation**2).sum(axis=1, keepdims=True) / np.maximum(counts, 1))
    high = np.where(is_scored, rewards, -np.inf).max(axis=1, keepdims=True, initial=-np.inf)
    low = np.where(is_scored, rewards, np.inf).min(axis=1, keepdims=True, initial=np.inf)
    is_flat = (counts < 2) | (high - low <= VARIANCE_TOLERANCE)
    advantages = np.where(is_flat, 0.0, deviation / np.where(is_flat, 1.0, std + epsilon))
    return np.where(is_scored, advantages, np.nan)


def _scored(rewards: Sequence[float | None]) -> list[float]:
    """The rewards that exist, checked."""
    for index, reward in enumerate(rewards):
        if reward is not None and not math.isfinite(reward):
            raise ValueError(f"reward {index} is {reward}; expected a finite number or None")
    return [reward for reward in rewards if reward is not None]


def _check_epsilon(epsilon: float) -> None:
    if not (math.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon is {epsilon}; expected a finite number, at least 0")
