"""A local end-to-end agent: screenshot, task and history -> type, value and point at once."""

from __future__ import annotations

from collections.abc import Sequence

from coepg.models.answers import parse_act
from coepg.models.base import ActorRollout, ImageStore, Observation, Sampling
from coepg.models.local.engine import LocalEngine
from coepg.models.local.load import LocalModel
from coepg.models.prompts import actor_prompt
from coepg.types import Rollout, Step


class LocalActor:
    """Implements `coepg.models.base.Actor`, the baseline without plans."""

    def __init__(
        self,
        local: LocalModel,
        images: ImageStore,
        observation: Observation,
        *,
        name: str = "actor",
        batch_size: int = 16,
    ) -> None:
        self.name = name
        self.observation = observation
        self.engine = LocalEngine(local, images, batch_size)

    def act(self, steps: Sequence[Step], sampling: Sampling) -> list[list[ActorRollout]]:
        """``sampling.num_samples`` answers per step, in order."""
        local = self.engine.local
        prompts = [
            [
                actor_prompt(
                    local.profile,
                    s,
                    history_max_steps=self.observation.history_max_steps,
                    screen_text=self.observation.screen_text,
                    max_screen_text_items=self.observation.max_screen_text_items,
                )
            ]
            for s in steps
        ]
        answers = self.engine.ask([s.screenshot for s in steps], prompts, sampling)
        groups = []
        for step, (samples,) in zip(steps, answers, strict=True):
            frame = local.frame(step.screenshot.size)
            group = []
            for i, answer in enumerate(samples):
                text = local.decode(answer.token_ids)
                plan, point = parse_act(local.profile, frame, text) or (None, None)
                rollout = Rollout(
                    step.step_id, i, text, plan, answer.token_ids, answer.token_logprobs
                )
                group.append(ActorRollout(rollout, point))
            groups.append(group)
        return groups
