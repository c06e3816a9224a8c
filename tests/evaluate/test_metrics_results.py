"""Rows of metrics.csv."""

import csv
import io
import math

import pytest

from coepg.errors import DataError
from coepg.evaluate.results import COLUMNS, ResultRow

ROW = ResultRow(1, "grpo", "test_seed", "step_sr", 0.8, 120, 0.75, 0.85)


def test_row_survives_csv() -> None:
    file = io.StringIO()
    writer = csv.DictWriter(file, COLUMNS)
    writer.writeheader()
    writer.writerow(ROW.to_record())
    file.seek(0)
    assert [ResultRow.from_record(r) for r in csv.DictReader(file)] == [ROW]


def test_missing_interval_is_nan() -> None:
    record = {k: v for k, v in ROW.to_record().items() if k not in ("low", "high")}
    row = ResultRow.from_record(record | {"high": ""})
    assert math.isnan(row.low)
    assert math.isnan(row.high)


def test_bad_rows_are_named() -> None:
    with pytest.raises(DataError, match="no column 'split'"):
        ResultRow.from_record({k: v for k, v in ROW.to_record().items() if k != "split"})
    with pytest.raises(DataError, match="many"):
        ResultRow.from_record(ROW.to_record() | {"n": "many"})
