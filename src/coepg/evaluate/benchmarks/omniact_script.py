"""OmniACT scripts: lines of pyautogui calls, read by the parser of Python and never run."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from coepg.types import Point

POINTING = ("click", "rightClick", "doubleClick", "moveTo", "dragTo")
"""Calls with a point."""

FUNCTIONS = (*POINTING, "scroll", "hscroll", "write", "press", "hotkey")
"""Every call of the benchmark."""


@dataclass(frozen=True, slots=True)
class ScriptCall:
    """One line of a script.

    Attributes:
        name: function of pyautogui, such as ``rightClick``; "" for a line that calls none.
        point_px: first two arguments of a pointing call, in pixels, or None.
        description: of the element, where a planner writes one in place of the point.
        texts: the text arguments: keys of press and hotkey, text of write.
    """

    name: str
    point_px: Point | None = None
    description: str = ""
    texts: tuple[str, ...] = ()


def parse_line(line: str) -> ScriptCall:
    """One call; what cannot be read as Python keeps its name only.

    Example:
        >>> parse_line("pyautogui.moveTo(1881.5,1116.0)").name
        'moveTo'
        >>> parse_line('pyautogui.hotkey("ctrl", "c")').texts
        ('ctrl', 'c')
    """
    text = line.strip()
    if not text.startswith("pyautogui."):
        return ScriptCall("")
    name = text.removeprefix("pyautogui.").split("(")[0]
    try:
        call = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return ScriptCall(name)
    if not isinstance(call, ast.Call):
        return ScriptCall(name)
    values = [_literal(argument) for argument in call.args]
    texts = tuple(v for v in values if isinstance(v, str))
    if name not in POINTING:
        return ScriptCall(name, texts=texts)
    if len(values) >= 2 and all(_is_number(v) for v in values[:2]):
        return ScriptCall(name, Point(float(str(values[0])), float(str(values[1]))))
    return ScriptCall(name, description=texts[0] if texts else "")


def parse_answer(text: str) -> tuple[ScriptCall, ...]:
    """The calls of a model's answer: the lines that begin with ``pyautogui``, others skipped."""
    lines = [line.strip() for line in text.split("\n")]
    return tuple(parse_line(line) for line in lines if line.startswith("pyautogui"))


def parse_task(text: str) -> tuple[ScriptCall, ...]:
    """The gold calls of a task file: all lines after ``Task:`` and ``Output Script:``."""
    return tuple(parse_line(line) for line in text.strip().split("\n")[2:])


def _literal(node: ast.expr) -> object:
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
