"""Group advantages: z-scores, missing rewards, groups without variance."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.credit import group_advantages, group_advantages_array, zero_variance

rewards = st.lists(st.none() | st.floats(0, 1), max_size=12)


def test_worked_example() -> None:
    # mean 0.5, population std 0.5
    assert group_advantages([1, 0, 1, 0], epsilon=0.0) == [1, -1, 1, -1]
    # three of four right: mean 0.75, std sqrt(3)/4
    advantages = group_advantages([1, 1, 1, 0], epsilon=0.0)
    assert advantages == pytest.approx([1 / math.sqrt(3)] * 3 + [-math.sqrt(3)])


def test_missing_reward_takes_no_part() -> None:
    assert group_advantages([1.0, None, 0.0], epsilon=0.0) == [1.0, None, -1.0]


@pytest.mark.parametrize("group", [[], [None], [0.7], [None, 0.7], [1.0, 1.0], [0.3, None, 0.3]])
def test_group_without_variance_has_exact_zeros(group: list[float | None]) -> None:
    assert zero_variance(group)
    assert group_advantages(group) == [None if r is None else 0.0 for r in group]


def test_rounding_is_no_variance() -> None:
    assert zero_variance([1.0, 1.0 - 1e-12])
    assert not zero_variance([1.0, 0.99])
    assert zero_variance([1.0, 0.99], tolerance=0.1)


@given(rewards)
def test_centred_bounded_and_in_the_order_of_rewards(group: list[float | None]) -> None:
    advantages = group_advantages(group)
    assert [a is None for a in advantages] == [r is None for r in group]
    pairs = [(r, a) for r, a in zip(group, advantages, strict=True) if a is not None]
    scored = [a for _, a in pairs]
    assert math.fsum(scored) == pytest.approx(0.0, abs=1e-6)
    if scored:
        assert max(abs(a) for a in scored) <= math.sqrt(max(len(scored) - 1, 0)) + 1e-6
    ordered = [a for _, a in sorted(pairs)]
    assert ordered == sorted(ordered)


@given(rewards, st.randoms())
def test_permuting_rewards_permutes_advantages(group, random) -> None:
    order = list(range(len(group)))
    random.shuffle(order)
    shuffled = group_advantages([group[i] for i in order])
    assert shuffled == [group_advantages(group)[i] for i in order]


@given(st.lists(st.floats(0, 1), min_size=2), st.floats(0.1, 10), st.floats(-5, 5))
def test_scale_and_shift_do_not_matter_without_epsilon(group, scale, shift) -> None:
    if max(group) - min(group) < 1e-3:
        return
    moved = [scale * r + shift for r in group]
    assert group_advantages(moved, 0.0) == pytest.approx(group_advantages(group, 0.0), abs=1e-6)


@given(st.lists(st.lists(st.none() | st.floats(0, 1), min_size=5, max_size=5), max_size=6))
def test_array_agrees_with_the_plain_version(groups: list[list[float | None]]) -> None:
    array = np.array(groups, dtype=np.float64).reshape(-1, 5)  # None becomes NaN
    expected = np.array([group_advantages(g) for g in groups], dtype=np.float64).reshape(-1, 5)
    np.testing.assert_allclose(group_advantages_array(array), expected, atol=1e-7)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_rejects_what_is_no_reward(bad: float) -> None:
    for function in (group_advantages, zero_variance):
        with pytest.raises(ValueError, match="reward 1 is"):
            function([0.0, bad])
    with pytest.raises(ValueError, match="infinite"):
        group_advantages_array(np.array([[0.0, math.inf]]))
    with pytest.raises(ValueError, match="axes"):
        group_advantages_array(np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="epsilon"):
        group_advantages([0.0, 1.0], epsilon=-1.0)
