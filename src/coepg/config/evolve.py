"""Settings of the loop."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from coepg.config.base import Settings


class EvolveConfig(Settings):
    """How many iterations of SFT, GRPO and data enhancement run, and what is compared."""

    num_iterations: Annotated[int, Field(ge=1)] = 3
    """Iterations K (paper: 3)."""

    agent: Literal["pair", "end_to_end"] = "pair"
    """"pair": planner and grounder (the paper's). "end_to_end": one model answers with plan and
    point together, the baseline of paper section 5."""

    grpo_enabled: bool = True
    """Run GRPO after SFT. False leaves SFT and data enhancement: the paper's ablation."""

    arms: Annotated[tuple[Literal["sft", "grpo"], ...], Field(strict=False)] = ("sft", "grpo")
    """Planners that are scored in each iteration: after SFT, and after GRPO."""

    @model_validator(mode="after")
    def _arms_exist(self) -> EvolveConfig:
        if not self.arms or len(set(self.arms)) != len(self.arms):
            raise ValueError(f"arms is {list(self.arms)}; expected one or both of sft and grpo")
        if "grpo" in self.arms and not self.grpo_enabled:
            raise ValueError(
                'arms holds "grpo" while grpo_enabled is false; set arms = ["sft"] or enable GRPO'
            )
        return self
