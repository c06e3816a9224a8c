"""Synthetic user-interface screens of our own drawing.

The package draws small screens with ordinary HTML widgets, renders them in
headless Chromium and writes them with element boxes, referring expressions and
planner samples. A tiny vision-language model can be pretrained on them before
it sees any screen of its target domain.

Example:
    >>> from coepg.synth import write_screens, read_screens
    >>> write_screens("out/synth", num_screens=4000, seed=0)  # doctest: +SKIP
    >>> next(read_screens("out/synth")).elements[0].expressions  # doctest: +SKIP
"""

from coepg.synth.dataset import load_shard, read_screens, write_screens
from coepg.synth.types import ScreenElement, ScreenTask, SynthScreen

__all__ = [
    "ScreenElement",
    "ScreenTask",
    "SynthScreen",
    "load_shard",
    "read_screens",
    "write_screens",
]
