"""Who writes, who verifies, who rewards: pool and ensemble members of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coepg.config.models import LocalModelConfig
from coepg.evolve.context import Context
from coepg.evolve.enhance import PoolWriter
from coepg.models.base import Grounder, ImageStore, Sampling
from coepg.models.factory import build_describer, build_grounder, build_planner
from coepg.models.local import LocalGrounder, LocalModel, LocalPlanner
from coepg.rewards.plan_reward import RewardSettings

TRAINED = "grounder"
"""The name under which the grounder in training votes in C-DREM."""


class Members:
    """Builds members once and hands them out.

    Args:
        context: of the run.
        images: where they look; by default the run's own pictures.
    """

    def __init__(self, context: Context, images: ImageStore | None = None) -> None:
        self.context = context
        self.images = images or context.table
        self._grounders: dict[tuple[str, bool], Grounder] = {}

    def constant_grounder(self, name: str, needs_confidence: bool) -> Grounder:
        """The grounder that the recipe's model of that name makes, untrained by this run.

        Args:
            name: of the model.
            needs_confidence: whether a server without usable log-probabilities is refused.
        """
        key = (name, needs_confidence)
        if key not in self._grounders:
            config = self.context.recipe.models[name]
            is_local = isinstance(config, LocalModelConfig)
            self._grounders[key] = build_grounder(
                name,
                config,
                self.images,
                local=self.context.shared_base(name) if is_local else None,
                batch_size=self.context.recipe.pools.batch_size,
                needs_confidence=needs_confidence,
            )
        return self._grounders[key]

    def trained_grounder(self, local: LocalModel, name: str = TRAINED) -> Grounder:
        """A grounder of this run."""
        return LocalGrounder(
            local, self.images, name=name, batch_size=self.context.recipe.pools.batch_size
        )

    def trained_planner(self, local: LocalModel, name: str = "planner") -> LocalPlanner:
        """A planner of this run."""
        recipe = self.context.recipe
        return LocalPlanner(
            local, self.images, self.context.observation, name=name,
            batch_size=recipe.pools.batch_size,
        )  # fmt: skip

    def ensemble(self, trained: LocalModel) -> dict[str, Grounder]:
        """The voters of C-DREM: the grounder in training and the recipe's other members."""
        cdrem = self.context.recipe.cdrem
        weighs = cdrem.weighting == "cdrem"
        return {
            name: self.trained_grounder(trained)
            if name == TRAINED
            else self.constant_grounder(name, needs_confidence=weighs)
            for name in cdrem.members
        }

    def reward_settings(self) -> RewardSettings:
        """C-DREM's settings from the recipe."""
        recipe = self.context.recipe
        return RewardSettings(
            confidence=recipe.cdrem.confidence,
            weighting=recipe.cdrem.weighting,
            priors={name: recipe.cdrem.prior(name) for name in recipe.cdrem.members},
            single_member=recipe.cdrem.members[0],
            value_f1_threshold=recipe.grpo.value_f1_threshold,
        )

    def writers(self, planners: Sequence[tuple[str, Path]]) -> list[PoolWriter]:
        """The planner pool: the recipe's constant members and the trained generations."""
        recipe = self.context.recipe
        max_tokens = recipe.grpo.max_completion_tokens
        pool = []
        for name, config in recipe.pools.planners.items():
            model = recipe.models[config.model]
            is_local = isinstance(model, LocalModelConfig)
            local = self.context.shared_base(config.model) if is_local else None
            describes = config.hint == "gold_element"
            build = build_describer if describes else build_planner
            member = build(
                name, model, self.images, local=local, observation=self.context.observation,
                batch_size=recipe.pools.batch_size,
            )  # fmt: skip
            sampling = Sampling(config.samples_per_step, config.temperature, max_tokens)
            pool.append(PoolWriter(name, member, describes, sampling))
        for name, folder in planners:
            sampling = Sampling(
                recipe.pools.trained_samples_per_step, recipe.pools.trained_temperature, max_tokens
            )
            member = self.trained_planner(self.context.load(folder), name)
            pool.append(PoolWriter(name, member, False, sampling))
        return [
            replace(w, sampling=replace(w.sampling, seed=self.context.seed("pool", w.name)))
            for w in pool
        ]

    def verifiers(self, grounders: Sequence[tuple[str, Path]]) -> dict[str, Grounder]:
        """The verifier pool: the recipe's constant members and the trained generations."""
        pool = {
            name: self.constant_grounder(name, needs_confidence=False)
            for name in self.context.recipe.pools.verifiers
        }
        for name, folder in grounders:
            pool[name] = self.trained_grounder(self.context.load(folder), name)
        return pool
