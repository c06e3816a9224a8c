"""A local describer: screenshot and gold element -> referring expressions."""

from __future__ import annotations

from collections.abc import Sequence

from coepg.models.answers import parse_description
from coepg.models.base import ImageStore, Sampling
from coepg.models.local.engine import LocalEngine
from coepg.models.local.load import LocalModel
from coepg.models.prompts import describer_prompt
from coepg.types import Step


class LocalDescriber:
    """Implements `coepg.models.base.Describer`: it is told where the gold element is."""

    def __init__(
        self,
        local: LocalModel,
        images: ImageStore,
        *,
        name: str = "describer",
        batch_size: int = 16,
    ) -> None:
        self.name = name
        self.engine = LocalEngine(local, images, batch_size)

    def describe(self, steps: Sequence[Step], sampling: Sampling) -> list[list[str]]:
        """``sampling.num_samples`` expressions per step; [] where the step has no target.

        An answer without an expression is the empty string.
        """
        profile = self.engine.local.profile
        asked = [i for i, s in enumerate(steps) if s.target_box_px is not None]
        prompts = []
        for i in asked:
            box = steps[i].target_box_px
            assert box is not None
            frame = self.engine.local.frame(steps[i].screenshot.size)
            prompts.append([describer_prompt(profile, frame, box.center)])
        answers = self.engine.ask([steps[i].screenshot for i in asked], prompts, sampling)
        texts: list[list[str]] = [[] for _ in steps]
        for i, (samples,) in zip(asked, answers, strict=True):
            texts[i] = [
                parse_description(self.engine.local.decode(a.token_ids)) or "" for a in samples
            ]
        return texts
