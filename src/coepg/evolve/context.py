"""What all stages of a run share: recipe, steps, pictures, models, seeds."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from coepg.config.models import LocalModelConfig
from coepg.config.recipe import Recipe
from coepg.data.shipped import shipped_dataset_path, shipped_names
from coepg.data.table import StepTable
from coepg.evolve.stage import fingerprint
from coepg.models.base import Observation
from coepg.models.local.folder import model_fingerprint
from coepg.models.local.load import LocalModel, load_local
from coepg.types import Step


def derive_seed(seed: int, *names: Any) -> int:
    """A seed of its own for every purpose, from the run's seed."""
    text = ":".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1


def choose_episodes(steps: Sequence[Step], max_steps: int | None, seed: int) -> list[Step]:
    """Whole episodes, drawn by the seed, as long as they fit into ``max_steps``.

    At least one episode is kept.
    """
    if max_steps is None or len(steps) <= max_steps:
        return list(steps)
    episodes: dict[str, list[Step]] = {}
    for step in steps:
        episodes.setdefault(step.episode_id, []).append(step)
    names = list(episodes)
    order = np.random.default_rng(seed).permutation(len(names))
    chosen: set[str] = set()
    count = 0
    for i in order:
        size = len(episodes[names[i]])
        if chosen and count + size > max_steps:
            continue
        chosen.add(names[i])
        count += size
    return [step for step in steps if step.episode_id in chosen]


def _label(step: Step) -> list[Any]:
    """Everything of a step that a result may depend on, as JSON-able values."""
    box = step.target_box_px
    texts = [(t.text, t.box_px.as_tuple(), t.source.value) for t in step.screen_text]
    return [
        step.step_id,
        step.screenshot.image_hash,
        step.instruction,
        step.history,
        step.action_type,
        step.value,
        box.as_tuple() if box else None,
        texts,
    ]


@dataclass
class BlankImages:
    """Every screenshot replaced by a white one of its size."""

    table: StepTable

    def image(self, image_hash: str) -> Image.Image:
        """A white picture."""
        return Image.new("RGB", self.table.image(image_hash).size, "white")


@dataclass
class Context:
    """The run's recipe and everything that is made from it once.

    Attributes:
        recipe: resolved.
        run_dir: the run folder.
        table: the dataset.
        train_steps: what is learned from.
        eval_steps: what is scored, by split.
        data_fingerprint: of the chosen steps.
        models_fingerprint: of the weights of the recipe's local models.
    """

    recipe: Recipe
    run_dir: Path
    table: StepTable
    train_steps: list[Step]
    eval_steps: dict[str, list[Step]]
    data_fingerprint: str
    models_fingerprint: str
    _bases: dict[str, LocalModel] = field(default_factory=dict)

    @classmethod
    def open(cls, recipe: Recipe, run_dir: Path) -> Context:
        """Open the dataset and choose the steps."""
        data = recipe.data
        folder = (
            shipped_dataset_path(data.dataset)
            if data.dataset in shipped_names()
            else Path(data.dataset)
        )
        table = StepTable.open(folder)
        seed = recipe.run.seed
        train = choose_episodes(
            table.steps(data.train_split), data.max_train_steps, derive_seed(seed, "train-steps")
        )
        # The evaluation steps do not depend on the seed: seeds are compared on the same steps.
        evals = {
            split: choose_episodes(table.steps(split), data.max_eval_steps, derive_seed(0, split))
            for split in data.eval_splits
        }
        mark = fingerprint(
            [_label(s) for s in train],
            {split: [_label(s) for s in steps] for split, steps in evals.items()},
        )
        weights = {
            name: model_fingerprint(config.path)
            for name, config in recipe.models.items()
            if isinstance(config, LocalModelConfig)
        }
        return cls(recipe, run_dir, table, train, evals, mark, fingerprint(weights))

    def seed(self, *names: Any) -> int:
        """The seed of a purpose."""
        return derive_seed(self.recipe.run.seed, *names)

    @property
    def observation(self) -> Observation:
        """What planners see."""
        o = self.recipe.data.observation
        return Observation(o.screen_text, o.history_max_steps, o.max_screen_text_items)

    def load(self, source: str | Path, profile: str | None = None) -> LocalModel:
        """A fresh copy of a local model, on the run's device."""
        return load_local(source, profile=profile, dtype=self.dtype, device=self.device)

    def load_base(self, name: str) -> LocalModel:
        """A fresh copy of the base model of that name in the recipe (to be trained)."""
        config = self.recipe.models[name]
        assert isinstance(config, LocalModelConfig)
        return self.load(config.path, config.profile)

    def shared_base(self, name: str) -> LocalModel:
        """The base model of that name, loaded once and never trained."""
        if name not in self._bases:
            self._bases[name] = self.load_base(name)
        return self._bases[name]

    @property
    def device(self) -> str:
        """The recipe's device, "auto" resolved."""
        device = self.recipe.run.device
        if device != "auto":
            return device
        return "cuda" if torch.cuda.is_available() else "cpu"

    @property
    def dtype(self) -> torch.dtype:
        """The weights' number format."""
        # Training keeps float32 weights and computes in bfloat16 by autocast.
        return torch.float32
