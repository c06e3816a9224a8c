"""Points and boxes, each with the space that it lives in, and exact conversions.

A bare ``(x, y)`` never crosses a module border. Five spaces exist:

========== ===================================================== =====================
space      unit                                                  who speaks it
========== ===================================================== =====================
IMAGE_PX   pixels of the stored screenshot                       datasets, metrics
NORM1      0..1 of width and height                              some datasets
NORM1000   0..1000 of width and height                           Qwen3-VL, tiny models
MODEL_PX   pixels of the picture after the model's own resize    Qwen2.5-VL
DEVICE     the device's input units (CSS pixels, touch pixels)   drivers
========== ===================================================== =====================

A `Frame` holds the sizes that tie the spaces together for one screenshot. All conversions go
through fractions of the width and height, so they are linear and invertible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


class Space(str, Enum):
    """The coordinate space of a point or box."""

    IMAGE_PX = "image_px"
    NORM1 = "norm1"
    NORM1000 = "norm1000"
    MODEL_PX = "model_px"
    DEVICE = "device"


@dataclass(frozen=True, slots=True)
class Size:
    """Width and height of a picture, in pixels."""

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise ValueError(f"size {self.width}x{self.height}: both sides must be at least 1")


@dataclass(frozen=True, slots=True)
class Point:
    """A point in a named space."""

    x: float
    y: float
    space: Space = Space.IMAGE_PX

    def __post_init__(self) -> None:
        if not (math.isfinite(self.x) and math.isfinite(self.y)):
            raise ValueError(f"point ({self.x}, {self.y}): coordinates must be finite")


@dataclass(frozen=True, slots=True)
class Box:
    """A box ``x0, y0, x1, y1`` (left, top, right, bottom) in a named space; far edges included."""

    x0: float
    y0: float
    x1: float
    y1: float
    space: Space = Space.IMAGE_PX

    def __post_init__(self) -> None:
        corners = (self.x0, self.y0, self.x1, self.y1)
        if not all(math.isfinite(v) for v in corners):
            raise ValueError(f"box {corners}: coordinates must be finite")
        if self.x1 < self.x0 or self.y1 < self.y0:
            raise ValueError(
                f"box {corners}: expected x0 <= x1 and y0 <= y1 (left, top, right, bottom)"
            )

    @property
    def center(self) -> Point:
        """The middle of the box, in the box's space."""
        return Point((self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2, self.space)

    @property
    def area(self) -> float:
        """Width times height, in squared units of the space."""
        return (self.x1 - self.x0) * (self.y1 - self.y0)

    def contains(self, point: Point) -> bool:
        """Whether the point lies inside or on the edge (the hit rule of ScreenSpot and UGround)."""
        if point.space is not self.space:
            raise ValueError(
                f"cannot compare a point in {point.space.value} with a box in {self.space.value}"
            )
        return self.x0 <= point.x <= self.x1 and self.y0 <= point.y <= self.y1

    def as_tuple(self) -> tuple[float, float, float, float]:
        """``(x0, y0, x1, y1)`` without the space."""
        return (self.x0, self.y0, self.x1, self.y1)


@dataclass(frozen=True, slots=True)
class Frame:
    """The sizes of one screenshot in every space, and conversions between them.

    Args:
        image: size of the stored screenshot.
        model: size of the picture that the model really processed, after its resize.
        device: size of the device's input area (for a browser: the viewport in CSS pixels).

    Example:
        >>> frame = Frame(Size(1920, 1080), model=Size(1904, 1064))
        >>> frame.convert(Point(500, 500, Space.NORM1000), Space.IMAGE_PX)
        Point(x=960.0, y=540.0, space=<Space.IMAGE_PX: 'image_px'>)
    """

    image: Size
    model: Size | None = None
    device: Size | None = None

    def extent(self, space: Space) -> tuple[float, float]:
        """Width and height of the whole screenshot, in units of ``space``."""
        if space is Space.NORM1:
            return (1.0, 1.0)
        if space is Space.NORM1000:
            return (1000.0, 1000.0)
        size = {Space.IMAGE_PX: self.image, Space.MODEL_PX: self.model, Space.DEVICE: self.device}[
            space
        ]
        if size is None:
            raise ValueError(f"this frame does not know the size of the space {space.value}")
        return (float(size.width), float(size.height))

    def convert(self, point: Point, space: Space) -> Point:
        """The same place, in another space."""
        if point.space is space:
            return point
        (sw, sh), (tw, th) = self.extent(point.space), self.extent(space)
        return Point(point.x * tw / sw, point.y * th / sh, space)

    def convert_box(self, box: Box, space: Space) -> Box:
        """The same box, in another space."""
        if box.space is space:
            return box
        low = self.convert(Point(box.x0, box.y0, box.space), space)
        high = self.convert(Point(box.x1, box.y1, box.space), space)
        return Box(low.x, low.y, high.x, high.y, space)
