"""Settings of the process: seed, numbers, device, trackers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from coepg.config.base import Names, OrNone, Settings


class RunConfig(Settings):
    """How the run is executed; the run folder itself is a command-line argument."""

    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    """Seed of everything random: sampling, shuffling, initial weights. Same seed, same numbers."""

    dtype: Literal["float32", "bfloat16"] = "float32"
    """Number format of model weights and activations. On a CPU keep float32: faster and exact."""

    device: Annotated[str, Field(pattern=r"^(auto|cpu|mps|(cuda|xpu)(:\d+)?)$")] = "auto"
    """Where local models run: "auto" (the first accelerator, else the CPU), "cpu", "cuda:0"."""

    num_threads: OrNone[Annotated[int, Field(ge=1)]] = None
    """CPU threads for tensor work; unset: as many as the process may use. Changes the last digits
    of floating-point sums, so equal results need an equal number."""

    num_workers: Annotated[int, Field(ge=0)] = 0
    """Processes that read, decode and resize the pictures of supervised fine-tuning ahead of the
    updates; 0: the training process does it. Worth it where metrics.jsonl shows a high idle_share
    and cores are free; the numbers stay the same."""

    profile: bool = False
    """Write a Chrome trace of the first updates of every training, and a table of stages."""

    report_to: Names = ("tensorboard",)
    """Trackers for training curves, by the names that the Hugging Face Trainer knows. Files of the
    run folder are written in any case; an empty list means only those."""
