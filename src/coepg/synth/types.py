"""Nouns of the synthetic screens: elements, tasks, screens."""

from __future__ import annotations

from dataclasses import dataclass, field

SCREEN_SIZE_PX = 160
"""Width and height of one screen."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels of the screen; right and bottom are exclusive."""


@dataclass(frozen=True, slots=True)
class ScreenElement:
    """One visible widget, text or drawing of a screen.

    Attributes:
        element_id: Number that is unique on the screen.
        role: Kind of element, such as "button" or "text field".
        name: Visible text, label or icon name; empty if there is none.
        color: Named colour of a shape or swatch, else empty.
        shape: Geometric form of a shape, else empty.
        size: "small" or "large" for shapes that come in two sizes, else empty.
        value: Text that a field holds or option that a drop-down shows.
        checked: Whether the box is ticked or the tab or item is selected.
        clickable: Whether a click on it does something.
        box_px: Box of the widget itself.
        label_box_px: Box of the separate label text, if there is one.
        expressions: Referring expressions that fit this element alone,
            simplest first.
    """

    element_id: int
    role: str
    name: str
    box_px: Box
    color: str = ""
    shape: str = ""
    size: str = ""
    value: str = ""
    checked: bool = False
    clickable: bool = True
    label_box_px: Box | None = None
    expressions: tuple[str, ...] = ()

    @property
    def center_px(self) -> tuple[float, float]:
        """Centre of the box."""
        left, top, right, bottom = self.box_px
        return (left + right) / 2, (top + bottom) / 2


@dataclass(frozen=True, slots=True)
class ScreenTask:
    """One planner sample: what to do next on a screen.

    Attributes:
        instruction: The user's request.
        history: Actions already done, such as "[button] Submit -> click".
        element_id: Element to act on; None for actions on the whole screen.
        action_type: click, type, select, scroll, press, double_click, right_click.
        value: Text to type, option to select, scroll direction or key.
        kind: Family of the task, for statistics.
    """

    instruction: str
    history: tuple[str, ...]
    element_id: int | None
    action_type: str
    value: str | None
    kind: str


@dataclass(frozen=True, slots=True)
class Glyph:
    """One visible letter, digit or mark.

    Attributes:
        text: the character.
        center_px: middle of its box, in pixels of the screen.
    """

    text: str
    center_px: tuple[float, float]


@dataclass(frozen=True, slots=True)
class SynthScreen:
    """One rendered screen with its elements and planner samples; sheets know their letters too."""

    screen_id: str
    seed: int
    png: bytes
    width: int
    height: int
    elements: tuple[ScreenElement, ...] = field(default=())
    tasks: tuple[ScreenTask, ...] = field(default=())
    glyphs: tuple[Glyph, ...] = field(default=())
