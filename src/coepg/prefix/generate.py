"""Sampling answers: one row per tree, the screenshot encoded and cached once.

All branches and samples of a tree live in its one row of the KV cache. The first pass reads
``[prefix | prompt 1 | prompt 2 | ...]``; every further pass feeds one new token per unfinished
answer, side by side in the row, under a mask that shows each token its prefix, its own branch's
prompt and its own answer so far. The prefix is thus neither computed nor stored nor read once per
sample, which is what makes many answers on one large screenshot cheap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from coepg.prefix.backbone import attention_mask, base_model, cache_argument, forward_with_head
from coepg.prefix.batching import DEFAULT_BATCH_TOKENS, batches_by_length
from coepg.prefix.distribution import choose, placeholder_ids, sampling_logprobs
from coepg.prefix.pack import PackedBatch, pack
from coepg.prefix.tree import Branch, Tree

if TYPE_CHECKING:
    from coepg.models.local.load import LocalModel

_PREFIX, _NOBODY = -1, -9


@dataclass(frozen=True, slots=True)
class Generated:
    """One sampled answer.

    Attributes:
        token_ids: as sampled, end token included.
        token_logprobs: natural log, at the sampling temperature (greedy: at temperature 1).
        finished: False if ``max_tokens`` cut it.
    """

    token_ids: tuple[int, ...]
    token_logprobs: tuple[float, ...]
    finished: bool


@contextmanager
def inference(model: Any) -> Iterator[None]:
    """No gradients and no dropout inside; the model's mode is restored after."""
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(was_training)


def generate(
    local: LocalModel,
    trees: Sequence[Tree],
    *,
    num_samples: int,
    temperature: float,
    max_tokens: int,
    seed: int,
    forbid_ids: Sequence[int] = (),
    max_batch_tokens: int = DEFAULT_BATCH_TOKENS,
    first_tree: int = 0,
) -> list[list[list[Generated]]]:
    """Sample answers to every branch of every tree.

    Sampling is never truncated (no top-k, no top-p); placeholders of pictures and ``forbid_ids``
    are barred, in the log-probabilities too. Random numbers belong to (seed, tree's place in
    ``trees``, branch, sample, step): how trees are batched does not change what is drawn.

    Args:
        local: the model.
        trees: branches with their ``prompt_ids``; their answers are ignored.
        num_samples: answers per branch.
        temperature: 0 is greedy.
        max_tokens: longest answer, end token included.
        seed: of the random numbers.
        forbid_ids: ids that must not be sampled.
        max_batch_tokens: padded tokens in the cache of one batch.
        first_tree: place of ``trees[0]`` in a longer list that is asked in several calls.

    Returns:
        Per tree, per branch, per sample.
    """
    if num_samples < 1 or max_tokens < 1:
        raise ValueError(
            f"num_samples {num_samples} and max_tokens {max_tokens} must be at least 1"
        )
    questions = [
        replace(t, branches=tuple(Branch(b.prompt_ids) for b in t.branches)) for t in trees
    ]
    lengths = [
        len(t.prefix_ids) + sum(len(b.prompt_ids) + num_samples * max_tokens for b in t.branches)
        for t in questions
    ]
    barred = (*placeholder_ids(base_model(local.model).config), *forbid_ids)
    results: list[list[list[Generated]]] = [[] for _ in trees]
    with inference(local.model):
        for indices in batches_by_length(lengths, max_batch_tokens):
            uniforms = [
                _uniforms(seed, first_tree + i, len(trees[i].branches), num_samples, max_tokens)
                for i in (indices if temperature > 0 else ())
            ]
            decoder = _Decoder(local, [questions[i] for i in indices], num_samples)
            answers = decoder.run(
                temperature, max_tokens, barred, torch.cat(uniforms) if uniforms else None
            )
            for i in indices:
                count = len(trees[i].branches) * num_samples
                mine, answers = answers[:count], answers[count:]
                results[i] = [mine[k : k + num_samples] for k in range(0, count, num_samples)]
    return results


