"""Boxes made larger, as scripts of several benchmarks do before they look for a point in them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from coepg.types import Box, Point


def enlarged(box: Box, factor: float) -> Box:
    """The box with both sides times ``factor`` about its centre, not clipped.

    Qwen2.5-VL's AndroidControl evaluation (issue QwenLM/Qwen2.5-VL#904) and CoAT use factor 1.2.

    Example:
        >>> enlarged(Box(0, 0, 10, 20), 1.2).as_tuple()
        (-1.0, -2.0, 11.0, 22.0)
    """
    grow_x = (box.x1 - box.x0) * (factor - 1) / 2
    grow_y = (box.y1 - box.y0) * (factor - 1) / 2
    return Box(box.x0 - grow_x, box.y0 - grow_y, box.x1 + grow_x, box.y1 + grow_y, box.space)


def enlarged_from_corner(box: Box, factor: float, extent: float) -> Box:
    """The box enlarged as AITW's script does it: corner first, then sides, each clipped alone.

    With side w and left edge x: x' = max(0, x - (factor-1) w / 2), w' = min(extent, factor w). At
    the left and top border the box therefore moves instead of being cut (google-research
    android_in_the_wild, action_matching.py; AgentCPM-GUI eval/utils/evaluator.py).

    Args:
        box: in a space whose screen runs from 0 to ``extent``.
        factor: 2.4 in AITW ("1.4 more"), 1.2 in AgentCPM-GUI.
        extent: 1 for ``NORM1``, 1000 for ``NORM1000``.

    Example:
        >>> enlarged_from_corner(Box(0, 400, 100, 500), 2.0, 1000).as_tuple()
        (0, 350.0, 200.0, 550.0)
    """
    width, height = box.x1 - box.x0, box.y1 - box.y0
    left = max(0, box.x0 - (factor - 1) * width / 2)
    top = max(0, box.y0 - (factor - 1) * height / 2)
    right = left + min(extent, factor * width)
    bottom = top + min(extent, factor * height)
    return Box(left, top, right, bottom, box.space)


def hits_any(point: Point, boxes: Iterable[Box]) -> bool:
    """Whether the point lies in one of the boxes, edges included."""
    return any(box.contains(point) for box in boxes)


def distance(a: Point, b: Point) -> float:
    """Euclidean distance, in units of the two points' common space.

    Raises:
        ValueError: the spaces differ.
    """
    if a.space is not b.space:
        raise ValueError(f"points in {a.space.value} and {b.space.value} have no distance")
    return math.hypot(a.x - b.x, a.y - b.y)


def smallest_box(boxes: Iterable[Box], point: Point) -> Box | None:
    """The box of least area that holds the point, the first of equals; None if none does."""
    holding = [box for box in boxes if box.contains(point)]
    return min(holding, key=lambda box: box.area) if holding else None


def box_iou(a: Box, b: Box) -> float:
    """Intersection over union, areas below 1 counted as 1 (CoAT coat/screen_utils.py, pixels)."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    shared = max(0.0, width) * max(0.0, height)
    return shared / (max(a.area, 1.0) + max(b.area, 1.0) - shared)
