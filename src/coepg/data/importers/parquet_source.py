"""Parquet files of a hub as records, a few rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from coepg.data.importers.base import Record
from coepg.data.importers.values import field_of
from coepg.data.parquet import open_parquet
from coepg.errors import DataError

ROWS_IN_BATCH = 8
"""Small, since a row may hold a picture of several megabytes."""
BUFFER_BYTES = 1 << 20
"""A hub's row group may hold hundreds of megabytes: its pages are read one after another."""


def files_of(source: Path, pattern: str) -> list[Path]:
    """The source itself if it is a file, else the files below it, by name.

    Raises:
        DataError: there are none.
    """
    if source.is_file():
        return [source]
    found = sorted(source.rglob(pattern)) if source.is_dir() else []
    if not found:
        raise DataError(
            f"{source}: nothing to import",
            found="no such file in the folder" if source.is_dir() else "no such file or folder",
            expected=f"a file, or a folder that holds {pattern}",
            fix="check the path",
        )
    return found


def iter_parquet(
    path: Path, columns: Sequence[str], optional: Sequence[str] = ()
) -> Iterator[Record | DataError]:
    """The rows of a file as records with these columns; a row that cannot be read is an error.

    Raises:
        DataError: the file is damaged or lacks a column.
    """
    file = open_parquet(path, columns, BUFFER_BYTES)
    present = file.schema_arrow.names
    wanted = [*columns, *(name for name in optional if name in present)]
    number = 0
    try:
        for batch in file.iter_batches(ROWS_IN_BATCH, columns=wanted):
            for k in range(batch.num_rows):
                yield _record(batch, k, f"{path}, row {number}")
                number += 1
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            f"{path}, row {number}: cannot be read", found=str(error).splitlines()[0],
            expected="a whole Parquet file", fix="copy the file again",
        ) from error  # fmt: skip


def _record(batch: pa.RecordBatch, k: int, where: str) -> Record | DataError:
    try:
        row: dict[str, Any] = batch.slice(k, 1).to_pylist()[0]
    except UnicodeDecodeError as error:
        return DataError(
            f"{where}: not UTF-8", found=str(error), expected="texts in UTF-8",
            fix="mend or remove the row",
        )  # fmt: skip
    return Record(where, row)


def picture_of(value: Any, name: str, where: str) -> bytes:
    """The bytes of a hub's picture, ``{"bytes": ..., "path": ...}``.

    Raises:
        DataError: it is null, or holds a path only.
    """
    data: bytes = field_of(value, "bytes", bytes, f"{where}: {name}")
    return data
