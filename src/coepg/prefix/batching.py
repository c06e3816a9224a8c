"""Which sequences share a batch: like lengths together, under a budget of padded tokens."""

from __future__ import annotations

from collections.abc import Sequence

DEFAULT_BATCH_TOKENS = 16_384
"""Padded tokens a batch where the caller names no budget."""


def batches_by_length(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Indices grouped so that ``rows * longest`` stays within the budget.

    Longest first. A single sequence over the budget gets a batch of its own.

    Example:
        >>> batches_by_length([10, 500, 12, 490], 1000)
        [[1, 3], [2, 0]]
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    batches: list[list[int]] = []
    for i in order:
        if batches and (len(batches[-1]) + 1) * lengths[batches[-1][0]] <= max_tokens:
            batches[-1].append(i)
        else:
            batches.append([i])
    return batches
