"""JSON as models write it: strict first, and if that fails a reader that names what it mends.

The reader goes over the text once, keeps no alternatives and refuses deep nesting, so its time is
linear and it ends on any input.
"""

from __future__ import annotations

import json
from typing import Any

from coepg.models.parsers.base import Notes, Unreadable

MAX_DEPTH = 24
"""Deeper nesting is refused; a call needs three levels."""

_CLOSERS = "]})"
_QUOTES = "\"'"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\"}
_WORDS = {"true": True, "false": False, "null": None}
_PYTHON_WORDS = {"True": True, "False": False, "None": None}


def read_json(text: str, notes: Notes) -> Any:
    """The JSON value at the start of the text (white space apart).

    Raises:
        Unreadable: it cannot be read even leniently.
    """
    text = text.strip()
    try:
        value, end = json.JSONDecoder().raw_decode(text)
        rest = text[end:].strip()
    except (ValueError, RecursionError):
        reader = _Reader(text, notes)
        value = reader.value()
        rest = text[reader.at :].strip()
    if rest:
        only_closers = all(c in _CLOSERS or c.isspace() for c in rest)
        notes.repair("extra_closing_bracket" if only_closers else "text_after_call")
    return value


class _Reader:
    """Recursive descent with a position."""

    def __init__(self, text: str, notes: Notes) -> None:
        self.text = text
        self.notes = notes
        self.at = 0
        self.open: list[str] = []

    def value(self) -> Any:
        self._skip_blanks()
        char = self._char()
        if char == "{":
            return self._object()
        if char in ("[", "("):
            return self._array()
        if char and char in _QUOTES:
            return self._string()
        return self._bare()

    def _char(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _enter(self, closer: str) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise Unreadable("malformed_json", "nested too deep")
        self.open.append(closer)
        self.at += 1

    def _is_closed(self) -> bool:
        """Whether the innermost bracket ends here; reads the closing bracket if it is one."""
        self._skip_blanks()
        char = self._char()
        if not char:
            self.notes.repair("missing_closing_bracket")
        elif char not in _CLOSERS:
            return False
        elif char == self.open[-1]:
            self.at += 1
        elif self._closers_ahead() >= len(self.open) or char not in self.open:
            self.notes.repair("swapped_brackets")
            self.at += 1
        else:
            self.notes.repair("missing_closing_bracket")
        self.open.pop()
        return True

    def _closers_ahead(self) -> int:
        """How many closing brackets follow, at most as many as are open."""
        count, at = 0, self.at
        while at < len(self.text) and count < len(self.open):
            if self.text[at] in _CLOSERS:
                count += 1
            elif not self.text[at].isspace():
                break
            at += 1
        return count

    def _comma(self) -> None:
        """Between two items; a comma before a closing bracket is mended."""
        self._skip_blanks()
        if self._char() == ",":
            self.at += 1
            self._skip_blanks()
            if self._char() and self._char() in _CLOSERS:
                self.notes.repair("trailing_comma")
        elif self._char() and self._char() not in _CLOSERS:
            self.notes.repair("missing_comma")

    def _object(self) -> dict[str, Any]:
        self._enter("}")
        found: dict[str, Any] = {}
        while not self._is_closed():
            key = self._string() if self._char() in _QUOTES else self._bare()
            self._skip_blanks()
            if self._char() != ":":
                raise Unreadable("malformed_json", f"no colon after {key!r}")
            self.at += 1
            found[str(key)] = self.value()
            self._comma()
        return found

    def _array(self) -> list[Any]:
        self._enter(")" if self._char() == "(" else "]")
        found: list[Any] = []
        while not self._is_closed():
            item = self.value()
            self._skip_blanks()
            if self._char() == ":":
                self.notes.repair("key_value_in_array")
                self.at += 1
                item = {str(item): self.value()}
            found.append(item)
            self._comma()
        return found

    def _string(self) -> str:
        quote = self._char()
        if quote == "'":
            self.notes.repair("single_quotes")
        self.at += 1
        pieces: list[str] = []
        while self.at < len(self.text):
            char = self._char()
            self.at += 1
            if char == "\\":
                pieces.append(self._escape())
            elif char == quote and self._ends_string():
                return "".join(pieces)
            else:
                if char == quote:
                    self.notes.repair("unescaped_quote")
                elif char == "\n":
                    self.notes.repair("raw_newline_in_string")
                pieces.append(char)
        self.notes.repair("unterminated_string")
        return "".join(pieces)

    def _ends_string(self) -> bool:
        """A quote ends a string if what follows can follow a string."""
        at = self.at
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        return at == len(self.text) or self.text[at] in ",:" + _CLOSERS

    def _escape(self) -> str:
        char = self._char()
        self.at += 1
        if char == "u":
            digits = self.text[self.at : self.at + 4]
            if len(digits) == 4 and all(d in "0123456789abcdefABCDEF" for d in digits):
                self.at += 4
                return chr(int(digits, 16))
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char not in _QUOTES:
            self.notes.repair("bad_escape")
        return char

    def _bare(self) -> Any:
        """A number, a word of JSON or Python, or text without quotes."""
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",:{}[]()\"'\n":
            self.at += 1
        word = self.text[start : self.at].strip()
        if not word:
            rest = self.text[start : start + 40]
            raise Unreadable("malformed_json", f"at {rest!r}" if rest else "the text ends early")
        if word in _WORDS:
            return _WORDS[word]
        if word in _PYTHON_WORDS:
            self.notes.repair("python_literals")
            return _PYTHON_WORDS[word]
        try:
            return int(word) if word.lstrip("+-").isdecimal() else float(word)
        except ValueError:
            self.notes.repair("unquoted_string")
            return word
