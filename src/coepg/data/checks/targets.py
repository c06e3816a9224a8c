"""Targets too small to be seen after the model's own resize."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Row
from coepg.types import Frame, Size, Space

TINY_PX = 10
SMALL_PX = 16
"""The shorter side of a target, in pixels of the picture that the model sees."""


@dataclass(frozen=True, slots=True)
class ModelResize:
    """How a model shrinks pictures.

    Attributes:
        name: of the model profile.
        resize: size of the picture -> size that the model sees, or None if it takes no such shape.
        num_tokens: size of the picture -> image tokens; only for shapes that it takes.
    """

    name: str
    resize: Callable[[Size], Size | None]
    num_tokens: Callable[[Size], int]


class SmallTargets:
    """Boxes below `TINY_PX` and `SMALL_PX`; boxes made from a point have no size of their own."""

    def __init__(self, model: ModelResize) -> None:
        self.model = model
        self.total = 0
        self.tiny, self.small = Tally(), Tally()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None or step.target_box_px is None:
            return
        if step.tags.get("target_box_source") == "point":
            return
        seen = self.model.resize(step.screenshot.size)
        if seen is None:
            return
        self.total += 1
        frame = Frame(step.screenshot.size, model=seen)
        box = frame.convert_box(step.target_box_px, Space.MODEL_PX)
        width, height = box.x1 - box.x0, box.y1 - box.y0
        detail = f"{width:.1f} x {height:.1f} px in {seen.width} x {seen.height}"
        if min(width, height) < TINY_PX:
            self.tiny.add(row, detail)
        elif min(width, height) < SMALL_PX:
            self.small.add(row, detail)

    def findings(self) -> list[Finding]:
        """How many targets are that small."""
        name = self.model.name
        return [
            *self.tiny.finding(
                f"target_below_{TINY_PX}_px", "warning",
                f"Targets are less than {TINY_PX} px high or wide after the resize of {name}.",
                self.total, "cut the pictures (--crop), or raise the model's max_pixels",
            ),
            *self.small.finding(
                f"target_below_{SMALL_PX}_px", "info",
                f"Targets are {TINY_PX} to {SMALL_PX} px high or wide after the resize of {name}.",
                self.total,
            ),
        ]  # fmt: skip
