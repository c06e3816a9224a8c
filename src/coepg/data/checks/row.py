"""One row of a dataset as stored, with the step if it is one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from coepg.data.table import StepTable
from coepg.errors import DataError
from coepg.types import Size, Step

Corners = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A stored row.

    Attributes:
        split: its file.
        number: its place there.
        values: by column.
        step: None if the row cannot be read as one.
        error: why not.
    """

    split: str
    number: int
    values: Mapping[str, Any]
    step: Step | None
    error: DataError | None = None

    @property
    def step_id(self) -> str:
        """The step's name, or the row's number."""
        return str(self.values.get("step_id") or f"row {self.number}")

    @property
    def size(self) -> Size | None:
        """Of the picture, as the row says."""
        width, height = self.values.get("image_width"), self.values.get("image_height")
        return Size(width, height) if width and height and min(width, height) > 0 else None

    @property
    def corners(self) -> Corners | None:
        """The target's box as stored, whether it is one or not; None if it is no four numbers."""
        values = self.values.get("target_box_px")
        if values is None or len(values) != 4 or any(v is None for v in values):
            return None
        x0, y0, x1, y1 = map(float, values)
        return (x0, y0, x1, y1) if all(map(math.isfinite, (x0, y0, x1, y1))) else None

    @property
    def point(self) -> tuple[float, float] | None:
        """Where the annotator acted, in pixels."""
        values = self.values.get("target_point_px")
        if values is None or len(values) != 2 or any(v is None for v in values):
            return None
        return float(values[0]), float(values[1])


def iter_rows(table: StepTable, split: str) -> Iterator[Row]:
    """All rows of a split, good and bad, in memory that does not grow.

    Raises:
        DataError: no such split, or its file is damaged.
    """
    for number, values in enumerate(table.raw_rows(split)):
        step, error = None, None
        try:
            step = table.step_at(split, number)
        except DataError as found:
            error = found
        yield Row(split, number, values, step, error)
