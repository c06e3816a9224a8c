"""Training examples as trees: one per step, all its plans behind one encoded screenshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch.utils.data import Dataset

from coepg.data.plans import PlanRecord
from coepg.models.answers import format_act, format_plan, format_point
from coepg.models.base import ImageStore, Observation
from coepg.models.local.load import LocalModel
from coepg.models.prompts import Prompt, actor_prompt, grounder_prompt, planner_prompt
from coepg.prefix.tree import Tree, make_tree
from coepg.types import Step


@dataclass(frozen=True, slots=True)
class Example:
    """Prompts and answers on the screenshot of one step, with the weight of each answer."""

    step: Step
    prompts: tuple[Prompt, ...]
    answers: tuple[str, ...]
    weights: tuple[float, ...]


def planner_example(
    local: LocalModel, step: Step, records: Sequence[PlanRecord], observation: Observation
) -> Example:
    """(screenshot, task, history) -> each verified plan; a step has one unit of weight."""
    prompt = step_prompt(local, step, observation)
    answers = tuple(format_plan(r.plan) for r in records)
    return Example(step, (prompt,) * len(answers), answers, (1 / len(answers),) * len(answers))


def step_prompt(local: LocalModel, step: Step, observation: Observation) -> Prompt:
    """The planner's prompt for a step."""
    return planner_prompt(
        local.profile,
        step,
        history_max_steps=observation.history_max_steps,
        screen_text=observation.screen_text,
        max_screen_text_items=observation.max_screen_text_items,
    )


def act_prompt(local: LocalModel, step: Step, observation: Observation) -> Prompt:
    """The end-to-end agent's prompt for a step."""
    return actor_prompt(
        local.profile,
        step,
        history_max_steps=observation.history_max_steps,
        screen_text=observation.screen_text,
        max_screen_text_items=observation.max_screen_text_items,
    )


def grounder_example(
    local: LocalModel, step: Step, records: Sequence[PlanRecord]
) -> Example | None:
    """(screenshot, each verified plan) -> the centre of the gold box; None without a target."""
    elements = [r.plan.element for r in records if r.plan.element]
    if step.target_box_px is None or not elements:
        return None
    frame = local.frame(step.screenshot.size)
    answer = format_point(local.profile, frame, step.target_box_px.center)
    return Example(
        step,
        tuple(grounder_prompt(local.profile, element) for element in elements),
        (answer,) * len(elements),
        (1 / len(elements),) * len(elements),
    )


def actor_example(local: LocalModel, step: Step, observation: Observation) -> Example:
    """(screenshot, task, history) -> type, value and point: the end-to-end baseline."""
    prompt = act_prompt(local, step, observation)
    frame = local.frame(step.screenshot.size)
    center = step.target_box_px.center if step.target_box_px else None
    answer = format_act(local.profile, frame, step.action_type, step.value, center)
    return Example(step, (prompt,), (answer,), (1.0,))


class ExampleTrees(Dataset[Tree]):
    """Examples, encoded when asked for."""

    def __init__(self, local: LocalModel, images: ImageStore, examples: Sequence[Example]) -> None:
        self.local = local
        self.images = images
        self.examples = examples

    def __len__(self) -> int:
        return len(self.examples)

    def __getitem__(self, index: int) -> Tree:
        example = self.examples[index]
        picture = self.images.image(example.step.screenshot.image_hash)
        pixel_values, grid, _ = self.local.encode_image(picture)
        return make_tree(
            [self.local.prompt_ids(p, grid) for p in example.prompts],
            [self.local.answer_ids(a) for a in example.answers],
            pixel_values,
            grid,
            example.weights,
        )
