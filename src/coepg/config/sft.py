"""Settings of supervised fine-tuning."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from coepg.config.base import OrNone, Settings


class SftConfig(Settings):
    """SFT of planner and grounder on D_{k-1} (paper section 4.2).

    Defaults suit the shipped tiny models; the paper's 3B and 7B models used learning rate 1e-6,
    batch 96 and 3 epochs.
    """

    init: Literal["base", "previous"] = "base"
    """Start each iteration from the base model, or from the previous iteration's. Not given by the
    paper; default "base", which keeps iterations comparable."""

    learning_rate: Annotated[float, Field(gt=0)] = 3e-4
    """Highest learning rate of AdamW."""

    num_epochs: Annotated[float, Field(gt=0)] = 3.0
    """Passes over the data (paper: 3)."""

    batch_size: Annotated[int, Field(ge=1)] = 32
    """Screens per update; all plans of a screen share its encoded picture (paper: 96)."""

    lr_scheduler: Literal["constant", "linear", "cosine"] = "cosine"
    """How the learning rate falls after warm-up. Not given by the paper; default "cosine"."""

    warmup_ratio: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Share of updates over which the learning rate rises from 0. Not given by the paper;
    default 0.05."""

    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    """Weight decay of AdamW. Not given by the paper; default 0."""

    max_grad_norm: Annotated[float, Field(gt=0)] = 1.0
    """Gradients are scaled down to this norm. Not given by the paper; default 1."""

    max_steps: OrNone[Annotated[int, Field(ge=1)]] = None
    """Stop after this many updates, whatever num_epochs says; unset: no such limit."""

    save_steps: Annotated[int, Field(ge=1)] = 50
    """Updates between checkpoints. A killed run loses at most this many."""
