"""Plan tables: the training data D_k that planners write and grounders verify.

One row is one verified plan of one step. A table is a folder ``plans`` that
``datasets.load_dataset("parquet", data_dir=...)`` opens; pictures stay in the step table, by
content hash.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from coepg.errors import DataError
from coepg.types import Plan

_SCHEMA = pa.schema(
    [
        ("step_id", pa.string()),
        ("image_hash", pa.string()),
        ("element", pa.string()),
        ("action_type", pa.string()),
        ("value", pa.string()),
        ("writer", pa.string()),
        ("voters", pa.list_(pa.string())),
    ]
)


@dataclass(frozen=True, slots=True)
class PlanRecord:
    """A verified plan.

    Attributes:
        step_id: the step that it plans.
        image_hash: the step's screenshot.
        plan: what was written.
        writer: the pool member that wrote it.
        voters: the verifiers whose point hit the gold box; empty for actions without a target.
    """

    step_id: str
    image_hash: str
    plan: Plan
    writer: str
    voters: tuple[str, ...]


def write_plans(folder: Path, records: Iterable[PlanRecord]) -> Path:
    """Write ``folder/plans/train.parquet``."""
    rows = [
        {
            "step_id": r.step_id,
            "image_hash": r.image_hash,
            "element": r.plan.element,
            "action_type": r.plan.action_type,
            "value": r.plan.value,
            "writer": r.writer,
            "voters": list(r.voters),
        }
        for r in records
    ]
    path = folder / "plans" / "train.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), path, compression="zstd")
    return path


def read_plans(folder: Path) -> list[PlanRecord]:
    """Read a plan table.

    Raises:
        DataError: the file is missing, damaged, or has other columns.
    """
    path = folder / "plans" / "train.parquet"
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowInvalid) as error:
        raise DataError(
            str(path), found=str(error).splitlines()[0], expected="a plan table in Parquet",
            fix="delete the stage's folder and run the same command again",
        ) from None  # fmt: skip
    missing = [name for name in _SCHEMA.names if name not in table.column_names]
    if missing:
        raise DataError(
            str(path), found=f"no column {missing[0]!r}", expected=", ".join(_SCHEMA.names),
            fix="delete the stage's folder and run the same command again",
        )  # fmt: skip
    return [_record(row) for row in table.to_pylist()]


def _record(row: dict[str, object]) -> PlanRecord:
    element, value = row["element"], row["value"]
    voters = row["voters"]
    assert isinstance(voters, list)
    return PlanRecord(
        step_id=str(row["step_id"]),
        image_hash=str(row["image_hash"]),
        plan=Plan(
            None if element is None else str(element),
            str(row["action_type"]),
            None if value is None else str(value),
        ),
        writer=str(row["writer"]),
        voters=tuple(str(v) for v in voters),
    )


def plans_by_step(records: Sequence[PlanRecord]) -> dict[str, list[PlanRecord]]:
    """The records of each step, in order."""
    grouped: dict[str, list[PlanRecord]] = {}
    for record in records:
        grouped.setdefault(record.step_id, []).append(record)
    return grouped