def _uniforms(seed: int, tree: int, branches: int, samples: int, steps: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed((seed * 1_000_003 + tree) % 2**63)
    return torch.rand(branches * samples, steps, generator=generator, dtype=torch.float64)


class _Decoder:
    """The growing rows of one batch.

    Every answer (tree, branch, sample) has a number ``n``. ``branch_of_key`` says for each cached
    token which branch's prompt it belongs to (`_PREFIX` for the prefix, `_NOBODY` for answers and
    padding); ``answer_of_key`` says for each token of an answer whose it is.
    """

    def __init__(self, local: LocalModel, trees: Sequence[Tree], num_samples: int) -> None:
        from transformers import DynamicCache

        self.local = local
        self.cache: Any = DynamicCache()
        self.cache_name = cache_argument(local.model)
        batch = pack(
            trees,
            image_token_id=local.image_token_id,
            pad_token_id=local.pad_id,
            merge=local.merge,
        ).to(local.device)
        tree, branch, last = _branch_ends(trees)
        self.tree = tree.repeat_interleave(num_samples).to(local.device)
        self.branch = branch.repeat_interleave(num_samples).to(local.device)
        last = last.repeat_interleave(num_samples).to(local.device)
        # The last picture token has the largest row and column: the maximum over the axes is the
        # last position used, whatever the last token is.
        self.position = batch.position_ids[:, self.tree, last].amax(dim=0) + 1
        self.branch_of_key = batch.branch_index.masked_fill(batch.branch_index == -2, _NOBODY)
        self.answer_of_key = torch.full_like(self.branch_of_key, _NOBODY)
        self.row_of_tree = torch.arange(len(trees), device=local.device)
        self.logits = self._read(batch, last)

    def _read(self, batch: PackedBatch, last: torch.Tensor) -> torch.Tensor:
        inputs = batch.model_inputs()
        inputs["attention_mask"] = attention_mask(self.local.model, inputs["attention_mask"])
        inputs |= {self.cache_name: self.cache, "use_cache": True}
        return forward_with_head(
            self.local.model, inputs, lambda own, hidden: own(hidden[self.tree, last])
        )

    def run(
        self,
        temperature: float,
        max_tokens: int,
        barred: Sequence[int],
        uniforms: torch.Tensor | None,
    ) -> list[Generated]:
        """Decode until every answer has ended or has ``max_tokens`` tokens."""
        device = self.local.device
        count = len(self.tree)
        uniforms = None if uniforms is None else uniforms.to(device)
        eos = torch.tensor(sorted(self.local.eos_ids), device=device)
        ids = torch.full((count, max_tokens), self.local.pad_id, device=device)
        logprobs = torch.zeros(count, max_tokens, device=device)
        length = torch.full((count,), max_tokens, device=device)
        finished = torch.zeros(count, dtype=torch.bool, device=device)
        live = torch.arange(count, device=device)
        for step in range(max_tokens):
            distribution = sampling_logprobs(self.logits, temperature, barred)
            token = choose(distribution, None if uniforms is None else uniforms[live, step])
            ids[live, step] = token
            logprobs[live, step] = distribution.gather(1, token[:, None])[:, 0]
            ended = torch.isin(token, eos)
            finished[live[ended]] = True
            length[live[ended]] = step + 1
            live, token = live[~ended], token[~ended]
            if step + 1 == max_tokens or not len(live):
                break
            self.logits = self._advance(live, token, step)
        rows = zip(ids.tolist(), logprobs.tolist(), length.tolist(), finished.tolist(), strict=True)
        return [Generated(tuple(i[:n]), tuple(p[:n]), f) for i, p, n, f in rows]

    def _advance(self, live: torch.Tensor, token: torch.Tensor, step: int) -> torch.Tensor:
        """Feed one token of every live answer; the logits of their next tokens."""
        self._drop_finished_rows(live)
        row = self.row_of_tree[self.tree[live]]
        col, width = _columns(row)
        shape = (len(self.branch_of_key), width)
        ids = torch.full(shape, self.local.pad_id, device=row.device)
        answer = torch.full(shape, _NOBODY, device=row.device)
        branch = torch.full(shape, _NOBODY, device=row.device)
        position = torch.zeros(shape, dtype=torch.long, device=row.device)
        ids[row, col] = token
        answer[row, col] = live
        branch[row, col] = self.branch[live]
        position[row, col] = self.position[live] + step
        self.branch_of_key = torch.cat([self.branch_of_key, torch.full_like(ids, _NOBODY)], 1)
        self.answer_of_key = torch.cat([self.answer_of_key, answer], 1)
        visible = self._visible(branch, answer)
        inputs = {
            "input_ids": ids,
            "position_ids": position.expand(3, -1, -1),
            "attention_mask": attention_mask(self.local.model, visible),
            "use_cache": True,
            self.cache_name: self.cache,
        }
        return forward_with_head(
            self.local.model, inputs, lambda own, hidden: own(hidden[row, col])
        )

    def _visible(self, branch: torch.Tensor, answer: torch.Tensor) -> torch.Tensor:
        """``(rows, 1, queries, keys)``; padding queries see padding only."""
        keys_branch, keys_answer = self.branch_of_key[:, None], self.answer_of_key[:, None]
        real = (answer != _NOBODY)[:, :, None]
        own = (keys_answer == answer[:, :, None]) & (keys_answer != _NOBODY)
        prompt = (keys_branch == _PREFIX) | (
            (keys_branch == branch[:, :, None]) & (keys_branch != _NOBODY)
        )
        visible = torch.where(real, own | prompt, keys_answer == _NOBODY)
        return visible[:, None]

    def _drop_finished_rows(self, live: torch.Tensor) -> None:
        """Forget trees whose answers have all ended, once they are half of the batch."""
        kept = self.row_of_tree[self.tree[live]].unique()
        if 2 * len(kept) > len(self.branch_of_key):
            return
        self.cache.batch_select_indices(kept)
        self.branch_of_key = self.branch_of_key[kept]
        self.answer_of_key = self.answer_of_key[kept]
        place = torch.full_like(self.row_of_tree, _NOBODY)
        still = torch.isin(self.row_of_tree, kept)
        place[still] = torch.searchsorted(kept, self.row_of_tree[still])
        self.row_of_tree = place


def _branch_ends(trees: Sequence[Tree]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Per branch: its tree, its number in the tree, and the column of its last token."""
    rows: list[tuple[int, int, int]] = []
    for t, tree in enumerate(trees):
        end = len(tree.prefix_ids)
        for b, branch in enumerate(tree.branches):
            end += len(branch.prompt_ids)
            rows.append((t, b, end - 1 if branch.prompt_ids else len(tree.prefix_ids) - 1))
    place, number, last = torch.tensor(rows, dtype=torch.long).view(-1, 3).unbind(1)
    return place, number, last


def _columns(row: torch.Tensor) -> tuple[torch.Tensor, int]:
    """Number the entries of each row from 0; ``row`` is sorted. Also the longest row's length."""
    counts = torch.bincount(row)
    starts = counts.cumsum(0) - counts
    col = torch.arange(len(row), device=row.device) - starts[row]
    return col, int(counts.max())
