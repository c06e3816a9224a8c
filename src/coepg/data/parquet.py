"""Opening Parquet files with messages that say what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from coepg.errors import DataError


def open_parquet(path: Path, columns: Sequence[str]) -> pq.ParquetFile:
    """Open a file and see that it has these columns.

    Raises:
        DataError: the file is damaged or lacks a column.
    """
    try:
        file = pq.ParquetFile(path)
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
