"""A tree: one screenshot and prompt (the prefix), and the branches that continue it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True, slots=True)
class Branch:
    """One continuation of a prefix.

    Attributes:
        prompt_ids: the rest of the prompt (question and the assistant's header); may be empty.
        answer_ids: the answer, end token included; empty when it is still to be generated.
        weight: factor of this branch in the loss (1/count of branches, an advantage, ...).
    """

    prompt_ids: tuple[int, ...]
    answer_ids: tuple[int, ...] = ()
    weight: float = 1.0

    @property
    def token_ids(self) -> tuple[int, ...]:
        """Prompt rest and answer."""
        return self.prompt_ids + self.answer_ids


@dataclass(frozen=True, slots=True)
class Tree:
    """A shared prefix with its picture, and branches.

    Attributes:
        prefix_ids: token ids with the image placeholders expanded; never empty.
        pixel_values: patches of the picture, ``(num_patches, patch_dim)`` float32, or None.
        image_grid_thw: ``(1, 3)`` int64 patch grid, or None.
        branches: at least one.
    """

    prefix_ids: tuple[int, ...]
    pixel_values: torch.Tensor | None
    image_grid_thw: torch.Tensor | None
    branches: tuple[Branch, ...] = field(default=())


def num_tokens(tree: Tree) -> int:
    """The length of a tree's packed row."""
    return len(tree.prefix_ids) + sum(len(b.token_ids) for b in tree.branches)


def common_prefix_length(sequences: Sequence[Sequence[int]], keep_last: bool = True) -> int:
    """How many leading ids all sequences share.

    Args:
        sequences: at least one token sequence.
        keep_last: leave at least one id of every sequence outside the prefix, so that each
            branch has a position whose output predicts its next token.
    """
    first = sequences[0]
    limit = min(len(s) for s in sequences) - (1 if keep_last else 0)
    length = 0
    while length < limit and all(s[length] == first[length] for s in sequences):
        length += 1
    return length


def make_tree(
    prompts: Sequence[Sequence[int]],
    answers: Sequence[Sequence[int]],
    pixel_values: torch.Tensor | None,
    image_grid_thw: torch.Tensor | None,
    weights: Sequence[float] | None = None,
) -> Tree:
    """Group (prompt, answer) pairs on one screen: what all prompts share becomes the prefix.

    The last prompt token always stays in the branch: its output predicts the first answer token.
    """
    length = common_prefix_length(prompts)
    weights = weights if weights is not None else [1.0] * len(prompts)
    branches = tuple(
        Branch(tuple(p[length:]), tuple(a), w)
        for p, a, w in zip(prompts, answers, weights, strict=True)
    )
    return Tree(tuple(prompts[0][:length]), pixel_values, image_grid_thw, branches)
