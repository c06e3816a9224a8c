"""Opening Parquet files with messages that say what is wrong with them."""

from __future__ import annotations

import bisect
import itertools
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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


class ParquetRows:
    """The rows of a file, by number or one after another.

    Row groups stay Arrow, a row is made when it is asked for, and a few groups are held at a time.

    Args:
        path: the file.
        columns: the ones to read; by default all.
        optional: columns that the file may lack; their value is None.

    Attributes:
        groups_read: how many row groups have been read.

    Raises:
        DataError: the file is damaged or lacks a column; also while reading.
    """

    def __init__(
        self, path: Path, columns: Sequence[str] | None = None, optional: Sequence[str] = ()
    ) -> None:
        self.path = path
        self.groups_read = 0
        self._file = open_parquet(path, [n for n in columns or () if n not in optional])
        present = self._file.schema_arrow.names
        self._columns = [n for n in columns if n in present] if columns is not None else present
        self._missing = {name: None for name in columns or () if name not in present}
        metadata = self._file.metadata
        sizes: list[int] = [metadata.row_group(g).num_rows for g in range(metadata.num_row_groups)]
        self._starts: list[int] = list(itertools.accumulate(sizes, initial=0))
        self._groups: OrderedDict[int, pa.Table] = OrderedDict()

    def __len__(self) -> int:
        return self._starts[-1]

    def __getitem__(self, number: int) -> dict[str, Any]:
        return self.rows(number, 1)[0]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for group in range(len(self._starts) - 1):
            for row in self._group(group).to_pylist():
                yield row | self._missing

    def rows(self, start: int, count: int) -> list[dict[str, Any]]:
        """Neighbouring rows, across row groups.

        Raises:
            IndexError: there are no such rows.
            DataError: the file is damaged there.
        """
        if not 0 <= start <= start + count <= len(self):
            raise IndexError(f"{self.path}: rows {start} to {start + count} of {len(self)}")
        found: list[dict[str, Any]] = []
        while len(found) < count:
            number = start + len(found)
            group = bisect.bisect_right(self._starts, number) - 1
            part = self._group(group).slice(number - self._starts[group], count - len(found))
            found += [row | self._missing for row in part.to_pylist()]
        return found

    def _group(self, group: int) -> pa.Table:
        if group not in self._groups:
            self._groups[group] = read_group(self._file, self.path, group, self._columns)
            self.groups_read += 1
            if len(self._groups) > GROUPS_IN_MEMORY:
                self._groups.popitem(last=False)
        self._groups.move_to_end(group)
        return self._groups[group]


def read_group(file: Any, path: Path, group: int, columns: Sequence[str]) -> pa.Table:
    """Some columns of a row group.

    Raises:
        DataError: the file is damaged there.
    """
    try:
        return file.read_row_group(group, list(columns))
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(
            f"{path}: cannot be read",
            found=str(error).splitlines()[0],
            expected="a whole Parquet file",
            fix="copy the file again, or write it again",
        ) from error
