"""Bootstrap intervals: cover the value, respect episodes, repeat exactly."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coepg.evaluate.intervals import (
    EMPTY,
    Estimate,
    bootstrap_interval,
    grouped_mean,
    paired_bootstrap,
    weighted_mean,
)

values = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@settings(max_examples=50, deadline=None)
@given(values, st.integers(0, 5))
def test_interval_lies_within_the_values(numbers: list[float], seed: int) -> None:
    groups = [str(i % 4) for i in range(len(numbers))]
    estimate = bootstrap_interval(numbers, seed, groups)
    assert estimate.value == pytest.approx(np.mean(numbers))
    assert min(numbers) - 1e-9 <= estimate.low <= estimate.high <= max(numbers) + 1e-9


@settings(max_examples=30, deadline=None)
@given(values, st.randoms())
def test_order_does_not_matter(numbers: list[float], random) -> None:
    rows = [(v, f"e{i % 3}", f"t{i % 3 % 2}") for i, v in enumerate(numbers)]
    shuffled = list(rows)
    random.shuffle(shuffled)
    for average in ("micro", "macro_task", "macro_episode"):
        first, second = (
            grouped_mean(
                [v for v, _, _ in part], [e for _, e, _ in part], [t for _, _, t in part], average
            )
            for part in (rows, shuffled)
        )
        assert first.value == pytest.approx(second.value)
        assert (first.low, first.high) == pytest.approx((second.low, second.high))


def test_same_seed_same_interval() -> None:
    numbers = [0.0, 1.0, 1.0, 0.0, 1.0]
    assert bootstrap_interval(numbers, 1) == bootstrap_interval(numbers, 1)
    many = list(np.random.default_rng(0).random(40))
    assert bootstrap_interval(many, 1) != bootstrap_interval(many, 2)


def test_episodes_are_drawn_whole() -> None:
    """Ten equal steps per episode tell no more than one: the interval is as wide as of episodes."""
    outcomes = [float(i % 2) for i in range(20)]
    per_episode = bootstrap_interval(outcomes, 0, [str(i) for i in range(20)])
    steps = [v for v in outcomes for _ in range(10)]
    ids = [str(i) for i in range(20) for _ in range(10)]
    by_episode = bootstrap_interval(steps, 0, ids)
    by_step = bootstrap_interval(steps, 0)
    assert (by_episode.low, by_episode.high) == pytest.approx((per_episode.low, per_episode.high))
    assert by_step.high - by_step.low < 0.5 * (by_episode.high - by_episode.low)


def test_width_agrees_with_theory() -> None:
    """Of 400 fair coin flips the 95 % interval is 1.96 * sqrt(.25 / 400) to either side."""
    estimate = bootstrap_interval([float(i % 2) for i in range(400)], 0, resamples=4000)
    half = 1.96 * math.sqrt(0.25 / 400)
    assert estimate.low == pytest.approx(0.5 - half, abs=0.006)
    assert estimate.high == pytest.approx(0.5 + half, abs=0.006)


def test_degenerate_inputs() -> None:
    assert bootstrap_interval([]) is EMPTY
    assert bootstrap_interval([0.3]) == Estimate(0.3, 1, 0.3, 0.3)
    assert bootstrap_interval([1.0] * 5) == Estimate(1.0, 5, 1.0, 1.0)
    one_episode = bootstrap_interval([0.0, 1.0], 0, ["e", "e"])
    assert (one_episode.low, one_episode.high) == (0.5, 0.5)


def test_macro_task_weighs_tasks_equally_in_the_interval() -> None:
    numbers = [1.0] * 50 + [0.0] * 2
    groups = [str(i) for i in range(52)]
    tasks = ["big"] * 50 + ["small"] * 2
    estimate = grouped_mean(numbers, groups, tasks, "macro_task")
    assert estimate.value == 0.5
    assert 0.5 <= estimate.high <= 1.0  # samples without the small task average the big one alone


def test_paired_difference() -> None:
    rng = np.random.default_rng(0)
    base = rng.random(200)
    better = base + 0.05 + 0.01 * rng.standard_normal(200)
    difference = paired_bootstrap(better, base)
    assert difference.value == pytest.approx(0.05, abs=0.01)
    assert 0 < difference.low < difference.high
    assert difference.share_positive == 1.0
    swapped = paired_bootstrap(base, better)
    assert swapped.value == pytest.approx(-difference.value)
    assert swapped.share_positive == 0.0


def test_paired_difference_of_equals_and_of_nothing() -> None:
    same = paired_bootstrap([0.2, 0.8], [0.2, 0.8], ["a", "b"])
    assert (same.value, same.low, same.high, same.share_positive) == (0.0, 0.0, 0.0, 0.0)
    assert paired_bootstrap([], []).n == 0


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: bootstrap_interval([1.0], 0, ["a", "b"]), "1 values but 2 groups"),
        (lambda: bootstrap_interval([0.0, math.nan]), "value 1 is nan"),
        (lambda: paired_bootstrap([1.0], [1.0, 2.0]), "1 values against 2"),
        (lambda: paired_bootstrap([1.0], [1.0], ["a", "b"]), "1 values but 2 groups"),
    ],
)
def test_mistakes_are_named(call, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        call()


def test_weighted_mean_by_hand() -> None:
    estimate = weighted_mean([1.0, 0.0, 0.5], [3.0, 1.0, 4.0])
    assert (estimate.value, estimate.n) == (5 / 8, 3)
    assert weighted_mean([], []) is EMPTY
    with pytest.raises(ValueError, match="1 weights"):
        weighted_mean([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="must be positive"):
        weighted_mean([1.0], [-0.9])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0.1, 10))
def test_equal_weights_give_the_plain_mean_and_interval(values: list[float], weight: float) -> None:
    weighted = weighted_mean(values, [weight] * len(values))
    plain = bootstrap_interval(values)
    assert weighted.value == pytest.approx(plain.value)
    assert (weighted.low, weighted.high) == pytest.approx((plain.low, plain.high))
