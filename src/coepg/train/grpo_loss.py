"""The GRPO loss as pure functions of per-token log-probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class GrpoTerms:
    """What the loss is made of, for logs.

    Attributes:
        loss: to be minimised.
        kl: mean over tokens of the KL estimate.
        ratio_mean: mean importance ratio before clipping (1 on fresh samples).
        clip_share: share of tokens whose ratio was clipped.
    """

    loss: torch.Tensor
    kl: float
    ratio_mean: float
    clip_share: float


def sequence_mean(
    values: torch.Tensor, sequence_index: torch.Tensor, num_sequences: int
) -> torch.Tensor:
    """Mean over the tokens of each sequence, then the sum over sequences divided by their number.

    Args:
        values: ``(num_tokens,)``.
        sequence_index: ``(num_tokens,)`` which sequence each token belongs to.
        num_sequences: the denominator (sequences without tokens here count as 0).
    """
    counts = torch.bincount(sequence_index, minlength=num_sequences).clamp(min=1)
    return (values / counts[sequence_index]).sum() / num_sequences


def grpo_loss(
    logprobs: torch.Tensor,
    old_logprobs: torch.Tensor,
    ref_logprobs: torch.Tensor | None,
    advantages: torch.Tensor,
    sequence_index: torch.Tensor,
    num_sequences: int,
    *,
    clip_epsilon: float,
    kl_beta: float,
) -> GrpoTerms:
    """GRPO with a clipped ratio and a KL term (DeepSeekMath, equations 3 and 4).

        J = 1/N sum_i 1/|o_i| sum_t [ min(rho A_i, clip(rho, 1-eps, 1+eps) A_i) - beta KL_t ]
        rho = exp(logpi - logpi_old)
        KL_t = exp(logpi_ref - logpi) - (logpi_ref - logpi) - 1

    Args:
        logprobs: ``(num_tokens,)`` under the current weights, with gradient.
        old_logprobs: ``(num_tokens,)`` under the weights that sampled.
        ref_logprobs: ``(num_tokens,)`` under the reference (the SFT planner), or None without KL.
        advantages: ``(num_tokens,)`` the advantage of each token's sequence.
        sequence_index: ``(num_tokens,)``.
        num_sequences: N, zero-variance sequences that were left out included.
        clip_epsilon: eps.
        kl_beta: beta.
    """
    ratio = torch.exp(logprobs - old_logprobs)
    clipped = ratio.clamp(1 - clip_epsilon, 1 + clip_epsilon)
    gain = torch.minimum(ratio * advantages, clipped * advantages)
    kl = torch.zeros_like(logprobs)
    if ref_logprobs is not None and kl_beta > 0:
        gap = ref_logprobs - logprobs
        kl = torch.exp(gap) - gap - 1
    loss = -sequence_mean(gain - kl_beta * kl, sequence_index, num_sequences)
    return GrpoTerms(
        loss=loss,
        kl=float(kl.detach().mean()),
        ratio_mean=float(ratio.detach().mean()),
        clip_share=float((ratio != clipped).float().mean()),
    )
