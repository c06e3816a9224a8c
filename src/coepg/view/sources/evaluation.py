"""Answers of one evaluation, a row a step, joined with their dataset where it is found."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from coepg.errors import DataError
from coepg.view.index import StepIndex
from coepg.view.sources.answers import answer_of, answered_record, judged
from coepg.view.sources.base import Collection, Record
from coepg.view.sources.dataset import DatasetSource
from coepg.view.sources.files import AnswerRows, Mark, file_mark, open_rows

MAX_JUDGED_ROWS = 20_000
"""Files without verdicts are judged whole up to this length; beyond it, a step when shown."""
NO_DATASET = (
    "No dataset was found for these answers, so there are no pictures and no gold actions; name "
    "it with --dataset."
)


@dataclass(frozen=True, slots=True)
class _State:
    """What was read of the file when it had this mark."""

    mark: Mark
    rows: AnswerRows
    index: StepIndex
    gold_rows: list[int]
    notes: tuple[str, ...]


class AnswerCollection:
    """The answers in one file.

    Args:
        key: see `Collection`.
        label: see `Collection`.
        path: tells where the file is now; a stage's folder is renamed when it is finished.
        gold: the dataset of the steps, or None.
    """

    def __init__(
        self, key: str, label: str, path: Callable[[], Path], gold: DatasetSource | None
    ) -> None:
        self.key = key
        self.label = label
        self._path = path
        self._gold = gold
        self._state: _State | None = None

    def index(self) -> StepIndex:
        """See `Collection.index`."""
        return self._read().index

    def record(self, row: int) -> Record:
        """See `Collection.record`."""
        state = self._read()
        if not 0 <= row < len(state.rows):
            raise IndexError(f"{self._path()}: row {row} of {len(state.rows)}")
        found = state.rows[row]
        return answered_record(
            self._gold, state.gold_rows[row], str(found["step_id"]), [answer_of(found)]
        )

    def notes(self) -> Sequence[str]:
        """See `Collection.notes`."""
        return self._read().notes

    def _read(self) -> _State:
        path = self._path()
        mark = file_mark(path)
        if self._state is None or self._state.mark != mark:
            self._state = self._open(path, mark)
        return self._state

    def _open(self, path: Path, mark: Mark) -> _State:
        rows = open_rows(path)
        notes = list(rows.notes)
        if self._gold is None:
            index = StepIndex(pa.table(rows.columns))
            return _State(mark, rows, index, [-1] * len(rows), (*notes, NO_DATASET))
        ids, right = rows.columns["step_id"], rows.columns["is_right"]
        index, places = self._gold.joined(ids, right)
        if lost := sum(place < 0 for place in places):
            notes.append(f"{lost} of {len(rows)} steps are not in {self._gold.path}.")
        if len(rows) and right.null_count == len(rows) and lost < len(rows):
            if len(rows) <= MAX_JUDGED_ROWS:
                index, places = self._gold.joined(ids, _judge(rows, places, self._gold))
                notes.append("The file has no verdicts; steps are judged by coepg's own rule.")
            else:
                notes.append("The file has no verdicts; a step is judged when it is shown.")
        return _State(mark, rows, index, places, tuple(notes))


def _judge(rows: AnswerRows, places: Sequence[int], gold: DatasetSource) -> pa.Array:
    found = [
        None if place < 0 else judged(answer_of(rows[number]), gold.step(place)).is_right
        for number, place in enumerate(places)
    ]
    return pa.array(found, pa.bool_())


class EvaluationSource:
    """A file of answers, or a folder of such files.

    Args:
        path: the file or folder.
        gold: the dataset of the steps, or None.

    Raises:
        DataError: there is no such file.
    """

    kind = "evaluation"

    def __init__(self, path: Path, gold: DatasetSource | None) -> None:
        self.title = path.name
        self._path = path
        self._gold = gold
        self._known: dict[str, AnswerCollection] = {}

    def collections(self) -> Sequence[Collection]:
        """One a file, by name."""
        for path in answer_files(self._path):
            if path.name not in self._known:
                label = path.stem.removeprefix("predictions-")
                self._known[path.name] = AnswerCollection(
                    path.name, label, partial(Path, path), self._gold
                )
        return tuple(self._known.values())

    def image(self, image_hash: str) -> bytes:
        """See `Source.image`."""
        return image_of(self._gold, image_hash)


def answer_files(path: Path) -> list[Path]:
    """The files of answers at a path: itself, or those in the folder."""
    if path.is_file():
        return [path] if path.suffix in (".jsonl", ".parquet") else []
    files = [p for p in path.iterdir() if p.is_file() and p.suffix in (".jsonl", ".parquet")]
    named = [p for p in files if p.name.startswith("predictions-")]
    return sorted(named or files)


def image_of(gold: DatasetSource | None, image_hash: str) -> bytes:
    """A picture of the dataset.

    Raises:
        DataError: there is no dataset, or no picture of this name.
    """
    if gold is None:
        raise DataError(f"image {image_hash}", found="no dataset")
    return gold.image(image_hash)
