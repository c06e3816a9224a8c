"""Packing: prefix and branches in one sequence, a tree mask, and restarted positions.

Each tree becomes one row ``[prefix | branch 1 | branch 2 | ...]``. A token sees its prefix and
the earlier tokens of its own branch, never another branch; the positions of every branch restart
where the prefix ends. The result of the one packed pass thus equals that of the separate
sequences ``prefix + branch i`` (tests/prefix/test_equality.py), while the screenshot is encoded
once instead of once per branch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils.checkpoint import checkpoint

from coepg.prefix.backbone import Head, attention_mask, base_model, forward_with_head
from coepg.prefix.distribution import placeholder_ids, sampling_logprobs
from coepg.prefix.tree import Tree, num_tokens

MAX_LOGITS = 2**26
"""Logits held at a time: 256 MB in float32, 441 answer tokens of Qwen's vocabulary."""


@dataclass(slots=True)
class PackedBatch:
    """Rows of packed trees. B rows, S tokens a row, padded on the right.

    Attributes:
        input_ids: ``(B, S)``.
        branch_index: ``(B, S)``: -2 padding, -1 prefix, otherwise the branch's number in its row.
        position_ids: ``(3, B, S)`` for multimodal rotary positions.
        answer_mask: ``(B, S)`` True where the token is part of an answer.
        answer_weight: ``(B, S)`` the branch's weight on answer tokens, else 0.
        pixel_values, image_grid_thw: the pictures, one after another, or None.
        mm_token_type_ids: ``(B, S)`` 1 on image placeholders.
    """

    input_ids: torch.Tensor
    branch_index: torch.Tensor
    position_ids: torch.Tensor
    answer_mask: torch.Tensor
    answer_weight: torch.Tensor
    pixel_values: torch.Tensor | None
    image_grid_thw: torch.Tensor | None
    mm_token_type_ids: torch.Tensor

    def model_inputs(self) -> dict[str, Any]:
        """The keyword arguments of a Qwen-VL model's forward."""
        return {
            "input_ids": self.input_ids,
            "position_ids": self.position_ids,
            "attention_mask": tree_mask(self.branch_index),
            "pixel_values": self.pixel_values,
            "image_grid_thw": self.image_grid_thw,
            "mm_token_type_ids": self.mm_token_type_ids,
        }

    def to(self, device: torch.device | str) -> PackedBatch:
        """The same batch on another device."""
        values: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        moved: dict[str, Any] = {k: v if v is None else v.to(device) for k, v in values.items()}
        return PackedBatch(**moved)


