"""What demonstrators share: reading the instruction, naming by position, scrolling into view."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from coepg.data.miniwob.gold import Demonstration, GoldAction, SkipEpisode, click, scroll

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from coepg.data.miniwob.environment import MiniwobPage

MAX_SCROLLS = 12
BLANK = "blank"
"""The name of a field that has no label and no contents."""


def found(pattern: str, text: str) -> re.Match[str]:
    """The first match of a pattern in an instruction.

    Raises:
        SkipEpisode: there is none.
    """
    match = re.search(pattern, text)
    if match is None:
        raise SkipEpisode(f"{pattern!r} not in {text!r}")
    return match


def ordinal(index: int) -> str:
    """``1st`` for 0, ``2nd`` for 1, and so on.

    Example:
        >>> [ordinal(i) for i in (0, 1, 2, 3, 10)]
        ['1st', '2nd', '3rd', '4th', '11th']
    """
    number = index + 1
    if 10 <= number % 100 <= 20:
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"


def is_in_view(screen: MiniwobPage, element: ElementHandle, share: float = 0.75) -> bool:
    """Whether at least this share of the element can be seen in the picture."""
    seen = screen.visible_box(element)
    return seen is not None and seen.share >= share


def reveal(
    screen: MiniwobPage, element: ElementHandle, container: ElementHandle
) -> Iterator[GoldAction]:
    """Scroll the container until the element can be seen; nothing when it can be already."""
    for _ in range(MAX_SCROLLS):
        if is_in_view(screen, element):
            return
        above = element.evaluate(
            "(e, c) => e.getBoundingClientRect().top < c.getBoundingClientRect().top", container
        )
        yield scroll(container, "up" if above else "down")
    raise SkipEpisode("scrolling does not reveal the target")


def scroll_to_end(
    screen: MiniwobPage, container: ElementHandle, direction: str
) -> Iterator[GoldAction]:
    """Scroll the container until it moves no further."""
    for _ in range(MAX_SCROLLS):
        left_px = container.evaluate(
            "(e, up) => up ? e.scrollTop : e.scrollHeight - e.clientHeight - e.scrollTop",
            direction == "up",
        )
        if left_px < 2:
            return
        yield scroll(container, direction)
    raise SkipEpisode("too long a text to scroll through")


def press_button(screen: MiniwobPage, text: str = "Submit") -> Demonstration:
    """Click the one button with this text."""
    yield click(screen.only("#area button", text), "button", text)
