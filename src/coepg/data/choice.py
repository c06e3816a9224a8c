"""Choosing the steps of a run, and a seed of its own for every purpose."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

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


def evaluation_steps(steps: Sequence[Step], max_steps: int | None, split: str) -> list[Step]:
    """The steps of a split that are scored; they depend on no seed, so seeds can be compared."""
    return choose_episodes(steps, max_steps, derive_seed(0, split))
