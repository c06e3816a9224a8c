"""Several answers to one step in neighbouring rows: rollouts of a training, plans of a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import Any

import pyarrow as pa

from coepg.data.parquet import ParquetRows, open_parquet, read_group
from coepg.errors import DataError
from coepg.types import Plan
from coepg.view.index import StepIndex
from coepg.view.sources.answers import answered_record, members_of
from coepg.view.sources.base import Answer, Record
from coepg.view.sources.dataset import DatasetSource
from coepg.view.sources.evaluation import NO_DATASET
from coepg.view.sources.files import Mark, file_mark

RIGHT_REWARD = 0.5
"""A group of rollouts counts as right from this mean reward on."""
PARTS_OPEN = 4


@dataclass(frozen=True, slots=True)
class GroupKind:
    """How the rows of a kind of file are read.

    Attributes:
        columns: that a file must have; the light ones, read for the index.
        answer: a row and its place in its group, as an answer.
        is_right: of a group, from its light columns.
    """

    columns: tuple[str, ...]
    answer: Callable[[Mapping[str, Any], int], Answer]
    is_right: Callable[[Sequence[Mapping[str, Any]]], bool | None]


@dataclass(frozen=True, slots=True)
class _Group:
    """Neighbouring rows of one step in one file."""

    path: Path
    start: int
    count: int
    step_id: str
    is_right: bool | None


class GroupCollection:
    """The groups in the files of a folder, in the order of the files.

    Args:
        key: see `Collection`.
        label: see `Collection`.
        files: tells which files there are now.
        kind: how to read them.
        gold: the dataset of the steps, or None.
    """

    def __init__(
        self,
        key: str,
        label: str,
        files: Callable[[], Sequence[Path]],
        kind: GroupKind,
        gold: DatasetSource | None,
    ) -> None:
        self.key = key
        self.label = label
        self._files = files
        self._kind = kind
        self._gold = gold
        self._parts: dict[Mark, list[_Group]] = {}
        self._open: dict[Mark, ParquetRows] = {}
        self._marks: list[Mark] | None = None
        self._groups: list[_Group] = []
        self._gold_rows: list[int] = []
        self._index = StepIndex(pa.table({"step_id": pa.array([], pa.string())}))
        self._notes: tuple[str, ...] = ()

    def index(self) -> StepIndex:
        """See `Collection.index`; a part that cannot be read is left out, with a note."""
        marks = [file_mark(path) for path in self._files()]
        if marks != self._marks:
            self._read(marks)
            self._marks = marks
        return self._index

    def notes(self) -> Sequence[str]:
        """See `Collection.notes`."""
        self.index()
        return self._notes

    def record(self, row: int) -> Record:
        """See `Collection.record`."""
        self.index()
        if not 0 <= row < len(self._groups):
            raise IndexError(f"{self.label}: row {row} of {len(self._groups)}")
        group = self._groups[row]
        rows = self._rows(group.path).rows(group.start, group.count)
        answers = [self._kind.answer(values, number) for number, values in enumerate(rows)]
        return answered_record(self._gold, self._gold_rows[row], group.step_id, answers)

    def _rows(self, path: Path) -> ParquetRows:
        mark = file_mark(path)
        if mark not in self._open:
            if len(self._open) >= PARTS_OPEN:
                self._open.pop(next(iter(self._open)))
            self._open[mark] = ParquetRows(path)
        return self._open[mark]

    def _read(self, marks: Sequence[Mark]) -> None:
        groups: list[_Group] = []
        notes = [] if self._gold else [NO_DATASET]
        parts: dict[Mark, list[_Group]] = {}
        for mark in marks:
            try:
                parts[mark] = self._parts.get(mark) or self._read_part(Path(mark[0]))
            except DataError as error:
                notes.append(f"Left out: {error.what} ({error.found}).")
                continue
            groups += parts[mark]
        ids = pa.array([g.step_id for g in groups], pa.string())
        right = pa.array([g.is_right for g in groups], pa.bool_())
        if self._gold is None:
            self._index = StepIndex(pa.table({"step_id": ids, "is_right": right}))
            self._gold_rows = [-1] * len(groups)
        else:
            self._index, self._gold_rows = self._gold.joined(ids, right)
        self._parts, self._groups, self._notes = parts, groups, tuple(notes)

    def _read_part(self, path: Path) -> list[_Group]:
        file = open_parquet(path, self._kind.columns)
        rows = [
            row
            for group in range(file.num_row_groups)
            for row in read_group(file, path, group, self._kind.columns).to_pylist()
        ]
        groups, start = [], 0
        for step_id, members in groupby(rows, key=lambda row: str(row["step_id"])):
            part = list(members)
            groups.append(_Group(path, start, len(part), step_id, self._kind.is_right(part)))
            start += len(part)
        return groups


def _mean_reward(rows: Sequence[Mapping[str, Any]]) -> bool | None:
    rewards = [row["reward"] for row in rows if row["reward"] is not None]
    return fmean(rewards) >= RIGHT_REWARD if rewards else None


def _rollout(row: Mapping[str, Any], number: int) -> Answer:
    kind = row.get("action_type")
    names = ("update", "reward", "advantage")
    reward = row.get("reward")
    return Answer(
        label=f"sample {row.get('sample_index', number)}",
        text=str(row.get("text") or ""),
        is_parsed=kind is not None,
        element=row.get("element"),
        action_type=kind or "",
        value=row.get("value"),
        marks=members_of(row.get("members")),
        is_right=None if reward is None else reward >= RIGHT_REWARD,
        facts={n: row[n] for n in names if row.get(n) is not None},
    )


def _plan(row: Mapping[str, Any], number: int) -> Answer:
    plan = Plan(row.get("element"), str(row.get("action_type") or ""), row.get("value"))
    return Answer(
        label=f"plan {number + 1}",
        is_parsed=True,
        element=plan.element,
        action_type=plan.action_type,
        value=plan.value,
        facts={
            "writer": str(row.get("writer") or ""),
            "voters": ", ".join(map(str, row.get("voters") or ())) or "(no target)",
        },
    )


ROLLOUTS = GroupKind(("step_id", "reward"), _rollout, _mean_reward)
PLANS = GroupKind(("step_id",), _plan, lambda rows: None)