def prefix_positions(
    prefix_ids: Sequence[int], image_grid_thw: torch.Tensor | None, image_token_id: int, merge: int
) -> tuple[torch.Tensor, int]:
    """Multimodal rotary positions of a prefix with at most one picture.

    Text tokens count up by one on all three axes. The picture's tokens share one time position
    and carry their row and column on the other two; the text after it goes on from the largest
    position used (the rule of Qwen2-VL and its successors for one still picture).

    Returns:
        ``(3, len(prefix))`` int64, and the position of the token that follows.
    """
    ids = torch.tensor(prefix_ids)
    count = int((ids == image_token_id).sum())
    if count == 0:
        line = torch.arange(len(prefix_ids))
        return line.expand(3, -1).clone(), len(prefix_ids)
    if image_grid_thw is None:
        raise ValueError(f"the prefix has {count} image tokens but no picture")
    rows, cols = (int(v) // merge for v in image_grid_thw[0, 1:])
    if rows * cols != count:
        raise ValueError(f"the prefix has {count} image tokens, its picture needs {rows * cols}")
    start = int((ids == image_token_id).nonzero()[0])
    if not bool((ids[start : start + count] == image_token_id).all()):
        raise ValueError("the image tokens of a prefix must follow one another")
    positions = torch.empty(3, len(prefix_ids), dtype=torch.long)
    positions[:, :start] = torch.arange(start)
    grid = torch.stack(torch.meshgrid(torch.arange(rows), torch.arange(cols), indexing="ij")).view(
        2, -1
    )
    positions[0, start : start + count] = start
    positions[1:, start : start + count] = start + grid
    after = start + max(rows, cols)
    rest = len(prefix_ids) - start - count
    positions[:, start + count :] = after + torch.arange(rest)
    return positions, after + rest


def tree_mask(branch_index: torch.Tensor) -> torch.Tensor:
    """The attention mask of packed rows: ``(B, 1, S, S)``, True where a query may look.

    A key is visible if it is not later than the query and lies in the prefix or in the query's
    own branch. Padding sees itself only, so that no softmax is empty.
    """
    size = branch_index.shape[1]
    causal = torch.ones(size, size, dtype=torch.bool, device=branch_index.device).tril()
    key, query = branch_index[:, None, :], branch_index[:, :, None]
    visible = causal & ((key == -1) | (key == query)) & (query != -2)
    visible |= torch.eye(size, dtype=torch.bool, device=branch_index.device)
    return visible[:, None]


def pack(
    trees: Sequence[Tree], *, image_token_id: int, pad_token_id: int, merge: int
) -> PackedBatch:
    """Pack trees into rows, one tree a row."""
    rows, size = len(trees), max(map(num_tokens, trees))
    ids = torch.full((rows, size), pad_token_id, dtype=torch.long)
    branch_index = torch.full((rows, size), -2, dtype=torch.long)
    positions = torch.zeros(3, rows, size, dtype=torch.long)
    answer_mask = torch.zeros(rows, size, dtype=torch.bool)
    answer_weight = torch.zeros(rows, size)
    for r, tree in enumerate(trees):
        at = len(tree.prefix_ids)
        ids[r, :at] = torch.tensor(tree.prefix_ids)
        branch_index[r, :at] = -1
        positions[:, r, :at], following = prefix_positions(
            tree.prefix_ids, tree.image_grid_thw, image_token_id, merge
        )
        for b, branch in enumerate(tree.branches):
            if image_token_id in branch.token_ids:
                raise ValueError(
                    f"branch {b} of tree {r} has image tokens: prompts of one tree must share "
                    "everything up to the end of the picture (the same system text)"
                )
            end = at + len(branch.token_ids)
            ids[r, at:end] = torch.tensor(branch.token_ids)
            branch_index[r, at:end] = b
            positions[:, r, at:end] = following + torch.arange(end - at)
            answer_mask[r, at + len(branch.prompt_ids) : end] = True
            answer_weight[r, at + len(branch.prompt_ids) : end] = branch.weight
            at = end
    pixels = [t.pixel_values for t in trees if t.pixel_values is not None]
    grids = [t.image_grid_thw for t in trees if t.image_grid_thw is not None]
    return PackedBatch(
        input_ids=ids,
        branch_index=branch_index,
        position_ids=positions,
        answer_mask=answer_mask,
        answer_weight=answer_weight,
        pixel_values=torch.cat(pixels) if pixels else None,
        image_grid_thw=torch.cat(grids) if grids else None,
        mm_token_type_ids=(ids == image_token_id).int(),
    )


def predecessors(
    branch_index: torch.Tensor, rows: torch.Tensor, cols: torch.Tensor
) -> torch.Tensor:
    """The column of the token before each given branch token, along its own path.

    The first token of a branch follows the end of the prefix, not the branch that happens to
    lie on its left.
    """
    prefix_end = (branch_index == -1).sum(dim=1) - 1
    same = branch_index[rows, cols - 1] == branch_index[rows, cols]
    return torch.where(same, cols - 1, prefix_end[rows])


def answer_logits(model: Any, batch: PackedBatch) -> tuple[torch.Tensor, torch.Tensor]:
    """The logits that predict each answer token, computed at those positions only.

    Returns:
        ``(num_answer_tokens, vocab)`` logits and ``(num_answer_tokens,)`` target ids, both in
        row-major order of `PackedBatch.answer_mask`. No id is barred here.
    """
    rows, before, targets = _answer_places(batch)
    inputs = _inputs(model, batch)
    return forward_with_head(model, inputs, lambda own, hidden: own(hidden[rows, before])), targets


def answer_logprobs(
    model: Any, batch: PackedBatch, temperature: float = 1.0, forbid_ids: Sequence[int] = ()
) -> torch.Tensor:
    """Log-probability of each answer token, ``(num_answer_tokens,)``, in row-major order.

    The distribution is the one that `coepg.prefix.generate` samples from: picture placeholders
    and ``forbid_ids`` are barred, temperature 0 is scored at 1. With a large vocabulary the
    logits are made, used and (for gradients) made again in pieces of `MAX_LOGITS`.
    """
    config = base_model(model).config
    barred = (*placeholder_ids(config), *forbid_ids)
    max_rows = max(1, MAX_LOGITS // config.get_text_config().vocab_size)
    rows, before, targets = _answer_places(batch)

    def head(own: Head, hidden: torch.Tensor) -> torch.Tensor:
        def piece(states: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
            logprobs = sampling_logprobs(own(states), temperature, barred)
            return logprobs.gather(1, ids[:, None])[:, 0]

        states = hidden[rows, before]
        if len(states) <= max_rows:
            return piece(states, targets)
        pairs = zip(states.split(max_rows), targets.split(max_rows), strict=True)
        return torch.cat([checkpoint(piece, s, i, use_reentrant=False) for s, i in pairs])

    return forward_with_head(model, _inputs(model, batch), head)


def _inputs(model: Any, batch: PackedBatch) -> dict[str, Any]:
    inputs = batch.model_inputs()
    inputs["attention_mask"] = attention_mask(model, inputs["attention_mask"])
    return inputs | {"use_cache": False}


def _answer_places(batch: PackedBatch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Per answer token: its row, its predecessor's column, its id."""
    rows, cols = batch.answer_mask.nonzero(as_tuple=True)
    return rows, predecessors(batch.branch_index, rows, cols), batch.input_ids[rows, cols]
