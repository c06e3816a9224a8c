"""Settings of data enhancement: the planner pool proposes plans, the verifier pool checks them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from coepg.config.base import Names, Settings


class PoolPlannerConfig(Settings):
    """One constant member of the planner pool."""

    model: Annotated[str, Field(min_length=1)] = "planner"
    """Name of a model of this recipe."""

    samples_per_step: Annotated[int, Field(ge=1)] = 2
    """Plans that it samples for each step. Not given by the paper; default 2 (its count of kept
    plans per task exceeds the pool's size, so it draws several)."""

    temperature: Annotated[float, Field(ge=0)] = 0.9
    """Sampling temperature; 0 means the likeliest answer. Not given by the paper; default 0.9, as
    in GRPO."""

    hint: Literal["none", "gold_element"] = "none"
    """What the member is told. "none": it plans as an agent does. "gold_element" makes it a
    describer: it knows which element is the right one and describes it. Not given by the paper;
    default "none"."""

    @model_validator(mode="after")
    def _samples_differ(self) -> PoolPlannerConfig:
        if self.temperature == 0 and self.samples_per_step > 1:
            raise ValueError(
                f"samples_per_step is {self.samples_per_step} at temperature 0, where all samples "
                "are equal; raise the temperature or sample once"
            )
        return self


def _default_planners() -> dict[str, PoolPlannerConfig]:
    return {
        "describer": PoolPlannerConfig(hint="gold_element"),
        "planner": PoolPlannerConfig(),
    }


class PoolsConfig(Settings):
    """Pools and verification (paper section 4.2)."""

    planners: dict[str, PoolPlannerConfig] = Field(default_factory=_default_planners)
    """The planner pool's constant members, by name. Trained planners join by themselves. Members
    and sizes are not given by the paper; default the base planner, once asked to plan and once to
    describe."""

    verifiers: Names = ("grounder", "other", "ocr")
    """The verifier pool's constant members: names of models of this recipe. Trained grounders join
    by themselves. Not given by the paper; default all grounders of the recipe."""

    trained_samples_per_step: Annotated[int, Field(ge=1)] = 2
    """Plans that each trained planner samples per step. Not given by the paper; default 2."""

    trained_temperature: Annotated[float, Field(gt=0)] = 0.9
    """Sampling temperature of trained planners. Not given by the paper; default 0.9."""

    keep_generations: Annotated[int, Field(ge=1)] = 2
    """How many latest generations of trained models stay in the pools (paper section 4.2: 2)."""

    min_votes: Annotated[int, Field(ge=1)] = 1
    """A plan is kept if at least this many verifiers hit the gold box with it. Not given by the
    paper; default 1."""

    match_type_value: bool = True
    """Keep a plan only if its action type and value also equal the gold ones. Not given by the
    paper; default true."""

    max_plans_per_step: Annotated[int, Field(ge=1)] = 4
    """Upper limit of different kept plans per step; most votes first. Not given by the paper;
    default 4."""

    batch_size: Annotated[int, Field(ge=1)] = 16
    """Screens that local members work on at a time. Changes speed and memory, not results."""
