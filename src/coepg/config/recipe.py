"""A recipe: every setting of a run, in one object."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from coepg.config.base import OrNone, Settings
from coepg.config.cdrem import CdremConfig
from coepg.config.data import DataConfig
from coepg.config.evaluate import EvaluateConfig
from coepg.config.evolve import EvolveConfig
from coepg.config.finetune import FinetuneConfig
from coepg.config.grpo import GrpoConfig
from coepg.config.models import LocalModelConfig, ModelConfig, OcrModelConfig
from coepg.config.pools import PoolsConfig
from coepg.config.run import RunConfig
from coepg.config.sft import SftConfig

ModelName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$")]


def _default_models() -> dict[str, ModelConfig]:
    return {
        "planner": LocalModelConfig(path="tiny"),
        "grounder": LocalModelConfig(path="tiny"),
        "other": LocalModelConfig(path="micro"),
        "ocr": OcrModelConfig(),
    }


class Recipe(Settings):
    """Every setting of a run. `coepg.config.load_recipe` gives the shipped ones."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$")] = "default"
    """A short name (letters, digits, space, ``._-``): shown in reports, and the default folder."""

    description: str = ""
    """What the recipe is for, on which hardware, how long it takes."""

    run: RunConfig = RunConfig()
    """Seed, numbers, device, trackers."""

    data: DataConfig = DataConfig()
    """Dataset, splits, observation."""

    models: dict[ModelName, ModelConfig] = Field(default_factory=_default_models)
    """Models by name. "planner" and "grounder" are the bases of the two models in training; any
    further ones serve in the pools and in C-DREM."""

    pools: PoolsConfig = Field(default_factory=PoolsConfig)
    """Who proposes and who verifies plans."""

    sft: SftConfig = SftConfig()
    """Supervised fine-tuning, of the planner and, unless sft_grounder is set, of the grounder."""

    sft_grounder: OrNone[SftConfig] = None
    """Supervised fine-tuning of the grounder where it differs; unset: as sft. A table here is
    complete in itself: it takes nothing from sft."""

    finetune: FinetuneConfig = FinetuneConfig()
    """Which weights SFT and GRPO train, and memory."""

    grpo: GrpoConfig = GrpoConfig()
    """Reinforcement learning of the planner."""

    cdrem: CdremConfig = Field(default_factory=CdremConfig)
    """The reward ensemble."""

    evolve: EvolveConfig = EvolveConfig()
    """The loop."""

    evaluate: EvaluateConfig = EvaluateConfig()
    """Scoring and report."""

    @model_validator(mode="after")
    def _names_exist(self) -> Recipe:
        for role in ("planner", "grounder"):
            if self._kind(f"models.{role}", role) != "local":
                raise ValueError(
                    f"models.{role} is trained, so its kind must be local; "
                    f"found {self.models[role].kind!r}"
                )
        for member in self.cdrem.members:
            self._kind("cdrem.members", member)
        for name in self.cdrem.priors:
            self._kind("cdrem.priors", name)
        for verifier in self.pools.verifiers:
            self._kind("pools.verifiers", verifier)
        for name, planner in self.pools.planners.items():
            is_ocr = self._kind(f"pools.planners.{name}.model", planner.model) == "ocr"
            if is_ocr and planner.hint != "gold_element":
                raise ValueError(
                    f"pools.planners.{name}.model is {planner.model!r}, which reads text and "
                    'cannot plan; set hint = "gold_element", or name a local or http model'
                )
        return self

    @model_validator(mode="after")
    def _pools_can_work(self) -> Recipe:
        if not self.pools.planners:
            raise ValueError("pools.planners is empty; D_0 needs at least one planner")
        if self.pools.min_votes > len(self.pools.verifiers):
            raise ValueError(
                f"pools.min_votes is {self.pools.min_votes} but pools.verifiers has "
                f"{len(self.pools.verifiers)} members; no plan could ever be kept"
            )
        return self

    def _kind(self, key: str, name: str) -> str:
        if name not in self.models:
            known = ", ".join(self.models) or "none"
            raise ValueError(f"{key} names the model {name!r}; models of this recipe: {known}")
        return self.models[name].kind

    def sft_of(self, role: Literal["planner", "grounder"]) -> SftConfig:
        """The SFT settings of one of the two models."""
        return self.sft_grounder or self.sft if role == "grounder" else self.sft
