"""Opening Parquet files with messages that say what is wrong with them."""

from __future__ import annotations

import bisect
import itertools
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, overload

import pyarrow as pa
import pyarrow.parquet as pq

from coepg.errors import DataError

GROUPS_IN_MEMORY = 4
"""Row groups that `ParquetRows` holds."""


def open_parquet(path: Path, columns: Sequence[str], buffer_bytes: int = 0) -> pq.ParquetFile:
    """Open a file and see that it has these columns.

    Args:
        path: the file.
        columns: that it must have.
        buffer_bytes: read column chunks in pieces of this size; 0 reads each at once.

    Raises:
        DataError: the file is damaged or lacks a column.
    """
    try:
        # pre_buffer would hold every column chunk that has been read until the file is closed.
        file = pq.ParquetFile(path, buffer_size=buffer_bytes, pre_buffer=not buffer_bytes)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            f"{path}: cannot be read",
            found=str(error).splitlines()[0],
            expected="a Parquet file",
            fix="copy the file again, or write the dataset again",
        ) from error
    present = file.schema_arrow.names
    missing = [name for name in columns if name not in present]
    if missing:
        raise DataError(
            f"{path}: missing column {', '.join(missing)}",
            found=", ".join(present),
            expected=", ".join(columns),
            fix="write the dataset again",
        )
    return file


class ParquetRows(Sequence[dict[str, Any]]):
    """The rows of a file by number; a few row groups are held at a time.

    Args:
        path: the file.
        schema: its columns, in order.
        optional: columns that older files lack; their value is None.

    Raises:
        DataError: the file is damaged or lacks a column; also while reading.
    """

    def __init__(self, path: Path, schema: pa.Schema, optional: Sequence[str] = ()) -> None:
        self.path = path
        needed = [name for name in schema.names if name not in optional]
        self._file = open_parquet(path, needed)
        present = self._file.schema_arrow.names
        self._columns = [name for name in schema.names if name in present]
        self._missing = dict.fromkeys(n for n in schema.names if n not in present)
        metadata = self._file.metadata
        sizes: list[int] = [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)]
        self._starts: list[int] = list(itertools.accumulate(sizes, initial=0))
        self._groups: OrderedDict[int, list[dict[str, Any]]] = OrderedDict()

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, number: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, number: slice) -> list[dict[str, Any]]: ...
    def __getitem__(self, number: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(f"{self.path}: row {number} of {len(self)}")
        group = bisect.bisect_right(self._starts, number) - 1
        row: dict[str, Any] = self._group(group)[number - self._starts[group]]
        return row

    def _group(self, group: int) -> list[dict[str, Any]]:
        if group not in self._groups:
            try:
                rows = self._file.read_row_group(group, self._columns).to_pylist()
            except (pa.ArrowInvalid, OSError) as error:
                raise DataError(
                    f"{self.path}: cannot be read",
                    found=str(error).splitlines()[0],
                    expected="a whole Parquet file",
                    fix="copy the file again, or write the dataset again",
                ) from error
            self._groups[group] = [row | self._missing for row in rows]
            if len(self._groups) > GROUPS_IN_MEMORY:
                self._groups.popitem(last=False)
        self._groups.move_to_end(group)
        return self._groups[group]
