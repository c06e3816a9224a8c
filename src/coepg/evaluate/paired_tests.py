"""Tests of whether two systems differ on the same items, and correction for many of them.

Items of one group (the steps of an episode) are flipped together, as the bootstrap of
`coepg.evaluate.intervals` draws them together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

NUM_FLIPS = 10_000
"""Random sign flips where not all can be gone through."""

MAX_EXACT_GROUPS = 14
"""Up to this many groups that differ, all 2^n sign flips are gone through."""

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How surprising a difference is if the two systems were exchangeable.

    Attributes:
        p_value: two-sided.
        method: which test, for reports.
        num_differing: number of groups whose difference is not 0.
    """

    p_value: float
    method: str
    num_differing: int


def sign_flip_test(
    differences: Sequence[float] | NDArray[np.float64],
    groups: Sequence[str] | None = None,
    *,
    seed: int = 0,
    num_flips: int = NUM_FLIPS,
) -> PairedTest:
    """The paired permutation test (Fisher's sign-flip test).

    Under the null hypothesis each group's difference D_g could as well have been -D_g. With
    T = |sum_g D_g|, the p-value is the share of sign vectors s for which |sum_g s_g D_g| >= T:

    * if all non-zero |D_g| are equal, as for 0/1 scores of single steps, the count of positive
      ones is binomial, and the test is McNemar's exact test;
    * up to `MAX_EXACT_GROUPS` differing groups, all sign vectors are gone through;
    * else ``num_flips`` of them are drawn, and p = (1 + count) / (1 + num_flips).

    Args:
        differences: a_i - b_i for the items i.
        groups: per item, what is flipped together with it; by default each item alone.
        seed: of the random flips.
        num_flips: how many.

    Raises:
        ValueError: lengths differ or a value is not finite.

    Example:
        >>> sign_flip_test([1, 1, 1, 1, 1, 0, 0]).p_value
        0.0625
    """
    sums = _group_sums(np.asarray(differences, dtype=np.float64), groups)
    sums = sums[np.abs(sums) > 1e-12]
    if not len(sums):
        return PairedTest(1.0, "no step differs", 0)
    magnitudes = np.abs(sums)
    if np.allclose(magnitudes, magnitudes[0], rtol=1e-9, atol=0):
        p_value = _binomial_two_sided(int((sums > 0).sum()), len(sums))
        return PairedTest(p_value, "exact binomial (McNemar)", len(sums))
    observed = abs(sums.sum()) - 1e-9 * magnitudes.sum()
    if len(sums) <= MAX_EXACT_GROUPS:
        flips = np.array(np.meshgrid(*[[1.0, -1.0]] * len(sums), indexing="ij"))
        totals = np.abs(sums @ flips.reshape(len(sums), -1))
        return PairedTest(float(np.mean(totals >= observed)), "exact sign flips", len(sums))
    rng = np.random.default_rng(seed)
    count, left = 0, num_flips
    while left > 0:
        size = min(_CHUNK, left)
        signs = rng.integers(0, 2, size=(size, len(sums))) * 2.0 - 1.0
        count += int((np.abs(signs @ sums) >= observed).sum())
        left -= size
    return PairedTest((1 + count) / (1 + num_flips), f"{num_flips} sign flips", len(sums))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number, by Holm's step-down rule.

    With p_(1) <= ... <= p_(m), the k-th becomes max over j <= k of min(1, (m - j + 1) p_(j)). It
    bounds the chance of one false finding among all of them, whatever their dependence (Holm,
    1979).

    Example:
        >>> holm([0.01, 0.04, 0.03])
        [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda k: p_values[k])
    corrected = [0.0] * len(p_values)
    highest = 0.0
    for rank, k in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[k]))
        corrected[k] = highest
    return corrected


def _group_sums(values: NDArray[np.float64], groups: Sequence[str] | None) -> NDArray[np.float64]:
    if not np.isfinite(values).all():
        raise ValueError("differences must be finite numbers")
    if groups is None:
        return values
    if len(groups) != len(values):
        raise ValueError(f"{len(values)} values but {len(groups)} groups")
    if not len(values):
        return values
    _, inverse = np.unique(np.asarray(groups, dtype=np.str_), return_inverse=True)
    return np.bincount(inverse, values).astype(np.float64)


def _binomial_two_sided(num_positive: int, n: int) -> float:
    """Two-sided p-value of ``num_positive`` heads in n throws of a fair coin."""
    tail = min(num_positive, n - num_positive)
    count = sum(math.comb(n, k) for k in range(tail + 1))
    return float(min(Fraction(1), Fraction(2 * count, 2**n)))
