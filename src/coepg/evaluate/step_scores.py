"""Scores of single steps, as evaluations leave them: read from files, stages and runs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coepg.errors import DataError

METRIC_OF_COLUMN = {"element_hit": "ele_acc", "step_success": "step_sr"}
"""Columns of a verdict whose mean has another name than they have."""

NOT_METRICS = ("step_index", "num_steps", "seed", "update", "sample_index", "iteration")
"""Columns with numbers that are no scores."""

_EVALUATION = re.compile(r"\d\d-(3-eval-sft|5-eval-grpo)")
_PREDICTIONS = re.compile(r"predictions-(.+)\.jsonl")


@dataclass(frozen=True, slots=True)
class StepScores:
    """What one system scored on the steps of one split.

    Attributes:
        label: what to call it.
        source: the file.
        scores: per metric, the value of each step id; a step to which a metric does not apply
            (element accuracy without a target) is absent from it.
        episodes: per step id, its episode.
        are_episodes_guessed: whether the episodes were taken from the step ids.
    """

    label: str
    source: Path
    scores: Mapping[str, Mapping[str, float]]
    episodes: Mapping[str, str]
    are_episodes_guessed: bool = False

    @property
    def step_ids(self) -> frozenset[str]:
        """All steps, also those to which no metric applies."""
        return frozenset(self.episodes)


def read_step_scores(path: Path, label: str = "") -> dict[str, StepScores]:
    """The scores of a file, stage or run, by split.

    Args:
        path: a JSON Lines, JSON (a list) or Parquet file with one row a step, whose split is "";
            a folder with ``predictions-<split>.jsonl`` files; or a run folder, of which the last
            evaluation counts.
        label: what to call it; the path by default.

    Raises:
        DataError: there is nothing to read, or a row is not what it should be.
    """
    label = label or str(path)
    if path.is_file():
        return {"": _scores(path, _rows(path), label)}
    folder = _evaluation_folder(path)
    found = {
        match[1]: _scores(file, _rows(file), label)
        for file in sorted(folder.glob("predictions-*.jsonl"))
        if (match := _PREDICTIONS.fullmatch(file.name))
    }
    if not found:
        raise DataError(
            f"{path}: scores of single steps",
            found="no predictions-<split>.jsonl" if path.exists() else "no such file or folder",
            expected="a finished run, an evaluation stage, or a .jsonl, .json or .parquet file",
            fix="finish the run, or name the file",
        )
    return found


def _evaluation_folder(path: Path) -> Path:
    stages = path / "stages"
    if not stages.is_dir():
        return path
    names = sorted(f.name for f in stages.iterdir() if _EVALUATION.fullmatch(f.name))
    return stages / names[-1] if names else path


def _rows(path: Path) -> Iterable[Mapping[str, Any]]:
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            rows: list[Mapping[str, Any]] = pq.read_table(path).to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{path}", found=str(error), expected="a Parquet file") from None
        return rows
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        return _json_rows(path, text)
    return [
        _json(f"{path}, line {number}", line)
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip()
    ]


def _json_rows(path: Path, text: str) -> list[Mapping[str, Any]]:
    rows = _json(str(path), text)
    if not isinstance(rows, list):
        raise DataError(f"{path}", found=type(rows).__name__, expected="a list of rows")
    return rows


def _json(place: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise DataError(place, found=str(error), expected="JSON") from None


def _scores(path: Path, rows: Iterable[Mapping[str, Any]], label: str) -> StepScores:
    scores: dict[str, dict[str, float]] = {}
    episodes: dict[str, str] = {}
    is_guessed = False
    for number, row in enumerate(rows, 1):
        place = f"{path}, row {number}"
        step_id = row.get("step_id") if isinstance(row, Mapping) else None
        if not isinstance(step_id, str) or not step_id:
            raise DataError(place, found=f"step_id {step_id!r}", expected="an object with one")
        if step_id in episodes:
            raise DataError(
                place,
                found=f"step {step_id!r} again",
                expected="one row a step",
                fix="keep one answer for each step",
            )
        episode = row.get("episode_id")
        is_guessed = is_guessed or episode is None
        episodes[step_id] = step_id.rpartition("/")[0] or step_id if episode is None else episode
        for column, value in row.items():
            if isinstance(value, bool | int | float) and column not in NOT_METRICS:
                if not math.isfinite(value):
                    raise DataError(f"{place}, {column}", found=str(value), expected="a number")
                metric = METRIC_OF_COLUMN.get(column, column)
                scores.setdefault(metric, {})[step_id] = float(value)
    if not scores:
        raise DataError(
            f"{path}",
            found="no scores",
            expected="rows with step_id and at least one number, true or false a step",
        )
    return StepScores(label, path, scores, episodes, is_guessed)
