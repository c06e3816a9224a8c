"""Scoring answers: the log-probability of every token of given answers, in packed batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from coepg.prefix.batching import DEFAULT_BATCH_TOKENS, batches_by_length
from coepg.prefix.generate import inference
from coepg.prefix.pack import answer_logprobs, pack
from coepg.prefix.tree import Tree

if TYPE_CHECKING:
    from coepg.models.local.load import LocalModel


def score_answers(
    local: LocalModel,
    trees: Sequence[Tree],
    temperature: float = 1.0,
    *,
    forbid_ids: Sequence[int] = (),
    max_batch_tokens: int = DEFAULT_BATCH_TOKENS,
) -> list[list[list[float]]]:
    """Natural-log probabilities of the answers' tokens, as `generate` would report them.

    Args:
        local: the model.
        trees: branches with ``answer_ids``.
        temperature: of the distribution; 0 is scored at 1.
        forbid_ids: as given to `generate`.
        max_batch_tokens: padded tokens a batch.

    Returns:
        Per tree, per branch, one number per token of the answer.
    """
    results: list[list[list[float]]] = [[] for _ in trees]
    lengths = [len(t.prefix_ids) + sum(len(b.token_ids) for b in t.branches) for t in trees]
    with inference(local.model):
        for indices in batches_by_length(lengths, max_batch_tokens):
            batch = pack(
                [trees[i] for i in indices],
                image_token_id=local.image_token_id,
                pad_token_id=local.pad_id,
                merge=local.merge,
            ).to(local.device)
            values = iter(answer_logprobs(local.model, batch, temperature, forbid_ids).tolist())
            for i in indices:
                results[i] = [[next(values) for _ in b.answer_ids] for b in trees[i].branches]
    return results
