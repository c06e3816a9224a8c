"""Questions on synthetic screens: read, find, describe, plan, act. Torch only for the pixels.

Every question on one screen is a branch behind the same picture, in exactly the form that
planners, grounders, describers and end-to-end agents are asked later (`coepg.models.prompts`).
"Read" asks for every element of a screen in one answer, place and expression: after the place
tokens it is the same as "describe", but hardly a token of the sequence is without supervision,
which is what makes so small a model learn to read in a few hours of one core.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image

from coepg.models.answers import format_act, format_plan, format_point
from coepg.models.profile import PROFILES
from coepg.models.prompts import (
    Prompt,
    actor_prompt,
    describer_prompt,
    grounder_prompt,
    planner_prompt,
)
from coepg.models.tiny import GRID, IMAGE_MEAN, IMAGE_STD, MERGE, PATCH_SIZE_PX
from coepg.prefix.tree import Tree, make_tree
from coepg.synth.types import ScreenElement, ScreenTask, SynthScreen
from coepg.types import Box, Plan, Point, Screenshot, Size, Step

PROFILE = PROFILES["tiny"]
SIZE = Size(160, 160)
FRAME = PROFILE.frame(SIZE)


@dataclass(frozen=True, slots=True)
class QuestionMix:
    """How many questions of each kind are asked on one screen (upper bounds).

    ``num_read`` counts the elements in the one "read" question.
    """

    num_read: int
    num_find: int
    num_describe: int
    num_plan: int
    num_act: int


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt, its answer, and the weight of each answer token in the loss."""

    prompt: Prompt
    answer: str
    weight: float


def patchify(pixels: np.ndarray) -> torch.Tensor:
    """A 160 x 160 RGB array as the tiny models' patches, ``(256, 300)``.

    The same numbers as the picture processor's (tests/train/test_questions.py), without its
    per-picture overhead.
    """
    half = GRID // MERGE
    scaled = (pixels.astype(np.float32) / 255 - IMAGE_MEAN[0]) / IMAGE_STD[0]
    blocks = scaled.transpose(2, 0, 1).reshape(
        3, half, MERGE, PATCH_SIZE_PX, half, MERGE, PATCH_SIZE_PX
    )
    patches = blocks.transpose(1, 4, 2, 5, 0, 3, 6).reshape(GRID * GRID, -1)
    return torch.from_numpy(np.ascontiguousarray(patches, dtype=np.float32))


def moved(pixels: np.ndarray, dx: int, dy: int) -> np.ndarray:
    """A picture moved right by ``dx`` and down by ``dy`` pixels, white coming in."""
    if not (dx or dy):
        return pixels
    canvas = np.full_like(pixels, 255)
    h, w = pixels.shape[:2]
    canvas[max(0, dy) : h + min(0, dy), max(0, dx) : w + min(0, dx)] = pixels[
        max(0, -dy) : h - max(0, dy), max(0, -dx) : w - max(0, dx)
    ]
    return canvas


def choose_expression(rng: np.random.Generator, expressions: tuple[str, ...]) -> str:
    """One of an element's expressions: half the time the simplest, else any."""
    return expressions[0] if rng.random() < 0.5 else expressions[rng.integers(len(expressions))]


def _center(element: ScreenElement, shift: tuple[int, int]) -> Point:
    x0, y0, x1, y1 = element.box_px
    return Point((x0 + x1) / 2 + shift[0], (y0 + y1) / 2 + shift[1])


def _inside(point: Point) -> bool:
    return 0 <= point.x < SIZE.width and 0 <= point.y < SIZE.height


def find_question(rng: np.random.Generator, element: ScreenElement, center: Point) -> Question:
    """Expression -> point."""
    expression = choose_expression(rng, element.expressions)
    return Question(grounder_prompt(PROFILE, expression), format_point(PROFILE, FRAME, center), 2.0)


def describe_question(
    rng: np.random.Generator, element: ScreenElement, shift: tuple[int, int]
) -> Question:
    """Point inside the element -> expression."""
    x0, y0, x1, y1 = element.box_px
    at = Point(
        float(np.clip(x0 + (x1 - x0) * rng.uniform(0.2, 0.8) + shift[0], 0, SIZE.width - 1)),
        float(np.clip(y0 + (y1 - y0) * rng.uniform(0.2, 0.8) + shift[1], 0, SIZE.height - 1)),
    )
    expression = choose_expression(rng, element.expressions)
    return Question(describer_prompt(PROFILE, FRAME, at), expression, 1.0)


