"""A local planner: screenshot, task and history -> plan."""

from __future__ import annotations

from collections.abc import Sequence

from coepg.models.answers import parse_plan
from coepg.models.base import ImageStore, Observation, Sampling
from coepg.models.local.engine import LocalEngine
from coepg.models.local.load import LocalModel
from coepg.models.prompts import Prompt, planner_prompt
from coepg.types import Rollout, Step


class LocalPlanner:
    """Implements `coepg.models.base.Planner` with a model in this process."""

    def __init__(
        self,
        local: LocalModel,
        images: ImageStore,
        observation: Observation,
        *,
        name: str = "planner",
        batch_size: int = 16,
    ) -> None:
        self.name = name
        self.observation = observation
        self.engine = LocalEngine(local, images, batch_size)

    def prompt(self, step: Step) -> Prompt:
        """What is asked about a step."""
        return planner_prompt(
            self.engine.local.profile,
            step,
            history_max_steps=self.observation.history_max_steps,
            screen_text=self.observation.screen_text,
            max_screen_text_items=self.observation.max_screen_text_items,
        )

    def plan(self, steps: Sequence[Step], sampling: Sampling) -> list[list[Rollout]]:
        """``sampling.num_samples`` rollouts per step, in order."""
        screens = [s.screenshot for s in steps]
        answers = self.engine.ask(screens, [[self.prompt(s)] for s in steps], sampling)
        groups = []
        for step, (samples,) in zip(steps, answers, strict=True):
            group = []
            for i, answer in enumerate(samples):
                text = self.engine.local.decode(answer.token_ids)
                group.append(
                    Rollout(
                        step_id=step.step_id,
                        sample_index=i,
                        text=text,
                        plan=parse_plan(text),
                        token_ids=answer.token_ids,
                        token_logprobs=answer.token_logprobs,
                    )
                )
            groups.append(group)
        return groups
