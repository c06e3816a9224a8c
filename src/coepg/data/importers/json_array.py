"""Large JSON files element by element, in memory that holds one element."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from coepg.data.importers.base import Record
from coepg.errors import DataError

CHUNK_BYTES = 1 << 20
_NEAR_END = 16
"""Longer than any JSON literal: an error further from the buffer's end is no missing rest."""


def iter_json_array(path: Path) -> Iterator[Record]:
    """The elements of the list in a file; a file with one object has one element.

    Raises:
        DataError: the file cannot be opened, is not UTF-8, not JSON or truncated.
    """
    with _opened(path) as file:
        scanner = _Scanner(path, file)
        first = scanner.peek()
        if first == "{":
            yield Record(f"{path}, element 0", scanner.value(f"{path}, element 0"))
            scanner.expect_end()
            return
        if first != "[":
            raise scanner.wrong(f"{path}: not a list", f"it begins with {first!r}")
        yield from (Record(f"{path}, element {n}", v) for n, v in enumerate(_elements(scanner)))


def iter_json_entries(path: Path) -> Iterator[tuple[str, Record]]:
    """The keys and values of the object in a file.

    Raises:
        DataError: as `iter_json_array`.
    """
    with _opened(path) as file:
        scanner = _Scanner(path, file)
        if (first := scanner.peek()) != "{":
            raise scanner.wrong(f"{path}: not an object", f"it begins with {first!r}")
        yield from _entries(scanner)


def read_json(path: Path) -> Any:
    """The value of a small file.

    Raises:
        DataError: as `iter_json_array`.
    """
    with _opened(path) as file:
        scanner = _Scanner(path, file)
        value = scanner.value(str(path))
        scanner.expect_end()
        return value


def _elements(scanner: _Scanner) -> Iterator[Any]:
    scanner.take("[")
    number = 0
    while scanner.peek() != "]":
        if number:
            scanner.take(",")
        yield scanner.value(f"{scanner.path}, element {number}")
        number += 1
    scanner.take("]")
    scanner.expect_end()


def _entries(scanner: _Scanner) -> Iterator[tuple[str, Record]]:
    scanner.take("{")
    number = 0
    while scanner.peek() != "}":
        if number:
            scanner.take(",")
        key = scanner.value(f"{scanner.path}, entry {number}")
        if not isinstance(key, str):
            raise scanner.wrong(f"{scanner.path}, entry {number}: not JSON", f"the key {key!r}")
        scanner.take(":")
        where = f"{scanner.path}, entry {key!r}"
        yield key, Record(where, scanner.value(where))
        number += 1
    scanner.take("}")
    scanner.expect_end()


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read", found=str(error.strerror), expected="a JSON file",
            fix="check the path",
        ) from error  # fmt: skip


class _Scanner:
    """Reads ahead until the next value is whole."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        self._file = file
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._parse = json.JSONDecoder().raw_decode
        self._text, self._at, self._ended = "", 0, False

    def wrong(self, what: str, found: str) -> DataError:
        return DataError(
            what, found=found, expected="a whole JSON file in UTF-8",
            fix="check --format, or copy the file again",
        )  # fmt: skip

    def _more(self, num_bytes: int = CHUNK_BYTES) -> None:
        data = self._file.read(num_bytes)
        self._ended = not data
        try:
            text = self._decode.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise self.wrong(f"{self.path}: not UTF-8", str(error)) from error
        self._text, self._at = self._text[self._at :] + text, 0

    def peek(self) -> str:
        """The next character that is no blank, or "" at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in " \t\r\n":
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if self._ended:
                return ""
            self._more()

    def take(self, mark: str) -> None:
        """Go past a mark that has to come now."""
        found = self.peek()
        if found != mark:
            shown = repr(found) if found else "the end of the file"
            raise self.wrong(f"{self.path}: not JSON", f"{shown} where {mark!r} should be")
        self._at += 1

    def expect_end(self) -> None:
        """Refuse anything but blanks."""
        if found := self.peek():
            raise self.wrong(f"{self.path}: not JSON", f"{found!r} after the end")

    def value(self, where: str) -> Any:
        """The next value."""
        self.peek()
        num_bytes = CHUNK_BYTES
        while True:
            try:
                value, end = self._parse(self._text, self._at)
            except json.JSONDecodeError as error:
                cut_short = error.msg.startswith("Unterminated") or (
                    error.pos >= len(self._text) - _NEAR_END
                )
                if self._ended or not cut_short:
                    raise self.wrong(f"{where}: not JSON", f"{error.msg}") from error
            except RecursionError as error:
                raise self.wrong(f"{where}: not JSON", "too deeply nested") from error
            else:
                # A number at the end of the buffer may go on in the next chunk.
                if end < len(self._text) or self._ended:
                    self._at = end
                    return value
            self._more(num_bytes)
            num_bytes *= 2  # so that a large value is parsed a few times, not once a chunk
