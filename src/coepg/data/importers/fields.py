"""Values of parsed JSON rows, checked: a missing or null field is named, never guessed."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from coepg.errors import DataError

_WORDS: dict[type, str] = {str: "text", list: "a list", dict: "an object", int: "a whole number"}


def field_text(row: Mapping[str, Any], key: str, where: str) -> str:
    """A text that must be there.

    Raises:
        DataError: it is missing, null or no text.
    """
    return str(_field(row, key, str, where))


def field_list(row: Mapping[str, Any], key: str, where: str) -> list[Any]:
    """A list that must be there.

    Raises:
        DataError: it is missing, null or no list.
    """
    found: list[Any] = _field(row, key, list, where)
    return found


def field_object(row: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    """An object that must be there.

    Raises:
        DataError: it is missing, null or no object.
    """
    found: dict[str, Any] = _field(row, key, dict, where)
    return found


def field_int(row: Mapping[str, Any], key: str, where: str) -> int:
    """A whole number that must be there.

    Raises:
        DataError: it is missing, null or no whole number.
    """
    return int(_field(row, key, int, where))


def field_id(row: Mapping[str, Any], key: str, where: str) -> str:
    """A name that must be there, as text or as a number.

    Raises:
        DataError: it is missing, null, empty or neither.
    """
    value = row.get(key)
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "":
        raise _wrong(value, key, "a text or number", where)
    return str(value)


def optional_text(row: Mapping[str, Any], key: str, where: str) -> str:
    """A text, or "" if it is missing or null.

    Raises:
        DataError: it is there and no text.
    """
    return "" if row.get(key) is None else field_text(row, key, where)


def json_text(row: Mapping[str, Any], key: str, where: str) -> Any:
    """The value that a text field holds as JSON.

    Raises:
        DataError: the field is missing, or holds no JSON.
    """
    text = field_text(row, key, where)
    try:
        return json.loads(text)
    except ValueError as error:
        raise _wrong(text, key, "JSON in a text", where) from error


def numbers(value: Any, count: int, what: str, where: str) -> list[float]:
    """A list of exactly ``count`` finite numbers.

    Raises:
        DataError: anything else.
    """
    is_list = isinstance(value, list) and len(value) == count
    if not is_list or any(isinstance(v, bool) or not isinstance(v, int | float) for v in value):
        raise _wrong(value, what, f"a list of {count} numbers", where)
    found = [float(v) for v in value]
    if not all(map(math.isfinite, found)):
        raise _wrong(value, what, "finite numbers", where)
    return found


def _field(row: Mapping[str, Any], key: str, kind: type, where: str) -> Any:
    value = row.get(key)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _wrong(value, key, _WORDS[kind], where)
    return value


def _wrong(value: Any, key: str, expected: str, where: str) -> DataError:
    shown = "missing or null" if value is None else repr(value)
    return DataError(
        f"{where}: {key}",
        found=shown if len(shown) < 200 else shown[:200] + " ...",
        expected=expected,
        fix="check --format; or mend the row, or set it aside with --keep-going",
    )
