"""Settings of GRPO, the planner's reinforcement learning."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from coepg.config.base import Settings


class GrpoConfig(Settings):
    """GRPO of the planner (paper section 4.3).

    Defaults suit the shipped tiny models; the paper's 3B and 7B models used learning rate 5e-7,
    42 prompts of 7 answers per update and about 1500 updates.
    """

    num_generations: Annotated[int, Field(ge=2)] = 7
    """Answers per prompt, G (paper: 7). Advantages compare the answers of one group."""

    num_prompts_per_step: Annotated[int, Field(ge=1)] = 16
    """Prompts per sampling round (paper: 42)."""

    max_steps: Annotated[int, Field(ge=1)] = 40
    """Sampling rounds per iteration (paper: about 1500)."""

    num_iterations: Annotated[int, Field(ge=1)] = 1
    """Updates on each round's answers, mu in GRPO. Not given by the paper; default 1."""

    temperature: Annotated[float, Field(gt=0)] = 0.9
    """Sampling temperature (paper: 0.9). Sampling is never truncated."""

    max_completion_tokens: Annotated[int, Field(ge=1)] = 96
    """Longest answer, in tokens. Not given by the paper; default 96."""

    clip_epsilon: Annotated[float, Field(gt=0, lt=1)] = 0.2
    """Clip range of the probability ratio (paper: 0.2)."""

    kl_beta: Annotated[float, Field(ge=0)] = 0.01
    """Weight of the KL term towards the SFT planner (paper: 0.01)."""

    advantage_epsilon: Annotated[float, Field(gt=0)] = 1e-4
    """Added to the group's standard deviation. Not given by the paper; default 1e-4."""

    skip_zero_variance: bool = True
    """Leave groups whose rewards are all equal out of the update: no gradient, no cost, no KL. They
    are counted. Not given by the paper; default true."""

    value_f1_threshold: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """A value passes its gate if its word F1 with the gold value is above this (paper: 0.5)."""

    learning_rate: Annotated[float, Field(gt=0)] = 5e-5
    """Highest learning rate of AdamW."""

    lr_scheduler: Literal["constant", "linear", "cosine"] = "constant"
    """How the learning rate falls after warm-up. Not given by the paper; default "constant"."""

    warmup_ratio: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Share of updates over which the learning rate rises from 0. Not given by the paper;
    default 0."""

    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    """Weight decay of AdamW. Not given by the paper; default 0."""

    max_grad_norm: Annotated[float, Field(gt=0)] = 1.0
    """Gradients are scaled down to this norm. Not given by the paper; default 1."""

    save_steps: Annotated[int, Field(ge=1)] = 10
    """Updates between checkpoints. A killed run loses at most this many."""
