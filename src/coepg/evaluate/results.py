"""Result rows: one number of one arm after one iteration on one split, as in metrics.csv."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields

from coepg.errors import DataError
from coepg.evaluate.intervals import Estimate


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row of metrics.csv.

    Attributes:
        iteration: of the co-evolution, from 1; 0 is the base model.
        arm: what was evaluated (``sft``, ``grpo``, ...).
        split: of the data.
        metric: a name in `coepg.evaluate.definitions.METRICS`.
        value, n, low, high: the estimate.
    """

    iteration: int
    arm: str
    split: str
    metric: str
    value: float
    n: int
    low: float
    high: float

    @classmethod
    def from_record(cls, record: Mapping[str, object]) -> ResultRow:
        """A row from a CSV or JSON record; missing or empty numbers become NaN.

        Raises:
            DataError: a column is missing or does not hold a number.
        """
        try:
            return cls(
                iteration=int(str(record["iteration"])),
                arm=str(record["arm"]),
                split=str(record["split"]),
                metric=str(record["metric"]),
                value=_number(record["value"]),
                n=int(str(record["n"])),
                low=_number(record.get("low")),
                high=_number(record.get("high")),
            )
        except KeyError as error:
            raise DataError(
                "a row of results",
                found=f"no column {error.args[0]!r} in {sorted(record)}",
                expected=", ".join(COLUMNS),
            ) from None
        except ValueError as error:
            raise DataError(f"a row of results: {dict(record)}", found=str(error)) from None

    def to_record(self) -> dict[str, object]:
        """The row as a mapping, in the order of the columns."""
        return asdict(self)


COLUMNS = tuple(f.name for f in fields(ResultRow))
"""The columns of metrics.csv, in order."""


def result_rows(
    estimates: Mapping[str, Estimate], *, iteration: int, arm: str, split: str
) -> list[ResultRow]:
    """The rows of one evaluation, in the order of the estimates."""
    return [
        ResultRow(iteration, arm, split, metric, e.value, e.n, e.low, e.high)
        for metric, e in estimates.items()
    ]


def _number(value: object) -> float:
    return math.nan if value is None or value == "" else float(str(value))
