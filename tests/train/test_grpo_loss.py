import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from coepg.train.grpo_loss import grpo_loss, sequence_mean


def loss_of(logprobs, old, ref, advantages, index, n, eps=0.2, beta=0.01):
    return grpo_loss(
        torch.tensor(logprobs, requires_grad=True),
        torch.tensor(old),
        None if ref is None else torch.tensor(ref),
        torch.tensor(advantages),
        torch.tensor(index),
        n,
        clip_epsilon=eps,
        kl_beta=beta,
    )


def test_equal_policies_give_minus_mean_advantage_at_any_length():
    lp = [-0.1, -0.2, -0.3, -0.4]
    terms = loss_of(lp, lp, lp, [1.0, 1.0, 1.0, -2.0], [0, 0, 0, 1], 2)
    assert terms.loss.item() == pytest.approx(0.5)
    assert terms.ratio_mean == pytest.approx(1.0)
    assert terms.kl == pytest.approx(0.0)
    assert terms.clip_share == 0.0


def test_a_ratio_above_the_clip_range_earns_no_more():
    up = loss_of([math.log(2.0)], [0.0], None, [1.0], [0], 1)
    assert up.loss.item() == pytest.approx(-1.2)
    assert up.clip_share == 1.0


def test_a_clipped_gain_has_no_gradient_and_a_loss_beyond_the_range_has_one():
    logprobs = torch.tensor([math.log(2.0), math.log(2.0)], requires_grad=True)
    terms = grpo_loss(
        logprobs,
        torch.zeros(2),
        None,
        torch.tensor([1.0, -1.0]),
        torch.tensor([0, 1]),
        2,
        clip_epsilon=0.2,
        kl_beta=0.0,
    )
    terms.loss.backward()
    assert logprobs.grad is not None
    assert logprobs.grad[0].item() == 0.0
    assert logprobs.grad[1].item() > 0.0


def test_left_out_sequences_count_in_the_denominator():
    one = loss_of([0.0], [0.0], None, [1.0], [0], 1).loss.item()
    four = loss_of([0.0], [0.0], None, [1.0], [0], 4).loss.item()
    assert four == pytest.approx(one / 4)


@given(st.lists(st.tuples(st.floats(-5, 0), st.floats(-5, 0)), min_size=1, max_size=8))
def test_kl_estimate_is_never_negative(pairs):
    lp, ref = zip(*pairs, strict=True)
    terms = loss_of(list(lp), list(lp), list(ref), [0.0] * len(lp), [0] * len(lp), 1, beta=1.0)
    assert terms.kl >= -1e-6


def test_sequence_mean_weighs_sequences_equally():
    values = torch.tensor([1.0, 1.0, 4.0])
    assert sequence_mean(values, torch.tensor([0, 0, 1]), 2).item() == pytest.approx(2.5)
