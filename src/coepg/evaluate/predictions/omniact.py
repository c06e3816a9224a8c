"""OmniACT scripts as UGround's planner and grounder store them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from coepg.errors import DataError
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.omniact import (
    UGROUND_SEQUENCE,
    OmniActTask,
    OmniActVerdict,
    no_script_note,
    omniact_report,
    omniact_scores,
)
from coepg.evaluate.benchmarks.omniact_script import ScriptCall, parse_answer, parse_task
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.points import scaled_output
from coepg.evaluate.predictions.rows import (
    Row,
    check_once,
    json_line_rows,
    json_object,
    not_empty,
)
from coepg.types import Box, Point, Space

FORMAT = PredictionFormat(
    "omniact",
    "OmniACT lines with gpt_output (and seq_score)",
    "github.com/OSU-NLP-Group/UGround offline_evaluation/OmniACT",
    point_unit="px",
    box_unit="px",
    box_order="x0y0x1y1",
    gold="the OmniACT folder (optional: without it, stored sequence scores are summed)",
    options={
        "index": "index of the test set, {id: {task, ...}}: every id must be answered once",
        "answers": "the grounder's lines {id, description, output, scale}; needs --gold",
    },
)


@dataclass(frozen=True, slots=True)
class OmniActAnswer:
    """One line of the file: a task to judge (with gold data) or its stored verdict."""

    stored: OmniActVerdict | None
    task: OmniActTask | None = None
    has_points: bool = False


class OmniActReader:
    """Lines ``{id, task, box, gpt_output, ideal_score, seq_score}``.

    With ``--gold`` the task and box files are read and everything is scored anew. Without, the
    stored verdicts are checked (weight, number of lines) and summed: that is the sequence score of
    UGround's script, which lower-cases gold lines.
    """

    format = FORMAT

    def __init__(self, options: ReadOptions) -> None:
        options.check(FORMAT)
        self.gold = options.gold
        self.index = options.extra.get("index")
        self.answers = options.extra.get("answers")
        if self.answers is not None:
            options.needed_gold(FORMAT)

    def read(self, path: Path) -> list[OmniActAnswer]:
        """The answers of a file."""
        points = _points(Path(self.answers)) if self.answers is not None else None
        seen: set[str] = set()
        found, rows = [], []
        for row in json_line_rows(path):
            check_once(row.where, f"task {row.text('id')}", seen)
            rows.append(row)
            found.append(self._answer(row, points))
        not_empty(path, found)
        if self.index is not None:
            _check_index(path, Path(self.index), rows)
        return found

    def report(self, answers: list[OmniActAnswer], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        tasks = [a.task for a in answers if a.task is not None]
        if len(tasks) == len(answers):
            return omniact_report(tasks, has_points=answers[0].has_points, seed=seed)
        verdicts = [a.stored for a in answers if a.stored is not None]
        notes = ["sums of the scores stored in the file; the gold scripts were not given (--gold)"]
        num_empty = sum(v.num_gold_lines == 0 for v in verdicts)
        if num_empty:
            notes.append(no_script_note(num_empty))
        return BenchmarkReport(
            "omniact",
            len(verdicts),
            sum(not v.is_parsed for v in verdicts),
            omniact_scores(verdicts, UGROUND_SEQUENCE, None, seed),
            tuple(notes),
        )

    def _answer(self, row: Row, points: dict[tuple[str, str], Point] | None) -> OmniActAnswer:
        predicted = parse_answer(row.text("gpt_output"))
        if self.gold is None:
            return OmniActAnswer(_stored(row, predicted))
        if points is not None:
            name = row.text("id")
            predicted = tuple(
                replace(c, point_px=points.get((name, c.description), c.point_px))
                for c in predicted
            )
        gold = _gold_calls(row, self.gold)
        if "ideal_score" in row.data and _num_lines(row) != len(gold):
            raise row.bad("ideal_score", f"{len(gold) - 0.9:g}: the task has {len(gold)} lines")
        task = OmniActTask(row.text("id"), gold, predicted, _boxes(row, self.gold))
        return OmniActAnswer(None, task, points is not None)


def _stored(row: Row, predicted: Sequence[ScriptCall]) -> OmniActVerdict:
    lines, score = _num_lines(row), row.number("seq_score")
    if score not in (0, row.number("ideal_score")):
        raise row.bad("seq_score", "0, or the ideal_score")
    if score and len(predicted) != lines:
        raise DataError(
            f"{row.where}: field 'seq_score'",
            found=f"a match, but {len(predicted)} calls in gpt_output for {lines} gold lines",
            expected="as many calls as gold lines", fix="check that the file was not changed",
        )  # fmt: skip
    return OmniActVerdict(row.text("id"), lines, bool(predicted), float(score != 0))


def _num_lines(row: Row) -> int:
    lines = row.number("ideal_score") + 0.9
    if lines < -1e-6 or abs(lines - round(lines)) > 1e-6:
        raise row.bad("ideal_score", "(number of gold lines) - 0.9")
    return round(lines)


def _gold_calls(row: Row, folder: Path) -> tuple[ScriptCall, ...]:
    path = folder / row.text("task")
    try:
        calls = parse_task(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(
            f"{row.where}: field 'task'", found=f"{path}: {error}", expected="a task file",
            fix="let --gold name the folder that the paths of the file are relative to",
        ) from None  # fmt: skip
    return calls


def _boxes(row: Row, folder: Path) -> tuple[Box, ...]:
    whole = json_object(folder / row.text("box"), "an object of boxes by label")
    boxes = []
    for label in whole.data:
        item = whole.row(label)
        corners = item.numbers("top_left", 2) + item.numbers("bottom_right", 2)
        boxes.append(item.made_box("top_left, bottom_right", corners, Space.IMAGE_PX))
    return tuple(boxes)


def _points(path: Path) -> dict[tuple[str, str], Point]:
    """Points by id and description; the first of equal descriptions counts, as in the script."""
    points: dict[tuple[str, str], Point] = {}
    for row in json_line_rows(path):
        point = scaled_output(row)
        if point is not None:
            points.setdefault((row.text("id"), row.text("description")), point)
    return points


def _check_index(path: Path, index_path: Path, rows: Sequence[Row]) -> None:
    index = json_object(index_path, "an object {id: {task, image, box}}")
    for row in rows:
        name = row.text("id")
        if name not in index.data:
            raise row.bad("id", f"an id of {index_path}")
        if index.row(name).text("task") != row.text("task"):
            raise row.bad("task", f"{index.row(name).text('task')!r}, as in {index_path}")
    missing = sorted(set(index.data) - {row.text("id") for row in rows})
    if missing:
        raise DataError(
            f"{path}: {len(missing)} tasks are not answered", found=f"no row for id {missing[0]}",
            expected=f"the {len(index.data)} ids of {index_path}",
            fix="answer them all, or leave out --option index",
        )  # fmt: skip
