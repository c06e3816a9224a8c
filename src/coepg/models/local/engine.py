"""Asking a local model many questions about many screens, each screen encoded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from coepg.models.base import ImageStore, Sampling
from coepg.models.local.load import LocalModel
from coepg.models.local.pictures import EncodedPictures
from coepg.models.prompts import Prompt
from coepg.prefix.generate import Generated, generate
from coepg.prefix.tree import Tree, make_tree
from coepg.types import Screenshot

MAX_BRANCHES = 64
"""Prompts a tree; a screen with more becomes several trees, since attention grows with the row."""


@dataclass
class LocalEngine:
    """A model, its pictures, and a small cache of encoded ones.

    Attributes:
        local: the model.
        images: where pictures come from.
        batch_size: trees asked at a time.
        on_batch: told how many prompts are answered.
    """

    local: LocalModel
    images: ImageStore
    batch_size: int = 16
    on_batch: Callable[[int], None] = lambda done: None
    pictures: EncodedPictures = field(init=False)

    def __post_init__(self) -> None:
        self.pictures = EncodedPictures(self.local, self.images)

    def tree(self, screenshot: Screenshot, prompts: Sequence[Prompt]) -> Tree:
        """All prompts on one screen, behind one prefix."""
        pixel_values, grid = self.pictures(screenshot.image_hash)
        ids = [self.local.prompt_ids(p, grid) for p in prompts]
        return make_tree(ids, [()] * len(ids), pixel_values, grid)

    def ask(
        self, screens: Sequence[Screenshot], prompts: Sequence[Sequence[Prompt]], sampling: Sampling
    ) -> list[list[list[Generated]]]:
        """Answers per screen, per prompt, per sample.

        Prompts on one picture share a tree wherever they stand in ``screens``. What is sampled
        does not depend on ``batch_size``.
        """
        groups = _shared_pictures(screens, prompts)
        answers: list[list[list[Generated]]] = [[[] for _ in row] for row in prompts]
        done = 0
        for start in range(0, len(groups), self.batch_size):
            chunk = groups[start : start + self.batch_size]
            trees = [self.tree(screens[g[0][0]], [prompts[i][j] for i, j in g]) for g in chunk]
            sampled = generate(
                self.local,
                trees,
                num_samples=sampling.num_samples,
                temperature=sampling.temperature,
                max_tokens=sampling.max_tokens,
                seed=sampling.seed,
                first_tree=start,
            )
            for group, branches in zip(chunk, sampled, strict=True):
                for (i, j), samples in zip(group, branches, strict=True):
                    answers[i][j] = samples
                done += len(group)
            self.on_batch(done)
        return answers


def _shared_pictures(
    screens: Sequence[Screenshot], prompts: Sequence[Sequence[Prompt]]
) -> list[list[tuple[int, int]]]:
    """(screen, prompt) numbers grouped by picture and system text, at most `MAX_BRANCHES` each.

    Prompts of one tree must agree up to the end of the picture, which the system text precedes.
    """
    by_picture: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for i, (screen, row) in enumerate(zip(screens, prompts, strict=True)):
        for j, prompt in enumerate(row):
            by_picture.setdefault((screen.image_hash, prompt.system), []).append((i, j))
    return [
        group[k : k + MAX_BRANCHES]
        for group in by_picture.values()
        for k in range(0, len(group), MAX_BRANCHES)
    ]
