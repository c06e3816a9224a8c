"""Actions: one class per kind, the single source for prompt text, parser, JSON schema and docs.

The human- and model-facing form is a call, ``do(action="Click", element_description="...")``.
Scroll has one meaning: the direction of the *content to reveal* ("down" shows what is below).
`Swipe` is the finger's direction on a touch screen.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, get_args


@dataclass(frozen=True, slots=True)
class Action:
    """Base of all actions.

    Class attributes:
        kind: the action's name in data, prompts and logs (lower case, snake case).
        has_target: whether the action points at an element.
        value_field: the field that the planner's ``value`` fills, or "" if the action has none.
    """

    kind: ClassVar[str] = ""
    has_target: ClassVar[bool] = False
    value_field: ClassVar[str] = ""


@dataclass(frozen=True, slots=True)
class Click(Action):
    """Press the left button (or tap) once on the element."""

    kind: ClassVar[str] = "click"
    has_target: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class DoubleClick(Action):
    """Press the left button twice on the element."""

    kind: ClassVar[str] = "double_click"
    has_target: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class RightClick(Action):
    """Press the right button on the element."""

    kind: ClassVar[str] = "right_click"
    has_target: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class LongPress(Action):
    """Hold a finger on the element."""

    kind: ClassVar[str] = "long_press"
    has_target: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Hover(Action):
    """Move the pointer over the element."""

    kind: ClassVar[str] = "hover"
    has_target: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Drag(Action):
    """Drag the element onto the element that ``to`` describes."""

    to: str = ""
    kind: ClassVar[str] = "drag"
    has_target: ClassVar[bool] = True
    value_field: ClassVar[str] = "to"


@dataclass(frozen=True, slots=True)
class Type(Action):
    """Focus the element and enter ``text``."""

    text: str = ""
    kind: ClassVar[str] = "type"
    has_target: ClassVar[bool] = True
    value_field: ClassVar[str] = "text"


@dataclass(frozen=True, slots=True)
class Select(Action):
    """Choose ``option`` in a drop-down or list element."""

    option: str = ""
    kind: ClassVar[str] = "select"
    has_target: ClassVar[bool] = True
    value_field: ClassVar[str] = "option"


@dataclass(frozen=True, slots=True)
class Scroll(Action):
    """Reveal content in ``direction`` (up, down, left, right); ``amount`` is in screens."""

    direction: str = "down"
    amount: float = 0.5
    kind: ClassVar[str] = "scroll"
    value_field: ClassVar[str] = "direction"


@dataclass(frozen=True, slots=True)
class Swipe(Action):
    """Move a finger over the screen in ``direction`` (up, down, left, right)."""

    direction: str = "up"
    kind: ClassVar[str] = "swipe"
    value_field: ClassVar[str] = "direction"


@dataclass(frozen=True, slots=True)
class Press(Action):
    """Press ``keys`` (for example ``enter`` or ``ctrl+a``)."""

    keys: str = ""
    kind: ClassVar[str] = "press"
    value_field: ClassVar[str] = "keys"


@dataclass(frozen=True, slots=True)
class OpenApp(Action):
    """Open the app called ``name``."""

    name: str = ""
    kind: ClassVar[str] = "open_app"
    value_field: ClassVar[str] = "name"


@dataclass(frozen=True, slots=True)
class NavigateBack(Action):
    """Go back one page or screen."""

    kind: ClassVar[str] = "navigate_back"


@dataclass(frozen=True, slots=True)
class NavigateHome(Action):
    """Go to the home screen or start page."""

    kind: ClassVar[str] = "navigate_home"


@dataclass(frozen=True, slots=True)
class Wait(Action):
    """Do nothing for ``seconds``, while the screen changes."""

    seconds: str = "1"
    kind: ClassVar[str] = "wait"
    value_field: ClassVar[str] = "seconds"


@dataclass(frozen=True, slots=True)
class Finish(Action):
    """End the task with ``message``."""

    message: str = ""
    kind: ClassVar[str] = "finish"
    value_field: ClassVar[str] = "message"


@dataclass(frozen=True, slots=True)
class TakeOver(Action):
    """Hand over to a human, saying why in ``message``."""

    message: str = ""
    kind: ClassVar[str] = "take_over"
    value_field: ClassVar[str] = "message"


AnyAction = (
    Click
    | DoubleClick
    | RightClick
    | LongPress
    | Hover
    | Drag
    | Type
    | Select
    | Scroll
    | Swipe
    | Press
    | OpenApp
    | NavigateBack
    | NavigateHome
    | Wait
    | Finish
    | TakeOver
)
ACTION_CLASSES: dict[str, type[Action]] = {cls.kind: cls for cls in get_args(AnyAction)}
"""Every action class by its kind."""


def action_class(kind: str) -> type[Action]:
    """The class of an action kind.

    Raises:
        ValueError: the kind is unknown; the message lists the known ones.
    """
    try:
        return ACTION_CLASSES[kind]
    except KeyError:
        known = ", ".join(ACTION_CLASSES)
        raise ValueError(f"unknown action {kind!r}; known actions: {known}") from None


def has_target(kind: str) -> bool:
    """Whether actions of this kind point at an element."""
    return action_class(kind).has_target


def build_action(kind: str, value: str | None) -> Action:
    """An action from a plan's type and value (``value`` is ignored by kinds without one)."""
    cls = action_class(kind)
    if not cls.value_field or value is None:
        return cls()
    return cls(**{cls.value_field: value})


def call_name(kind: str) -> str:
    """The name in the call form: ``double_click`` -> ``Double Click``."""
    return kind.replace("_", " ").title()


def format_call(action: Action, element_description: str | None = None) -> str:
    """The call form of an action.

    Example:
        >>> format_call(Type(text="bob"), "the name field")
        'do(action="Type", element_description="the name field", text="bob")'
    """
    import json

    arguments: dict[str, object] = {"action": call_name(action.kind)}
    if action.has_target and element_description is not None:
        arguments["element_description"] = element_description
    arguments |= {f.name: getattr(action, f.name) for f in fields(action)}
    return (
        f"do({', '.join(f'{k}={json.dumps(v, ensure_ascii=False)}' for k, v in arguments.items())})"
    )
