"""Stage: the nodes of one screen, their HTML and the scripts that run on them.

A page family adds nodes to a stage, places them in a body template and states
scripts (instruction plus steps). Nodes hold the mutable state, so that a screen
can be drawn as it looks after the first steps of a script.
"""

from __future__ import annotations

import html
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from coepg.synth.phrases import Phrases
from coepg.synth.words import WordSource

_OPEN, _CLOSE = "\u27e6", "\u27e7"


@dataclass(slots=True)
class Node:
    """One element of a screen before it is rendered.

    Attributes mirror those of ScreenElement; `paint` turns the present state
    into HTML.
    """

    key: int
    role: str
    name: str
    paint: Callable[[Node], str]
    color: str = ""
    shape: str = ""
    size: str = ""
    value: str = ""
    checked: bool = False
    focused: bool = False
    clickable: bool = True
    group: str = ""
    options: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        """Attribute that lets the renderer find the element."""
        return f'data-k="{self.key}"'

    @property
    def slot(self) -> str:
        """Placeholder of this node in a body template."""
        return f"{_OPEN}{self.key}{_CLOSE}"

    @property
    def title(self) -> str:
        """Name for history lines; shapes are named by their looks."""
        if self.name:
            return self.name
        return " ".join(part for part in (self.size, self.color, self.shape) if part)


@dataclass(slots=True)
class Step:
    """One action of a script.

    Attributes:
        node: Element acted on; None for the screen.
        action: Action type.
        value: Text, option, direction or key.
        effect: Changes beyond the node's own default reaction.
    """

    node: Node | None
    action: str = "click"
    value: str | None = None
    effect: Callable[[], None] | None = None

    @property
    def history_line(self) -> str:
        """The step as the history shows it."""
        node = self.node
        head = "[screen]" if node is None else f"[{node.role}] {node.title}".rstrip()
        tail = self.action if self.value is None else f"{self.action}: {self.value}"
        return f"{head} -> {tail}"


@dataclass(slots=True)
class Script:
    """An instruction with the steps that carry it out."""

    kind: str
    instruction: str
    steps: list[Step]


@dataclass(slots=True)
class Theme:
    """Looks shared by all widgets of one screen."""

    font_px: float
    family: str
    button_font_px: float
    button_look: str
    button_tag: str
    accent: str
    bar: str
    pad_px: int
    hide_scroll_bars: bool

    @classmethod
    def draw(cls, rng: random.Random) -> Theme:
        """Random looks, mostly 10 px Arial."""
        font_px = rng.choice((10, 10, 10, 10, 10, 10, 9, 11, 12, 13))
        return cls(
            font_px=font_px,
            family=rng.choice(("Arial",) * 6 + ("sans-serif", "Verdana", "Times New Roman")),
            button_font_px=rng.choice((font_px, font_px, font_px, 10, 11, 13.333)),
            button_look=rng.choice(("native",) * 7 + ("bordered", "bordered", "filled")),
            button_tag=rng.choice(("button", "button", "button", "input")),
            accent=rng.choice(("#007fff", "#2a6fb5", "#3a7d44", "#555555", "#8a3ab9", "#c0392b")),
            bar=rng.choice(("#f6f6f6", "#e9e9e9", "#dfeffc", "#eef3ea", "#cccccc", "#fdf5ce")),
            pad_px=rng.choice((0, 2, 2, 3, 4, 5, 8)),
            hide_scroll_bars=rng.random() < 0.25,
        )


@dataclass(slots=True)
class Stage:
    """Collects nodes, body and scripts of one screen."""

    rng: random.Random
    words: WordSource
    theme: Theme
    phrases: Phrases
    family: str = ""
    nodes: list[Node] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)
    body: str = ""
    scrollable: bool = False

    @classmethod
    def from_seed(cls, seed: int) -> Stage:
        """Empty stage whose every draw follows from the seed."""
        rng = random.Random(seed)
        return cls(rng, WordSource(rng), Theme.draw(rng), Phrases(rng))

    def add(
        self,
        role: str,
        name: str,
        paint: Callable[[Node], str],
        *,
        color: str = "",
        shape: str = "",
        size: str = "",
        value: str = "",
        checked: bool = False,
        clickable: bool = True,
        group: str = "",
        options: tuple[str, ...] = (),
    ) -> Node:
        """Registers a node and returns it."""
        node = Node(
            key=len(self.nodes),
            role=role,
            name=name,
            paint=paint,
            color=color,
            shape=shape,
            size=size,
            value=value,
            checked=checked,
            clickable=clickable,
            group=group,
            options=options,
        )
        self.nodes.append(node)
        return node

    def script(self, kind: str, instruction: str, steps: list[Step]) -> None:
        """States one thing a user could ask for on this screen."""
        self.scripts.append(Script(kind, instruction, steps))

    def perform(self, step: Step) -> None:
        """Changes the state of the nodes as the action would."""
        node = step.node
        for other in self.nodes:
            other.focused = False
        if node is not None:
            if step.action in ("type", "select"):
                node.value = step.value or ""
                node.focused = step.action == "type"
            elif step.action == "click":
                self._click(node)
        if step.effect is not None:
            step.effect()

    def _click(self, node: Node) -> None:
        """Default reaction of boxes, radios, options and fields to a click."""
        if node.role == "checkbox":
            node.checked = not node.checked
        elif node.role in ("radio button", "option", "tab", "menu item", "list item"):
            if node.group:
                for other in self.nodes:
                    if other.group == node.group:
                        other.checked = other is node
        elif node.role in ("text field", "password field", "text area"):
            node.focused = True

    def source(self) -> str:
        """HTML of the screen in its present state."""
        text = self.body
        while _OPEN in text:
            head, _, rest = text.partition(_OPEN)
            key, _, tail = rest.partition(_CLOSE)
            node = self.nodes[int(key)]
            text = head + node.paint(node) + tail
        return text


def esc(text: str) -> str:
    """Text made safe for HTML."""
    return html.escape(text, quote=True)
