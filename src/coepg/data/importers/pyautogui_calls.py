"""Scripts of ``pyautogui`` calls as data. They are parsed, never run.

The meaning of the calls is that of PyAutoGUI's documentation: a positive ``scroll`` moves the wheel
up and so reveals what is above, a positive ``hscroll`` what is on the right.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from coepg.errors import DataError

MODULES = ("pyautogui", "computer", "time")
POINTING = {
    "click": "click",
    "leftclick": "click",
    "doubleclick": "double_click",
    "rightclick": "right_click",
    "moveto": "hover",
    "dragto": "drag",
}
"""Calls that name a point -> action type."""
WITHOUT_KIND = ("tripleclick", "middleclick", "mousedown", "mouseup", "keydown", "keyup")
"""Calls for which there is no action type; their steps are left out."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call.

    Attributes:
        name: lower case, without underscores: ``doubleclick``.
        args: positional values.
        kwargs: named values.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)

    def argument(self, position: int, *names: str) -> Any:
        """A value by its names or its position, or None."""
        for name in names:
            if name in self.kwargs:
                return self.kwargs[name]
        return self.args[position] if position < len(self.args) else None


def parse_calls(script: str, where: str) -> list[Call]:
    """The calls of a script, in order; imports are passed over.

    Raises:
        DataError: it is no Python, or does more than call these modules with plain values.

    Example:
        >>> parse_calls("pyautogui.press('enter')", "a.txt")
        [Call(name='press', args=('enter',), kwargs={})]
    """
    try:
        statements = ast.parse(script).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise _wrong(script, where, str(error)) from error
    return [
        _call(statement, script, where)
        for statement in statements
        if not isinstance(statement, ast.Import | ast.ImportFrom)
    ]


def _call(statement: ast.stmt, script: str, where: str) -> Call:
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in MODULES
    ):
        raise _wrong(script, where, ast.unparse(statement))
    try:
        args = tuple(ast.literal_eval(arg) for arg in call.args)
        kwargs = {str(kw.arg): ast.literal_eval(kw.value) for kw in call.keywords}
    except (ValueError, TypeError) as error:
        raise _wrong(script, where, f"{ast.unparse(statement)} ({error})") from error
    name = "sleep" if call.func.value.id == "time" else call.func.attr
    return Call(name.replace("_", "").lower(), args, kwargs)


def _wrong(script: str, where: str, found: str) -> DataError:
    return DataError(
        f"{where}: script", found=found[:200] or f"{script!r:.100}",
        expected="calls such as pyautogui.click(10, 20)", fix="mend or remove the row",
    )  # fmt: skip


def unknown_call(name: str, where: str) -> DataError:
    """The error for a call that is not known."""
    known = [*POINTING, *WITHOUT_KIND, "scroll", "hscroll", "write", "press", "hotkey"]
    return DataError(
        f"{where}: action", found=repr(name),
        expected="one of " + ", ".join([*known, "wait", "terminate"]),
        fix="mend or remove the row",
    )  # fmt: skip


def scroll_direction(amount: float, *, horizontal: bool = False) -> str:
    """The direction of the content to reveal."""
    if horizontal:
        return "right" if amount > 0 else "left"
    return "up" if amount > 0 else "down"


def keys_text(keys: Any, where: str, *, joined_by: str) -> str:
    """Keys as one text: ``ctrl+v`` for keys held together, ``down down`` for one after the other.

    Raises:
        DataError: they are neither a text nor texts.
    """
    items = list(keys) if isinstance(keys, list | tuple) else [keys]
    if not items or not all(isinstance(item, str) and item for item in items):
        raise DataError(
            f"{where}: keys", found=f"{keys!r:.80}", expected="names of keys",
            fix="mend or remove the row",
        )  # fmt: skip
    return joined_by.join(items)
