"""Files of answers, a row a step: JSON lines and Parquet, also while they are being written."""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa

from coepg.data.parquet import ParquetRows, open_parquet, read_group
from coepg.errors import DataError
from coepg.view.index import INDEX_SCHEMA
from coepg.view.sources.answers import RIGHT_NAMES, VERDICT_GROUPS, row_is_right

_OWN_COLUMNS = tuple(n for n in INDEX_SCHEMA.names if n not in ("step_id", "is_right"))
"""What a row may itself say of its step; used where its dataset is not found."""

Mark = tuple[str, int, int]


class AnswerRows(Protocol):
    """The rows of a file by number; only what the index needs is held.

    Attributes:
        columns: Arrow arrays by name: ``step_id``, ``is_right``, and what the rows say of steps.
        notes: what was left out.
    """

    columns: dict[str, Any]
    notes: tuple[str, ...]

    def __len__(self) -> int: ...

    def __getitem__(self, number: int) -> Mapping[str, Any]: ...


def file_mark(path: Path) -> Mark:
    """Changes when the file does; of a file that is not there, it is empty."""
    try:
        found = path.stat()
    except OSError:
        return (str(path), 0, 0)
    return (str(path), found.st_size, found.st_mtime_ns)


def open_rows(path: Path) -> AnswerRows:
    """Open a file by its ending, ``.jsonl`` or ``.parquet``.

    Raises:
        DataError: it cannot be read, or its rows have no step_id.
    """
    return ParquetAnswerRows(path) if path.suffix == ".parquet" else JsonLines(path)


class JsonLines:
    """JSON objects, one a line. Lines are found by their place in the file.

    A last line without an end is taken to be half written and left out; so is a line that is no
    answer, with a note.

    Raises:
        DataError: the file cannot be opened, or has lines but none is an answer.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places = array("q")
        values: dict[str, list[Any]] = {name: [] for name in INDEX_SCHEMA.names}
        bad: list[tuple[int, str]] = []
        place, is_half = 0, False
        try:
            with path.open("rb") as file:
                for number, line in enumerate(file, 1):
                    row = _json_row(line)
                    if isinstance(row, str):
                        is_half = not line.endswith(b"\n")
                        if line.strip() and not is_half:
                            bad.append((number, row))
                    else:
                        self._places.append(place)
                        _add(values, row)
                    place += len(line)
        except OSError as error:
            raise DataError(str(path), found=str(error), expected="a file of JSON lines") from error
        if bad and not self._places:
            raise DataError(
                f"{path}, line {bad[0][0]}: no answer to a step",
                found=bad[0][1],
                expected='an object such as {"step_id": ..., "plan": ..., "point_px": ...}',
                fix="give a dataset, a run, or a file of answers",
            )
        self.notes = _line_notes(path, bad, is_half)
        self.columns = {n: pa.array(v, INDEX_SCHEMA.field(n).type) for n, v in values.items()}

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, number: int) -> Mapping[str, Any]:
        with self.path.open("rb") as file:
            file.seek(self._places[number])
            row = _json_row(file.readline())
        if isinstance(row, str):
            raise DataError(f"{self.path}, answer {number}", found=row, expected="an answer")
        return row


def _json_row(line: bytes) -> Mapping[str, Any] | str:
    """The row of a line, or what is wrong with it."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return str(error) or type(error).__name__
    if not isinstance(row, dict):
        return f"a JSON {type(row).__name__}"
    if not isinstance(row.get("step_id"), str):
        return "no step_id in " + (", ".join(map(str, row)) or "an empty object")
    return row


def _add(values: dict[str, list[Any]], row: Mapping[str, Any]) -> None:
    values["step_id"].append(row["step_id"])
    values["is_right"].append(row_is_right(row))
    for name in _OWN_COLUMNS:
        value = row.get(name)
        values[name].append(value if isinstance(value, str) else None)


def _line_notes(path: Path, bad: list[tuple[int, str]], is_half: bool) -> tuple[str, ...]:
    notes = []
    if bad:
        number, why = bad[0]
        notes.append(
            f"{len(bad)} lines of {path} cannot be read and are left out; the first is line "
            f"{number}: {why}."
        )
    if is_half:
        notes.append(f"The last line of {path.name} is not whole; it may still be being written.")
    return tuple(notes)


class ParquetAnswerRows:
    """Rows of a Parquet file with a column ``step_id``; others are read when a step is shown.

    Raises:
        DataError: the file is damaged, or has no step_id.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, path: Path) -> None:
        file = open_parquet(path, ["step_id"])
        schema = file.schema_arrow
        light = [
            n
            for n in ("step_id", *_OWN_COLUMNS, *RIGHT_NAMES, *VERDICT_GROUPS)
            if n in schema.names
        ]
        values: dict[str, list[Any]] = {name: [] for name in INDEX_SCHEMA.names}
        for group in range(file.num_row_groups):
            for row in read_group(file, path, group, light).to_pylist():
                _add(values, row)
        self.columns = {n: pa.array(v, INDEX_SCHEMA.field(n).type) for n, v in values.items()}
        self._rows = ParquetRows(path)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, number: int) -> Mapping[str, Any]:
        return self._rows[number]
