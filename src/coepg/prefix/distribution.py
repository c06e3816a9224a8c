"""The one distribution that answers are sampled from and scored with.

Sampling and scoring must agree to the last bit of definition, or importance ratios are not 1 on
fresh samples. So both go through `sampling_logprobs`: logits over the temperature, placeholders
of pictures barred, softmax over everything else; no top-k, no top-p.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

_PLACEHOLDERS = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")


def placeholder_ids(config: Any) -> tuple[int, ...]:
    """The ids that stand for pictures in a prompt and mean nothing in an answer.

    A sampled one would be taken for a picture when the answer is fed back.
    """
    found = (getattr(config, name, None) for name in _PLACEHOLDERS)
    return tuple(sorted({int(i) for i in found if i is not None}))


def bar(logits: torch.Tensor, barred_ids: Iterable[int]) -> torch.Tensor:
    """``logits`` with minus infinity at the barred ids of the last axis."""
    ids = torch.tensor(sorted(set(barred_ids)), dtype=torch.long, device=logits.device)
    return logits.index_fill(-1, ids, float("-inf")) if len(ids) else logits


def sampling_logprobs(
    logits: torch.Tensor, temperature: float, barred_ids: Iterable[int]
) -> torch.Tensor:
    """Natural-log probabilities of the next token, float32.

    Args:
        logits: ``(..., vocab)``.
        temperature: 0 (greedy) is scored at temperature 1.
        barred_ids: ids of probability 0.
    """
    if temperature < 0:
        raise ValueError(f"temperature {temperature}: must be at least 0")
    scaled = logits.float() / (temperature or 1.0)
    return torch.log_softmax(bar(scaled, barred_ids), dim=-1)


def choose(
    logprobs: torch.Tensor, uniforms: torch.Tensor | None, max_rows: int = 64
) -> torch.Tensor:
    """One id per row: the likeliest, or by inverting the cumulative distribution.

    Inverting uses one number a row, so that a sample depends on its own numbers only and not on
    what else is in the batch.

    Args:
        logprobs: ``(rows, vocab)``.
        uniforms: ``(rows,)`` float64 in [0, 1), or None for the likeliest (the first of equals).
        max_rows: rows worked on at a time; bounds the float64 copy of the distribution.
    """
    if uniforms is None:
        return logprobs.argmax(dim=-1)
    chosen = []
    for part, u in zip(logprobs.split(max_rows), uniforms.split(max_rows), strict=True):
        cumulative = part.double().exp().cumsum(dim=-1)
        total = cumulative[:, -1:]
        # Strictly below the total, so that the search never lands behind the last possible id.
        target = torch.minimum(u[:, None] * total, torch.nextafter(total, torch.zeros_like(total)))
        chosen.append(torch.searchsorted(cumulative, target, right=True)[:, 0])
    return torch.cat(chosen) if chosen else logprobs.argmax(dim=-1)
