"""A source's boxes and points in pixels of the picture. Unit and order are said, never guessed."""

from __future__ import annotations

from typing import Any

from coepg.data.importers.base import BoxOrder, BoxUnit
from coepg.data.importers.pictures import clipped_box
from coepg.data.importers.values import numbers_of
from coepg.errors import DataError
from coepg.types import Box, Frame, Point, Size, Space

SPACES: dict[str, Space] = {
    "px": Space.IMAGE_PX,
    "norm1": Space.NORM1,
    "norm1000": Space.NORM1000,
}
"""The space of each unit that a source may use."""
POINT_BOX_SIDE_PX = 2.0
"""A point without a box becomes a box of this side, tagged ``target_box_source=point``."""
POINT_TAG = {"target_box_source": "point"}
MIN_INSIDE_SHARE = 0.5
"""Of boxes that a page may really push over its edge, so much must lie in the picture."""


def box_px(
    values: Any,
    unit: BoxUnit,
    order: BoxOrder,
    size: Size,
    where: str,
    *,
    name: str = "bbox",
    may_overhang: bool = False,
) -> Box:
    """A source's box in pixels of the picture.

    Args:
        values: four numbers.
        unit: what they measure.
        order: what they mean: two corners, or a corner and a size.
        size: of the picture.
        where: file and row, for messages.
        name: of the field, for messages.
        may_overhang: cut a box that leaves the picture by less than half of its area; otherwise
            only two pixels are forgiven.

    Raises:
        DataError: not four numbers, a right edge left of the left one, or a box that is not in
            the picture. A box of the other order often shows by one of these, not always.

    Example:
        >>> box_px([10, 20, 30, 40], "px", "xywh", Size(100, 100), "a.json").as_tuple()
        (10.0, 20.0, 40.0, 60.0)
    """
    a, b, c, d = numbers_of(values, 4, name, where)
    corners = {
        "x0y0x1y1": (a, b, c, d),
        "left_top_right_bottom": (a, b, c, d),
        "xywh": (a, b, a + c, b + d),
        "yxhw": (b, a, b + d, a + c),
    }[order]
    try:
        box = Frame(size).convert_box(Box(*corners, SPACES[unit]), Space.IMAGE_PX)
    except ValueError as error:
        raise DataError(
            f"{where}: {name}", found=f"{values!r}", expected=f"{order} in {unit}",
            fix=f"mend the box, or check the order of its numbers ({error})",
        ) from error  # fmt: skip
    if may_overhang:
        return overhanging_box(box, size, f"{where}: {name}")
    return clipped_box(box, size, f"{where}: {name}")


def overhanging_box(box: Box, size: Size, where: str) -> Box:
    """The part of a box that the picture shows.

    Raises:
        DataError: less than half of it.
    """
    x0, y0 = max(0.0, box.x0), max(0.0, box.y0)
    x1, y1 = min(float(size.width), box.x1), min(float(size.height), box.y1)
    if x0 > x1 or y0 > y1 or (x1 - x0) * (y1 - y0) < MIN_INSIDE_SHARE * box.area:
        raise DataError(
            where,
            found=f"{list(box.as_tuple())}, mostly outside",
            expected=f"a box in the picture of {size.width} x {size.height} px",
            fix="check the order and unit of boxes, and that the picture is the annotated one",
        )
    return Box(x0, y0, x1, y1)


def point_px(values: Any, unit: BoxUnit, size: Size, where: str, *, name: str = "point") -> Point:
    """A source's point ``[x, y]`` in pixels of the picture.

    Raises:
        DataError: not two numbers, or outside the picture by more than two pixels.
    """
    x, y = numbers_of(values, 2, name, where)
    point = Frame(size).convert(Point(x, y, SPACES[unit]), Space.IMAGE_PX)
    inside = clipped_box(Box(point.x, point.y, point.x, point.y), size, f"{where}: {name}")
    return Point(inside.x0, inside.y0)


def point_box(point: Point, size: Size) -> Box:
    """The small box that stands for a point."""
    half = POINT_BOX_SIDE_PX / 2
    return Box(
        max(0.0, point.x - half), max(0.0, point.y - half),
        min(float(size.width), point.x + half), min(float(size.height), point.y + half),
    )  # fmt: skip
