"""A light columnar index of steps: what the list, the filters and the search of the viewer need."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

WORD_COLUMNS = ("action_type", "task_name", "app", "split")
"""Columns of few distinct values, which can be filtered by."""
SEARCHED = ("instruction", "step_id", "episode_id")
INDEX_SCHEMA = pa.schema(
    [
        ("step_id", pa.string()),
        ("episode_id", pa.string()),
        ("instruction", pa.string()),
        *((name, pa.string()) for name in WORD_COLUMNS),
        ("is_right", pa.bool_()),
    ]
)
"""``is_right`` is null where nothing was answered or nothing says how good the answer was."""
SELECTIONS_IN_MEMORY = 8
MAX_CHOICES = 500
"""Values that a filter offers; the most frequent ones are kept."""
INSTRUCTION_CHARACTERS = 160
"""What a row of the list shows of an instruction."""

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Query:
    """Which steps to show; an empty string does not filter.

    Attributes:
        verdict: ``wrong``, ``right``, ``none`` (not judged) or "".
        action_type, task_name, app, split: equal to this.
        text: stands in instruction, step id or episode id, case aside.
    """

    verdict: str = ""
    action_type: str = ""
    task_name: str = ""
    app: str = ""
    split: str = ""
    text: str = ""

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The names of the filters."""
        return tuple(field.name for field in fields(cls))


class StepIndex:
    """Row numbers by filter, without the steps themselves.

    Args:
        table: columns of `INDEX_SCHEMA`, one row a step; those that are missing are null.

    Example:
        >>> table = pa.table({"step_id": ["a/0", "b/0"], "is_right": [True, False]})
        >>> StepIndex(table).select(Query(verdict="wrong")).tolist()
        [1]
    """

    def __init__(self, table: pa.Table) -> None:
        columns: dict[str, Any] = {}
        for field in INDEX_SCHEMA:
            if field.name in table.column_names:
                column = table.column(field.name).cast(field.type)
            else:
                column = pa.chunked_array([pa.nulls(table.num_rows, field.type)])
            is_word = field.name in WORD_COLUMNS
            columns[field.name] = pc.dictionary_encode(column) if is_word else column
        self.table = pa.table(columns).unify_dictionaries()
        self._selected: OrderedDict[Query, Rows] = OrderedDict()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @property
    def has_verdicts(self) -> bool:
        """Whether any step is judged."""
        return int(self.table.column("is_right").null_count) < len(self)

    def choices(self) -> dict[str, list[dict[str, Any]]]:
        """Per filter the values that occur and how often, the most frequent first."""
        found = {}
        for name in WORD_COLUMNS:
            column = self.table.column(name)
            counts = pc.value_counts(column.combine_chunks()).to_pylist()
            rows = [(c["values"], c["counts"]) for c in counts if c["values"]]
            rows.sort(key=lambda row: (-row[1], row[0]))
            found[name] = [{"value": v, "count": n} for v, n in rows[:MAX_CHOICES]]
        return found

    def select(self, query: Query) -> Rows:
        """The row numbers that fit, rising."""
        if query not in self._selected:
            self._selected[query] = self._find(query)
            if len(self._selected) > SELECTIONS_IN_MEMORY:
                self._selected.popitem(last=False)
        self._selected.move_to_end(query)
        return self._selected[query]

    def _find(self, query: Query) -> Rows:
        masks = []
        for name in WORD_COLUMNS:
            if wanted := getattr(query, name):
                masks.append(pc.equal(self.table.column(name).cast(pa.string()), wanted))
        is_right = self.table.column("is_right")
        if query.verdict == "none":
            masks.append(pc.is_null(is_right))
        elif query.verdict:
            masks.append(pc.equal(is_right, query.verdict == "right"))
        if query.text:
            hits = [
                pc.fill_null(
                    pc.match_substring(self.table.column(n), query.text, ignore_case=True), False
                )
                for n in SEARCHED
            ]
            masks.append(pc.or_(pc.or_(hits[0], hits[1]), hits[2]))
        if not masks:
            return np.arange(len(self), dtype=np.int64)
        fits = np.ones(len(self), dtype=bool)
        for mask in masks:
            fits &= pc.fill_null(mask, False).to_numpy()
        return np.flatnonzero(fits).astype(np.int64)

    def page(self, query: Query, offset: int, limit: int) -> list[dict[str, Any]]:
        """The rows at positions ``offset`` to ``offset + limit`` of a selection, for the list."""
        chosen = self.select(query)[offset : offset + limit]
        rows = self.table.take(pa.array(chosen)).to_pylist()
        for number, row in zip(chosen.tolist(), rows, strict=True):
            row["row"] = number
            row["instruction"] = (row["instruction"] or "")[:INSTRUCTION_CHARACTERS]
        return list(rows)

    def next_wrong(self, query: Query, position: int) -> int | None:
        """The position of the next wrong step after ``position``, from the start after the end."""
        chosen = self.select(query)
        wrong = pc.fill_null(pc.equal(self.table.column("is_right"), False), False).to_numpy()
        found = np.flatnonzero(wrong[chosen])
        if not len(found):
            return None
        later = found[found > position]
        return int(later[0] if len(later) else found[0])