def read_question(
    rng: np.random.Generator, rows: list[tuple[ScreenElement, Point]], max_elements: int
) -> Question:
    """Nothing -> place and simplest expression of each element, from the top to the bottom.

    Of more than ``max_elements`` elements, a run of neighbours in reading order is asked. A run
    that does not start at the top starts at the place that the prompt gives.
    """
    rows = sorted(rows, key=lambda row: (row[1].y, row[1].x))
    first = int(rng.integers(0, max(0, len(rows) - max_elements) + 1))
    run = rows[first : first + max_elements]
    start = format_point(PROFILE, FRAME, run[0][1]) if first else ""
    answer = "".join(
        format_point(PROFILE, FRAME, center) + element.expressions[0] for element, center in run
    )
    return Question(Prompt(f"read:{start}"), answer.removeprefix(start), 1.0)


def task_step(screen: SynthScreen, task: ScreenTask, center: Point | None) -> Step:
    """A synthetic task as a `Step`, so that it is asked like any other."""
    box = None if center is None else Box(center.x, center.y, center.x, center.y)
    return Step(
        step_id=screen.screen_id,
        episode_id=screen.screen_id,
        task_name=task.kind,
        split="synthetic",
        step_index=len(task.history),
        num_steps=len(task.history) + 1,
        instruction=task.instruction,
        history=tuple(task.history),
        screenshot=Screenshot("", SIZE),
        action_type=task.action_type,
        value=task.value,
        target_box_px=box,
    )


class QuestionSampler:
    """Draws a tree of questions for a screen; equal arguments give equal trees.

    Args:
        tokenizer: the tiny models' tokenizer.
        seed: of the whole pre-training.
        max_shift_px: pictures are moved by up to this many pixels, white coming in.
    """

    def __init__(self, tokenizer: Any, seed: int, max_shift_px: int = 8) -> None:
        self.tokenizer = tokenizer
        self.seed = seed
        self.max_shift_px = max_shift_px
        self._image_token = "<|image_pad|>"
        self._ids: dict[str, list[int]] = {}

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """The chat prompt with the picture's placeholders expanded."""
        content = [{"type": "image"}, {"type": "text", "text": prompt.user}]
        text = self.tokenizer.apply_chat_template(
            [{"role": "user", "content": content}], add_generation_prompt=True, tokenize=False
        )
        text = text.replace(self._image_token, self._image_token * (GRID // MERGE) ** 2)
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def answer_ids(self, answer: str) -> list[int]:
        """The answer and the end token."""
        ids: list[int] = self.tokenizer(answer, add_special_tokens=False)["input_ids"]
        return [*ids, self.tokenizer.eos_token_id]

    def questions(
        self,
        screen: SynthScreen,
        mix: QuestionMix,
        rng: np.random.Generator,
        shift: tuple[int, int],
    ) -> list[Question]:
        """The questions of one screen, moved by ``shift`` pixels."""
        named = [e for e in screen.elements if e.expressions and _inside(_center(e, shift))]
        by_id = {e.element_id: e for e in named}
        rows: list[Question] = []
        if mix.num_read and named:
            centers = [(element, _center(element, shift)) for element in named]
            rows.append(read_question(rng, centers, mix.num_read))
        for element in rng.permutation(len(named))[: mix.num_find]:
            rows.append(find_question(rng, named[element], _center(named[element], shift)))
        for element in rng.permutation(len(named))[: mix.num_describe]:
            rows.append(describe_question(rng, named[element], shift))
        order = rng.permutation(len(screen.tasks))
        for k, index in enumerate(order[: max(mix.num_plan, mix.num_act)]):
            task = screen.tasks[index]
            element = by_id.get(task.element_id) if task.element_id is not None else None
            if task.element_id is not None and element is None:
                continue
            center = _center(element, shift) if element else None
            step = task_step(screen, task, center)
            expression = choose_expression(rng, element.expressions) if element else None
            if k < mix.num_plan:
                plan = Plan(expression, task.action_type, task.value)
                rows.append(Question(planner_prompt(PROFILE, step), format_plan(plan), 1.0))
            if k < mix.num_act:
                answer = format_act(PROFILE, FRAME, task.action_type, task.value, center)
                rows.append(Question(actor_prompt(PROFILE, step), answer, 1.0))
        return rows

    def tree(self, screen: SynthScreen, mix: QuestionMix, index: int) -> Tree | None:
        """The packed questions of draw number ``index``, or None if there is nothing to ask."""
        rng = np.random.default_rng([self.seed, index])
        limit = self.max_shift_px
        is_moved = limit and rng.random() < 0.5
        dx, dy = (int(v) for v in rng.integers(-limit, limit + 1, size=2)) if is_moved else (0, 0)
        questions = self.questions(screen, mix, rng, (dx, dy))
        if not questions:
            return None
        pixels = np.asarray(Image.open(io.BytesIO(screen.png)).convert("RGB"))
        pixels = moved(pixels, dx, dy)
        return make_tree(
            [self.prompt_ids(q.prompt) for q in questions],
            [self.answer_ids(q.answer) for q in questions],
            patchify(pixels),
            torch.tensor([[1, GRID, GRID]]),
            [q.weight for q in questions],
        )
