"""Gold actions: what a demonstrator wants done next, on which element, and how to call it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from coepg.types import has_target

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from coepg.data.miniwob.environment import MiniwobPage

Demonstration = Iterator["GoldAction"]
"""Gold actions of one episode, each worked out after the one before it was carried out."""
Demonstrator = Callable[["MiniwobPage"], Demonstration]


class SkipEpisode(Exception):
    """This seed has no clean demonstration (two equal targets, a covered or unreachable one)."""


@dataclass(frozen=True, slots=True)
class GoldAction:
    """One gold action.

    Attributes:
        kind: a kind of `coepg.types.ACTION_CLASSES`.
        element: the target; for a scroll, the element that scrolls.
        role: what the target is, in one of the recorder's role words.
        name: visible text, label or meaning of the target; "" for an unlabelled single one.
        value: text, option or direction.
        settle_s: how long the page may take to react, beyond the usual.
    """

    kind: str
    element: ElementHandle
    role: str = ""
    name: str = ""
    value: str | None = None
    settle_s: float = 0.0

    @property
    def target_repr(self) -> str:
        """``[role] name``, or "" for an action without a target."""
        return f"[{self.role}] {self.name}".strip() if has_target(self.kind) else ""

    @property
    def history_line(self) -> str:
        """``[role] name -> type: value``, each part only where there is one."""
        done = self.kind if self.value is None else f"{self.kind}: {self.value}"
        return f"{self.target_repr} -> {done}" if self.target_repr else done


def click(element: ElementHandle, role: str, name: str) -> GoldAction:
    """Click the element."""
    return GoldAction("click", element, role, name)


def hover(element: ElementHandle, role: str, name: str, *, settle_s: float = 0.5) -> GoldAction:
    """Rest the pointer on the element until what it opens is open."""
    return GoldAction("hover", element, role, name, settle_s=settle_s)


def enter(element: ElementHandle, text: str, name: str, role: str = "text field") -> GoldAction:
    """Replace the field's contents by the text."""
    return GoldAction("type", element, role, name, text)


def select(element: ElementHandle, option: str, name: str) -> GoldAction:
    """Choose the option of a native drop-down or list."""
    return GoldAction("select", element, "drop-down", name, option)


def scroll(container: ElementHandle, direction: str) -> GoldAction:
    """Reveal half a screen more of the container's content in ``direction``."""
    return GoldAction("scroll", container, value=direction)
