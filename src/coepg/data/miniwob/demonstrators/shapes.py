"""Colours, shapes, shades and points on a grid: targets that only the picture shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from coepg.data.miniwob.demonstrators.common import found, press_button
from coepg.data.miniwob.environment import text_of
from coepg.data.miniwob.gold import Demonstration, Demonstrator, SkipEpisode, click

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from coepg.data.miniwob.environment import MiniwobPage

SHAPE_OF_TAG = {"rect": "rectangle", "circle": "circle", "polygon": "triangle"}
SIZES = ("small", "large")
SHAPE_COLORS = ("red", "green", "blue", "aqua", "black", "magenta", "yellow")
LARGE_PX = 15
"""Shapes are drawn 10 or 20 pixels high."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure on the drawing.

    Attributes:
        element: its SVG element.
        size: ``small`` or ``large``.
        color: its colour word.
        kind: ``shape``, ``letter`` or ``digit``.
        what: the shape's word, or the character.
    """

    element: ElementHandle
    size: str
    color: str
    kind: str
    what: str

    @property
    def name(self) -> str:
        """``large red circle``, or ``small blue "k"``."""
        what = self.what if self.kind == "shape" else f'"{self.what}"'
        return f"{self.size} {self.color} {what}"

    def fits(self, description: str) -> bool:
        """Whether a description such as ``small red item`` covers this figure."""
        words = description.split()
        if len(words) > 1 and words[0] in SIZES and words.pop(0) != self.size:
            return False
        if len(words) > 1 and words[0] in SHAPE_COLORS and words.pop(0) != self.color:
            return False
        return words[0] in ("item", self.kind, self.what)


def figures(screen: MiniwobPage) -> list[Figure]:
    """The figures of the drawing, in document order."""
    seen = []
    for element in screen.all("#area_svg > *"):
        tag, color, size_px = element.evaluate(
            "e => [e.tagName, e.getAttribute('fill'), e.tagName === 'text'"
            " ? parseFloat(e.getAttribute('font-size')) : e.getBBox().height]"
        )
        size = "large" if size_px > LARGE_PX else "small"
        if tag == "text":
            character = text_of(element)
            kind = "digit" if character.isdigit() else "letter"
            seen.append(Figure(element, size, color, kind, character))
        else:
            seen.append(Figure(element, size, color, "shape", SHAPE_OF_TAG[tag]))
    return seen


def click_shape(screen: MiniwobPage) -> Demonstration:
    """Click a figure that fits, one whose full description no other figure shares."""
    wanted = found(r"Click on an? (.+)$", screen.instruction)[1]
    drawn = figures(screen)
    names = [figure.name for figure in drawn]
    fitting = [f for f in drawn if f.fits(wanted)]
    if len(fitting) != 1:
        raise SkipEpisode(f"{len(fitting)} figures fit {wanted!r}")
    if names.count(fitting[0].name) > 1:
        raise SkipEpisode("two figures of one description")
    yield click(fitting[0].element, "shape", fitting[0].name)


def count_shape(screen: MiniwobPage) -> Demonstration:
    """Click the number of fitting figures."""
    wanted = found(r"How many (.+)s are there", screen.instruction)[1]
    count = sum(figure.fits(wanted) for figure in figures(screen))
    yield from press_button(screen, str(count))


def identify_shape(screen: MiniwobPage) -> Demonstration:
    """Click the word for the one figure."""
    figure = figures(screen)[0]
    words = {"digit": "Number", "letter": "Letter"}
    yield from press_button(screen, words.get(figure.kind, figure.what.capitalize()))


def click_color(screen: MiniwobPage) -> Demonstration:
    """Click the box of the named colour."""
    color = found("Click on the (.+) colored box", screen.instruction)[1]
    yield click(screen.one(f'#area .color[data-color="{color}"]'), "swatch", color)


def click_shades(screen: MiniwobPage) -> Demonstration:
    """Mark every shade of a colour, then submit."""
    color = found(r"shades of (\w+)", screen.instruction)[1]
    swatches = screen.all("#area span[data-color]")
    tops = sorted({round(_top_px(e)) for e in swatches})
    columns = dict.fromkeys(tops, 0)
    for swatch in swatches:
        top = round(_top_px(swatch))
        columns[top] += 1
        if swatch.get_attribute("data-color") == color:
            place = f"row {tops.index(top) + 1} column {columns[top]}"
            yield click(swatch, "swatch", f"{color} in {place}")
    yield from press_button(screen)


def _top_px(element: ElementHandle) -> float:
    return float(element.evaluate("e => e.getBoundingClientRect().top"))


def grid_coordinate(screen: MiniwobPage) -> Demonstration:
    """Click a point of the grid."""
    place = found(r"(\(-?\d,-?\d\))", screen.instruction)[1]
    yield click(screen.one(f'circle[id="{place}"]'), "shape", f"point {place}")


SHAPES: dict[str, Demonstrator] = {
    "click-color": click_color,
    "click-shades": click_shades,
    "click-shape": click_shape,
    "count-shape": count_shape,
    "grid-coordinate": grid_coordinate,
    "identify-shape": identify_shape,
}
