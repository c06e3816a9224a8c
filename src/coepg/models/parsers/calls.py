"""Calls in Python syntax inside an answer, read by ``ast`` and never evaluated."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from coepg.models.parsers.base import Notes, Unreadable

MAX_CALL_CHARS = 8_000
"""A longer call is refused before Python's parser sees it."""

MAX_CALLS = 32
"""Further calls of one answer are not read."""

_MAX_DEPTH = 16
_NAME = re.compile(r"(?<![A-Za-z0-9_.])[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*(?=\()")


@dataclass(frozen=True, slots=True)
class Call:
    """A call whose arguments are literals.

    Attributes:
        name: with dots, as ``pyautogui.click``.
        args: values of the unnamed arguments.
        kwargs: values of the named ones.
        start, end: where it stands in the text.
    """

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    start: int = 0
    end: int = 0


def find_calls(
    text: str, is_known: Callable[[str], bool] | Collection[str], notes: Notes
) -> list[Call]:
    """The calls of known names, in order; each reaches to its closing bracket.

    Args:
        text: the answer.
        is_known: the names to look for, or a test of a name; other calls are passed over.
        notes: collects repairs.

    Raises:
        Unreadable: a known name is followed by what cannot be read, and no call came before it.
    """
    knows = is_known if callable(is_known) else set(is_known).__contains__
    found: list[Call] = []
    at = 0
    while len(found) < MAX_CALLS and (match := _NAME.search(text, at)):
        at = match.end()
        if not knows(match[0]):
            continue
        try:
            end = _call_end(text, match.end())
            call = _read_call(match[0], text[match.start() : end or len(text)], end is None, notes)
        except Unreadable:
            if not found:
                raise
            break
        at = end or len(text)
        found.append(Call(call.name, call.args, call.kwargs, match.start(), at))
    return found


def _call_end(text: str, at: int) -> int | None:
    """Where the bracket that opens at ``at`` closes, past quotes; None if it never does."""
    depth, quote = 0, ""
    limit = min(len(text), at + MAX_CALL_CHARS)
    while at < limit:
        char = text[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote and _ends_string(text, at + 1):
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
            if depth > _MAX_DEPTH:
                raise Unreadable("too_long", "nested too deep")
        elif char in ")]":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return None


def _ends_string(text: str, at: int) -> bool:
    """A quote ends a string if what follows can follow one; else it is an apostrophe."""
    while at < len(text) and text[at] in " \t":
        at += 1
    return at == len(text) or text[at] in ",)]}:\n"


def _read_call(name: str, segment: str, is_open: bool, notes: Notes) -> Call:
    if len(segment) > MAX_CALL_CHARS:
        raise Unreadable("too_long", f"a call of {len(segment)} characters")
    for mend, names in _MENDS:
        mended = mend(segment, is_open)
        node = None if mended is None else _parse(mended)
        if node is None:
            continue
        for repair in names:
            notes.repair(repair)
        return _literal_call(name, node)
    raise Unreadable("malformed_call", segment)


def _parse(segment: str) -> ast.Call | None:
    try:
        with warnings.catch_warnings():
            # Models write "\d" in strings; Python warns of it, and means no harm.
            warnings.simplefilter("ignore")
            body = ast.parse(segment.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return body if isinstance(body, ast.Call) else None


def _literal_call(name: str, node: ast.Call) -> Call:
    try:
        args = tuple(_literal(value) for value in node.args)
        kwargs = {str(k.arg): _literal(k.value) for k in node.keywords if k.arg is not None}
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise Unreadable("malformed_call", f"{name}: an argument is no literal") from None
    return Call(name, args, kwargs)


def _literal(node: ast.expr) -> Any:
    """A literal; ``find_element_by_instruction(instruction="...")`` counts as its text."""
    if isinstance(node, ast.Call):
        values = [*node.args, *(k.value for k in node.keywords)]
        if len(values) == 1 and isinstance(values[0], ast.Constant):
            return values[0].value
    return ast.literal_eval(node)


def _as_it_is(segment: str, is_open: bool) -> str | None:
    return None if is_open else segment


def _line_breaks(segment: str, is_open: bool) -> str | None:
    return None if is_open or "\n" not in segment else _one_line(segment)


def _quotes(segment: str, is_open: bool) -> str | None:
    """Quotes inside strings get their backslash."""
    return None if is_open else _escape_quotes(_one_line(segment))


def _closed(segment: str, is_open: bool) -> str | None:
    """Brackets that are never closed are closed at the end."""
    if not is_open:
        return None
    segment = _one_line(segment.rstrip())
    open_, quote, at = [], "", 0
    while at < len(segment):
        char = segment[at]
        if quote:
            if char == "\\":
                at += 1
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char in "([":
            open_.append(")" if char == "(" else "]")
        elif char in ")]" and open_:
            open_.pop()
        at += 1
    return segment + quote + "".join(reversed(open_))


def _one_line(segment: str) -> str:
    return segment.replace("\r", "\\r").replace("\n", "\\n")


def _escape_quotes(segment: str) -> str:
    pieces, quote, at = [], "", 0
    while at < len(segment):
        char = segment[at]
        if quote and char == "\\":
            pieces.append(segment[at : at + 2])
            at += 2
            continue
        if not quote and char in "\"'":
            quote = char
        elif char == quote:
            if _ends_string(segment, at + 1):
                quote = ""
            else:
                pieces.append("\\")
        pieces.append(char)
        at += 1
    return "".join(pieces)


_MENDS: tuple[tuple[Callable[[str, bool], str | None], tuple[str, ...]], ...] = (
    (_as_it_is, ()),
    (_line_breaks, ("raw_newline_in_string",)),
    (_quotes, ("unescaped_quote",)),
    (_closed, ("missing_closing_bracket",)),
)
"""Tried in this order; the first that Python can read is taken."""
