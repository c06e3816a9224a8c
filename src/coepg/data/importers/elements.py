"""The element under a point: what a source that stores points only is joined with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from coepg.types import Box, Point, ScreenText, Size, TextSource

POINT_BOX_SHARE = 0.04
"""Side of the box around a bare point, as a share of the screen's shorter side.

The distance within which AITW takes touch and lift for one place; 43 px on a screen of 1080.
"""


@dataclass(frozen=True, slots=True)
class Element:
    """One annotated element of a screen.

    Attributes:
        box_px: inside the picture.
        name: its text or description; "" if it has none.
        role: its kind, in the source's word.
    """

    box_px: Box
    name: str = ""
    role: str = ""


def smallest_at(elements: Iterable[Element], point: Point) -> Element | None:
    """The element of least area that holds a point, the first of equal ones; None without one."""
    holding = [e for e in elements if e.box_px.area > 0 and e.box_px.contains(point)]
    return min(holding, key=lambda e: e.box_px.area, default=None)


def box_around(point: Point, size: Size) -> Box:
    """The box that stands for a point (`POINT_BOX_SHARE`), clipped to the picture."""
    half = max(1.0, POINT_BOX_SHARE * min(size.width, size.height) / 2)
    box = visible_part(Box(point.x - half, point.y - half, point.x + half, point.y + half), size)
    return box or Box(point.x, point.y, point.x, point.y)


def visible_part(box: Box, size: Size) -> Box | None:
    """The part of a box inside its picture, or None if there is none.

    For sources whose elements may reach beyond the screen, such as lists that scroll.
    """
    x0, y0 = max(0.0, box.x0), max(0.0, box.y0)
    x1, y1 = min(float(size.width), box.x1), min(float(size.height), box.y1)
    return Box(x0, y0, x1, y1) if x0 <= x1 and y0 <= y1 else None


def whole_screen(size: Size) -> Box:
    """The box of the picture."""
    return Box(0, 0, size.width, size.height)


def screen_texts(elements: Iterable[Element], source: TextSource) -> tuple[ScreenText, ...]:
    """The elements that have a name, as screen text."""
    return tuple(ScreenText(e.name, e.box_px, source, e.role) for e in elements if e.name)
