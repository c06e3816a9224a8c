"""JSON files as rows whose fields are checked when they are taken."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coepg.data.importers.json_lines import iter_json_lines
from coepg.errors import DataError
from coepg.types import Box, Point, Size, Space

_FIX = "mend or remove the row, or choose the --format of the script that wrote the file"


@dataclass(frozen=True, slots=True)
class Row:
    """One JSON object of a file.

    Attributes:
        where: file and row, for messages.
        data: the object.
    """

    where: str
    data: dict[str, Any]

    def bad(self, field: str, expected: str, fix: str = _FIX) -> DataError:
        """The error that says what is wrong with a field."""
        value = self.data.get(field, None)
        found = f"{field} = {shortened(value)}" if field in self.data else "no such field"
        return DataError(f"{self.where}: field {field!r}", found=found, expected=expected, fix=fix)

    def text(self, field: str) -> str:
        """A text field."""
        value = self.data.get(field)
        if not isinstance(value, str):
            raise self.bad(field, "a text")
        return value

    def integer(self, field: str, minimum: int = 0) -> int:
        """A whole number."""
        value = self.data.get(field)
        if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
            raise self.bad(field, f"a whole number of at least {minimum}")
        return value

    def number(self, field: str) -> float:
        """A finite number."""
        value = self.data.get(field)
        if not _is_number(value):
            raise self.bad(field, "a finite number")
        return float(value)  # type: ignore[arg-type]

    def numbers(self, field: str, count: int) -> list[float]:
        """A list of so many finite numbers."""
        value = self.data.get(field)
        if not isinstance(value, list) or len(value) != count or not all(map(_is_number, value)):
            raise self.bad(field, f"a list of {count} finite numbers")
        return [float(v) for v in value]

    def row(self, field: str) -> Row:
        """A nested object."""
        value = self.data.get(field)
        if not isinstance(value, dict):
            raise self.bad(field, "an object")
        return Row(f"{self.where}, {field}", value)

    def rows(self, field: str) -> list[Row]:
        """A list of objects."""
        value = self.data.get(field)
        if not isinstance(value, list) or not all(isinstance(v, dict) for v in value):
            raise self.bad(field, "a list of objects")
        return [Row(f"{self.where}, {field} {i}", v) for i, v in enumerate(value)]

    def one_of(self, field: str, choices: tuple[str, ...]) -> str:
        """A text of a known set."""
        value = self.text(field)
        if value not in choices:
            raise self.bad(field, " or ".join(choices))
        return value

    def optional_point(self, field: str, space: Space, limit: float | None = None) -> Point | None:
        """A field that holds ``[x, y]`` or null; it must be there.

        Args:
            field: its name.
            space: that the format declares.
            limit: far end of the space; a coordinate well beyond it is of another unit.
        """
        if field in self.data and self.data[field] is None:
            return None
        x, y = self.numbers(field, 2)
        if limit is not None and max(abs(x), abs(y)) > 10 * limit:
            raise self.bad(field, f"[x, y] in {space.value}", "check the unit, and --format")
        return Point(x, y, space)

    def box_corners(self, field: str, space: Space) -> Box:
        """A field that holds ``[x0, y0, x1, y1]``."""
        return self.made_box(field, self.numbers(field, 4), space)

    def box_sides(self, field: str, space: Space) -> Box:
        """A field that holds ``[x, y, width, height]``."""
        x, y, width, height = self.numbers(field, 4)
        return self.made_box(field, [x, y, x + width, y + height], space)

    def made_box(self, field: str, corners: list[float], space: Space) -> Box:
        """A box of four corners, or the error that they are none."""
        try:
            x0, y0, x1, y1 = corners
            return Box(x0, y0, x1, y1, space)
        except ValueError as error:
            raise DataError(
                f"{self.where}: field {field!r}", found=str(error),
                expected="left <= right and top <= bottom in the order that the format declares",
                fix="check the box, and --format",
            ) from None  # fmt: skip

    def size(self, field: str) -> Size:
        """A field that holds ``[width, height]`` in pixels."""
        width, height = self.numbers(field, 2)
        if width < 1 or height < 1 or width != int(width) or height != int(height):
            raise self.bad(field, "[width, height] in whole pixels")
        return Size(int(width), int(height))


def read_json(path: Path, expected: str) -> Any:
    """A whole JSON file.

    Raises:
        DataError: it cannot be opened or is not JSON (truncated, for one).
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read", found=str(error.strerror), expected=expected,
            fix="check the path",
        ) from error  # fmt: skip
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise DataError(
            f"{path}: not JSON", found=str(error), expected=expected,
            fix="the file may be cut short or of another --format; copy it again",
        ) from None  # fmt: skip


def json_object(path: Path, expected: str) -> Row:
    """A JSON file that holds one object."""
    value = read_json(path, expected)
    if not isinstance(value, dict):
        raise DataError(
            f"{path}: not an object", found=type(value).__name__, expected=expected,
            fix="choose the --format of the script that wrote the file",
        )  # fmt: skip
    return Row(str(path), value)


def json_rows(path: Path, expected: str) -> list[Row]:
    """A JSON file that holds a list of objects; rows are counted from 0."""
    value = read_json(path, expected)
    if not isinstance(value, list):
        raise DataError(
            f"{path}: not a list", found=type(value).__name__, expected=expected,
            fix="choose the --format of the script that wrote the file",
        )  # fmt: skip
    rows = []
    for number, item in enumerate(value):
        if not isinstance(item, dict):
            raise DataError(
                f"{path}, row {number}: not an object", found=shortened(item), expected=expected,
                fix=_FIX,
            )  # fmt: skip
        rows.append(Row(f"{path}, row {number}", item))
    return rows


def json_line_rows(path: Path) -> Iterator[Row]:
    """The objects of a JSONL file.

    Raises:
        DataError: the file cannot be opened, or a line is no JSON object.
    """
    for record in iter_json_lines(path):
        if isinstance(record, DataError):
            raise DataError(
                record.what, found=record.found, expected=record.expected,
                fix="mend the line, or choose the --format of the script that wrote the file",
            )  # fmt: skip
        yield Row(record.where, record.data)


def not_empty(path: Path, rows: list[Any]) -> None:
    """Refuse a file without rows.

    Raises:
        DataError: there are none.
    """
    if not rows:
        raise DataError(
            f"{path}: no rows", found="an empty file or list", expected="one answer a row",
            fix="check the path",
        )  # fmt: skip


def check_once(where: str, key: str, seen: set[str]) -> None:
    """Refuse a key that occurred before; remembers it.

    Raises:
        DataError: it did.
    """
    if key in seen:
        raise DataError(
            f"{where}: {key} occurs twice", found="two rows", expected="one answer a step",
            fix="give one run of one model",
        )  # fmt: skip
    seen.add(key)


def shortened(value: object, length: int = 80) -> str:
    """A value for a message."""
    text = repr(value)
    return text if len(text) <= length else text[: length - 3] + "..."


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
