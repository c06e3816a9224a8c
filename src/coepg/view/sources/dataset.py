"""A dataset folder: its steps by row number over all splits, and its pictures."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from coepg.data.images import ImageStore
from coepg.data.parquet import ParquetRows, open_parquet, read_group
from coepg.data.rows import OPTIONAL_COLUMNS, STEP_SCHEMA, row_to_step
from coepg.data.shipped import shipped_dataset_path, shipped_names
from coepg.data.table import StepTable
from coepg.errors import DataError
from coepg.types import Step
from coepg.view.index import StepIndex
from coepg.view.sources.base import Collection, Record, record_of

_COLUMNS = ("step_id", "episode_id", "task_name", "split", "instruction", "action_type")
_SHOWN = tuple(name for name in STEP_SCHEMA.names if name != "screen_text")
_APP_TAGS = ("application", "app", "website")
"""Tags that name the program on the screen; the first one that a step has is taken."""


class DatasetSource:
    """Shows a dataset; also the gold steps that answers are joined with.

    Only the columns of the index are held; a step costs one row group, a picture one group of
    pictures. Unlike `StepTable`, a step whose picture is missing is shown, with a note.

    Args:
        path: the folder.

    Raises:
        DataError: it is no dataset folder, or a file of steps is damaged.
    """

    kind = "dataset"
    key = "steps"
    label = "steps"

    def __init__(self, path: Path) -> None:
        table = StepTable.open(path)
        self.path = path
        self.title = str(table.info.get("name") or path.name)
        self._rows = [
            ParquetRows(path / "steps" / f"{split}.parquet", _SHOWN, optional=OPTIONAL_COLUMNS)
            for split in table.splits
        ]
        self._starts = list(itertools.accumulate(map(len, self._rows), initial=0))
        self._index: StepIndex | None = None
        self._notes: list[str] = []
        self._store: ImageStore | None = None
        self._step_ids: Any = None
        try:
            self._store = ImageStore(path / "images")
        except DataError as error:
            self._notes.append(f"No pictures: {error.what} ({error.found}).")

    def collections(self) -> Sequence[Collection]:
        """The dataset itself."""
        return (self,)

    def notes(self) -> Sequence[str]:
        """Whether the pictures could not be opened."""
        return tuple(self._notes)

    def image(self, image_hash: str) -> bytes:
        """See `Source.image`."""
        if self._store is None:
            raise DataError(f"image {image_hash}", found="; ".join(self._notes))
        return self._store.read(image_hash)

    @property
    def groups_read(self) -> int:
        """Row groups of whole steps that have been read."""
        return sum(rows.groups_read for rows in self._rows)

    def index(self) -> StepIndex:
        """See `Collection.index`."""
        if self._index is None:
            parts = [_read_index(rows.path) for rows in self._rows]
            self._index = StepIndex(pa.concat_tables(parts))
        return self._index

    def step(self, row: int) -> Step:
        """A step by its row over all splits.

        Raises:
            DataError: the row cannot be read.
            IndexError: there is no such row.
        """
        if not 0 <= row < self._starts[-1]:
            raise IndexError(f"{self.path}: row {row} of {self._starts[-1]}")
        part = bisect.bisect_right(self._starts, row) - 1
        rows, number = self._rows[part], row - self._starts[part]
        values = rows[number] | {"screen_text": None}
        return row_to_step(values, f"{rows.path}, row {number}")

    def image_note(self, step: Step) -> str:
        """Why there is no picture of a step, or ""."""
        name = step.screenshot.image_hash
        if self._store is None:
            return self._notes[0]
        return (
            "" if name in self._store else f"The picture {name} is not in {self.path / 'images'}."
        )

    def record(self, row: int) -> Record:
        """See `Collection.record`."""
        step = self.step(row)
        return record_of(step, image_note=self.image_note(step))

    def locate(self, step_ids: Any) -> Any:
        """The rows of steps by name, as an Arrow array; null for names that are not here."""
        if self._step_ids is None:
            self._step_ids = self.index().table.column("step_id").combine_chunks()
        return pc.index_in(step_ids, value_set=self._step_ids)

    def joined(self, step_ids: Any, is_right: Any) -> tuple[StepIndex, list[int]]:
        """An index of answers, with the columns of their gold steps.

        Args:
            step_ids: Arrow array of names, one an answer.
            is_right: Arrow array of booleans of the same length.

        Returns:
            The index, and per row the gold step's row, or -1 if it is not here.
        """
        places = self.locate(step_ids)
        gold = self.index().table
        columns = {
            name: gold.column(name).cast(pa.string()).take(places)
            for name in ("episode_id", "instruction", "action_type", "task_name", "app", "split")
        }
        index = StepIndex(pa.table({"step_id": step_ids, **columns, "is_right": is_right}))
        rows = pc.fill_null(places, -1).to_numpy(zero_copy_only=False).astype(np.int64)
        return index, rows.tolist()


def _read_index(path: Path) -> pa.Table:
    file = open_parquet(path, _COLUMNS)
    wanted = [*_COLUMNS, *(["tags"] if "tags" in file.schema_arrow.names else [])]
    parts = [_with_app(read_group(file, path, g, wanted)) for g in range(file.num_row_groups)]
    return pa.concat_tables(parts) if parts else _with_app(file.schema_arrow.empty_table())


def _with_app(table: pa.Table) -> pa.Table:
    """The table with a column ``app`` in place of the tags."""
    app: Any = pa.nulls(table.num_rows, pa.string())
    if "tags" in table.column_names:
        tags = table.column("tags").combine_chunks()
        found = [pc.map_lookup(tags, pa.scalar(tag), "first") for tag in _APP_TAGS]
        app = pc.coalesce(*found)
    return table.select(_COLUMNS).append_column("app", app)


def find_dataset(name: str, beside: Path) -> DatasetSource | None:
    """The dataset of a run or an evaluation, or None if it is not on this machine.

    Args:
        name: of a shipped dataset, or a path; relative ones are tried from the working folder and
            from ``beside`` upwards.
        beside: the run folder.
    """
    if name in shipped_names():
        return DatasetSource(shipped_dataset_path(name))
    for root in (Path(), beside, *beside.resolve().parents):
        if (root / name / "dataset.json").is_file():
            return DatasetSource(root / name)
    return None
