"""Values of a source's rows, checked, with messages that name file, row and field."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from coepg.errors import DataError


def field_of(row: Any, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    """The value of a key that a row must have.

    Args:
        row: should be a mapping.
        key: of the value.
        kind: what it must be; numbers never stand for truth values.
        where: file and row, for messages.

    Raises:
        DataError: no such key, null, or another type.
    """
    names = _names(kind)
    if not isinstance(row, Mapping):
        raise DataError(
            f"{where}: {key}", found=f"a {type(row).__name__} instead of an object",
            expected=f"an object with {key!r}: {names}", fix="check --format, or mend the row",
        )  # fmt: skip
    value = row.get(key)
    wrong_bool = isinstance(value, bool) and kind is not bool
    if not isinstance(value, kind) or wrong_bool:
        found = f"{value!r:.80}" if key in row else "no such field; there are " + ", ".join(row)
        raise DataError(
            f"{where}: {key}", found=found, expected=names,
            fix="check --format, or mend the row",
        )  # fmt: skip
    return value


def text_of(row: Any, key: str, where: str) -> str:
    """A text that must be there and hold something.

    Raises:
        DataError: as `field_of`, or it is blank.
    """
    value: str = field_of(row, key, str, where)
    if not value.strip():
        raise DataError(f"{where}: {key}", found=repr(value), expected="a text", fix="fill it in")
    return value


def optional_text(row: Mapping[str, Any], key: str, where: str) -> str:
    """A text, or "" where it is null or missing.

    Raises:
        DataError: it is something else.
    """
    value: str = field_of(row, key, str, where) if row.get(key) is not None else ""
    return value


def numbers_of(values: Any, count: int, name: str, where: str) -> tuple[float, ...]:
    """Finite numbers.

    Args:
        values: should be a sequence of ``count`` numbers; texts are not numbers.
        count: how many.
        name: of the field, for messages.
        where: file and row, for messages.

    Raises:
        DataError: anything else.
    """
    ok = (
        isinstance(values, list | tuple)
        and len(values) == count
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        and all(math.isfinite(v) for v in values)
    )
    if not ok:
        raise DataError(
            f"{where}: {name}", found=f"{values!r:.120}", expected=f"{count} finite numbers",
            fix="mend or remove the row",
        )  # fmt: skip
    return tuple(float(v) for v in values)


def parsed_json(text: Any, name: str, where: str) -> Any:
    """The value of JSON inside a text field.

    Raises:
        DataError: it is no text, or no JSON.
    """
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise DataError(
            f"{where}: {name}", found=f"{text!r:.80} ({error})", expected="JSON in a text",
            fix="check --format, or mend the row",
        ) from error  # fmt: skip


def _names(kind: type | tuple[type, ...]) -> str:
    kinds = kind if isinstance(kind, tuple) else (kind,)
    words = {str: "a text", dict: "an object", list: "a list", int: "a whole number",
             float: "a number", bool: "true or false", bytes: "bytes"}  # fmt: skip
    return " or ".join(words.get(k, k.__name__) for k in kinds)
