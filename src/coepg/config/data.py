"""Settings of the data: which dataset, which splits, what the planner observes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from coepg.config.base import Names, OrNone, Settings

Limit = OrNone[Annotated[int, Field(ge=1)]]


class ObservationConfig(Settings):
    """What the planner sees besides screenshot, task and history. The grounder sees the picture."""

    screen_text: Literal["none", "ocr", "dom"] = "ocr"
    """Text given to the planner with the screenshot. The paper's planner sees HTML (section 3);
    "ocr" works on any screen, "dom" needs a source that has one. Recorded with every number."""

    history_max_steps: Annotated[int, Field(ge=0)] = 8
    """How many earlier actions the prompt lists, latest kept. Not given by the paper; default 8,
    which no episode of the shipped data exceeds."""

    max_screen_text_items: Annotated[int, Field(ge=1)] = 40
    """Upper limit of text pieces in a prompt, in reading order. Not given by the paper;
    default 40."""


class DataConfig(Settings):
    """The labelled steps: D_0 is made from the training split, scores from the others."""

    dataset: Annotated[str, Field(min_length=1)] = "miniwob"
    """A shipped dataset's name ("miniwob"), or a folder with a step table."""

    train_split: Annotated[str, Field(min_length=1)] = "train"
    """The split that is learned from."""

    eval_splits: Names = ("test_seed", "test_task")
    """The splits that are scored after each stage; never learned from."""

    max_train_steps: Limit = None
    """Use only this many training steps (whole episodes, drawn by the seed); unset: all."""

    max_eval_steps: Limit = None
    """Use only this many steps of each evaluation split (whole episodes, drawn by the seed);
    unset: all."""

    observation: ObservationConfig = ObservationConfig()
    """What the planner observes."""

    @model_validator(mode="after")
    def _splits_apart(self) -> DataConfig:
        if not self.eval_splits:
            raise ValueError("eval_splits is empty; name at least one split to score")
        if self.train_split in self.eval_splits:
            raise ValueError(
                f"train_split {self.train_split!r} is also in eval_splits; "
                "a split that is learned from must not be scored"
            )
        return self
