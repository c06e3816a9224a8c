"""Asking a local model many questions about many screens, each screen encoded once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from coepg.models.base import ImageStore, Sampling
from coepg.models.local.load import LocalModel
from coepg.models.prompts import Prompt
from coepg.prefix.generate import Generated, generate
from coepg.prefix.tree import Tree, make_tree
from coepg.types import Screenshot

CACHE_PICTURES = 512
"""Encoded pictures kept by an engine; the oldest go first."""


@dataclass
class LocalEngine:
    """A model, its pictures, and a small cache of encoded ones.

    Attributes:
        local: the model.
        images: where pictures come from.
        batch_size: screens asked at a time.
        on_batch: told how many screens are done.
    """

    local: LocalModel
    images: ImageStore
    batch_size: int = 16
    on_batch: Callable[[int], None] = lambda done: None
    _encoded: dict[str, tuple[torch.Tensor, torch.Tensor]] = field(default_factory=dict)

    def encode(self, screenshot: Screenshot) -> tuple[torch.Tensor, torch.Tensor]:
        """Patches and grid of a screenshot."""
        key = screenshot.image_hash
        if key not in self._encoded:
            pixel_values, grid, _ = self.local.encode_image(self.images.image(key))
            if len(self._encoded) >= CACHE_PICTURES:
                del self._encoded[next(iter(self._encoded))]
            self._encoded[key] = (pixel_values, grid)
        return self._encoded[key]

    def tree(self, screenshot: Screenshot, prompts: Sequence[Prompt]) -> Tree:
        """All prompts on one screen, behind one prefix."""
        pixel_values, grid = self.encode(screenshot)
        ids = [self.local.prompt_ids(p, grid) for p in prompts]
        return make_tree(ids, [()] * len(ids), pixel_values, grid)

    def ask(
        self, screens: Sequence[Screenshot], prompts: Sequence[Sequence[Prompt]], sampling: Sampling
    ) -> list[list[list[Generated]]]:
        """Answers per screen, per prompt, per sample. Every screen needs at least one prompt."""
        answers: list[list[list[Generated]]] = []
        for start in range(0, len(screens), self.batch_size):
            trees = [
                self.tree(screen, row)
                for screen, row in zip(
                    screens[start : start + self.batch_size],
                    prompts[start : start + self.batch_size],
                    strict=True,
                )
            ]
            answers += generate(
                self.local,
                trees,
                num_samples=sampling.num_samples,
                temperature=sampling.temperature,
                max_tokens=sampling.max_tokens,
                seed=sampling.seed + start,
            )
            self.on_batch(len(answers))
        return answers
