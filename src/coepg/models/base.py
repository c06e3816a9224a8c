"""The seams: what the loop asks of any planner and any grounder, whatever runs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from PIL import Image

from coepg.types import Grounding, Point, Rollout, Screenshot, Step
from coepg.types.screen import ScreenText


class ImageStore(Protocol):
    """Where pictures come from."""

    def image(self, image_hash: str) -> Image.Image:
        """The RGB picture of that content hash."""
        ...


@dataclass(frozen=True, slots=True)
class Observation:
    """What a planner is shown besides the screenshot and the task."""

    screen_text: str = "none"
    history_max_steps: int = 8
    max_screen_text_items: int = 40


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample: temperature 0 is greedy; never truncated (no top-p, no top-k)."""

    num_samples: int = 1
    temperature: float = 0.0
    max_tokens: int = 64
    seed: int = 0


@dataclass(frozen=True, slots=True)
class GroundingRequest:
    """Several referring expressions on one screen."""

    screenshot: Screenshot
    elements: tuple[str, ...]
    screen_text: tuple[ScreenText, ...] = ()


class Planner(Protocol):
    """Writes plans for steps."""

    name: str

    def plan(self, steps: Sequence[Step], sampling: Sampling) -> list[list[Rollout]]:
        """``sampling.num_samples`` rollouts per step, in order."""
        ...


class Describer(Protocol):
    """Writes referring expressions of the gold element (bootstrapping only)."""

    name: str

    def describe(self, steps: Sequence[Step], sampling: Sampling) -> list[list[str]]:
        """``sampling.num_samples`` expressions per step; [] where the step has no target."""
        ...


class Grounder(Protocol):
    """Turns referring expressions into points."""

    name: str

    def ground(self, requests: Sequence[GroundingRequest]) -> list[list[Grounding | None]]:
        """One answer per element of each request; None where this member failed."""
        ...


@dataclass(frozen=True, slots=True)
class ActorRollout:
    """An end-to-end answer: the rollout (its plan has no element) and the point."""

    rollout: Rollout
    point_px: Point | None


class Actor(Protocol):
    """Answers with type, value and point at once (the end-to-end baseline)."""

    name: str

    def act(self, steps: Sequence[Step], sampling: Sampling) -> list[list[ActorRollout]]:
        """``sampling.num_samples`` answers per step, in order."""
        ...
