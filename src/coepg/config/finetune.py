"""Settings of which weights are trained, and of the memory that training takes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from coepg.config.base import Names, OrNone, Settings


class FinetuneConfig(Settings):
    """What SFT and GRPO train. The papers trained all weights."""

    gradient_checkpointing: bool = False
    """Compute activations again in the backward pass instead of keeping them: about a third more
    time, a fraction of the memory. The numbers stay the same."""

    freeze_vision: bool = False
    """Leave the vision tower as it is; only the language model learns."""

    vision_cache_gib: Annotated[float, Field(ge=0)] = 0.0
    """With freeze_vision, keep the tower's features of every screenshot in the run folder, at most
    this much of them, instead of computing them again in every epoch, in the reference model and
    in every iteration. 0: compute them again."""

    lora_rank: OrNone[Annotated[int, Field(ge=1)]] = None
    """Train low-rank adapters of this rank instead of the weights themselves; after each training
    they are merged into the weights. Unset: train the weights. Needs the extra "lora"."""

    lora_alpha: Annotated[float, Field(gt=0)] = 32.0
    """Adapters are scaled by lora_alpha / lora_rank."""

    lora_dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Dropout on the adapters' inputs while training. GRPO compares log-probabilities of the same
    weights, so keep 0 there."""

    lora_targets: Names = (
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj",
    )  # fmt: skip
    """Matrices of the language model that get adapters, by the last part of their names."""

    @model_validator(mode="after")
    def _only_frozen_features_can_be_kept(self) -> FinetuneConfig:
        if self.vision_cache_gib and not self.freeze_vision:
            raise ValueError(
                "finetune.vision_cache_gib needs finetune.freeze_vision = true: "
                "the features of a tower that learns change with every update"
            )
        return self
