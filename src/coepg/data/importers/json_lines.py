"""JSONL files as records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from coepg.data.importers.base import Record
from coepg.errors import DataError


def iter_json_lines(path: Path) -> Iterator[Record | DataError]:
    """The objects of a JSONL file as records; a line that is no JSON object is yielded as error.

    Raises:
        DataError: the file cannot be opened.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read", found=str(error.strerror), expected="a JSONL file",
            fix="check the path",
        ) from error  # fmt: skip
    with file:
        for number, line in enumerate(file):
            if not line.strip():
                continue
            where = f"{path}, line {number + 1}"
            try:
                row = json.loads(line)
            except (ValueError, RecursionError) as error:  # also bytes that are not UTF-8
                yield DataError(
                    f"{where}: not JSON", found=str(error), expected="one JSON object in UTF-8",
                    fix="mend or remove the line",
                )  # fmt: skip
                continue
            if not isinstance(row, dict):
                yield DataError(
                    f"{where}: not an object", found=type(row).__name__,
                    expected="one JSON object", fix="mend or remove the line",
                )  # fmt: skip
                continue
            yield Record(where, row)
