"""Mind2Web results: UGround's plan and answer lines, and SeeAct's prediction list."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coepg.errors import DataError
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.mind2web import Mind2WebStep, mind2web_report
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.points import scaled_output
from coepg.evaluate.predictions.rows import (
    Row,
    check_once,
    json_line_rows,
    json_rows,
    not_empty,
    read_json,
    shortened,
)
from coepg.types import Box, Space

UGROUND = PredictionFormat(
    "mind2web_uground",
    "Multimodal-Mind2Web plan lines (UGround)",
    "github.com/OSU-NLP-Group/UGround offline_evaluation/Multimodal-Mind2Web/eval.py",
    point_unit="px",
    box_unit="px",
    box_order="xywh",
    gold="the sample lines {annotation_id, action_uid, operation, value, total_steps}",
    options={
        "answers": "the grounder's lines {id, output, bbox, scale}; without it the plan lines "
        "must hold output and bbox"
    },
)
SEEACT = PredictionFormat(
    "mind2web_seeact",
    "Mind2Web prediction list (SeeAct)",
    "github.com/OSU-NLP-Group/SeeAct src/data_utils/evaluation_utils.py",
    point_unit="none",
    box_unit="none",
    box_order="none",
    gold="tasks in the original Mind2Web JSON, with pos_candidates",
)
OPS = ("CLICK", "TYPE", "SELECT")


@dataclass(frozen=True, slots=True)
class Mind2WebAnswers:
    """Steps, and the number of steps of every task."""

    steps: tuple[Mind2WebStep, ...]
    total_steps: dict[str, int]


class UGroundMind2WebReader:
    """Plan lines ``{annotation_id, action_uid, gpt_action, gpt_value, ...}``.

    Answers hold ``output`` "(x, y)" in pixels times ``scale``, and ``bbox``, a list of [x, y,
    width, height] in pixels. A sample without a plan line is a failed step.
    """

    format = UGROUND

    def __init__(self, options: ReadOptions) -> None:
        options.check(UGROUND)
        self.gold = options.needed_gold(UGROUND)
        self.answers = options.extra.get("answers")

    def read(self, path: Path) -> list[Mind2WebAnswers]:
        """All steps of the sample, as one item."""
        plans = _by_key(path)
        answers = self._grounding()
        samples = _by_key(self.gold)
        not_empty(self.gold, list(samples))
        for key, row in plans.items():
            if key not in samples:
                raise row.bad("action_uid", f"a step of {self.gold}")
        steps = tuple(
            _uground_step(key, row, plans.get(key), plans if answers is None else answers)
            for key, row in samples.items()
        )
        totals: dict[str, int] = {}
        for row in samples.values():
            task, total = row.text("annotation_id"), row.integer("total_steps", 1)
            if totals.setdefault(task, total) != total:
                raise row.bad("total_steps", f"{totals[task]}, as in the task's other rows")
        return [Mind2WebAnswers(steps, totals)]

    def report(self, answers: list[Mind2WebAnswers], seed: int = 0) -> BenchmarkReport:
        """The scores by UGround's rule."""
        return mind2web_report(answers[0].steps, "uground", answers[0].total_steps, seed)

    def _grounding(self) -> dict[str, Row] | None:
        if self.answers is None:
            return None
        seen: set[str] = set()
        found = {}
        for row in json_line_rows(Path(self.answers)):
            check_once(row.where, f"id {row.text('id')}", seen)
            found[row.text("id")] = row
        return found


class SeeActMind2WebReader:
    """A JSON list of ``[annotation_id_action_uid, backend node id, "OP value"]``.

    Empty texts are an answer that could not be parsed. Every positive candidate counts: the
    official script keeps those that its ranker puts among the first 50, and fails steps without.
    """

    format = SEEACT

    def __init__(self, options: ReadOptions) -> None:
        options.check(SEEACT)
        self.gold = options.needed_gold(SEEACT)

    def read(self, path: Path) -> list[Mind2WebAnswers]:
        """The answered steps, as one item."""
        gold = read_mind2web_tasks(self.gold)
        seen: set[str] = set()
        steps = []
        for where, (name, element, action) in _triples(path):
            check_once(where, f"step {name}", seen)
            if name not in gold:
                raise DataError(
                    f"{where}: unknown step", found=repr(name), expected=f"a step of {self.gold}",
                    fix="give the gold tasks that were answered",
                )  # fmt: skip
            op, _, value = action.strip().partition(" ")
            step = gold[name]
            steps.append(
                Mind2WebStep(
                    name, step.task_id, step.gold_op, step.gold_value,
                    step.positive_boxes_px, step.positive_ids,
                    predicted_op=op or None, predicted_value=value, element_id=element or None,
                )
            )  # fmt: skip
        not_empty(path, steps)
        return [Mind2WebAnswers(tuple(steps), {})]

    def report(self, answers: list[Mind2WebAnswers], seed: int = 0) -> BenchmarkReport:
        """The scores by SeeAct's rule."""
        return mind2web_report(answers[0].steps, "seeact", answers[0].total_steps, seed)


def read_mind2web_tasks(path: Path) -> dict[str, Mind2WebStep]:
    """Gold steps of a file in the original Mind2Web layout, by ``<annotation_id>_<action_uid>``.

    Raises:
        DataError: a field is missing or of another kind.
    """
    whole = read_json(path, "a list of Mind2Web tasks")
    rows = [Row(str(path), whole)] if isinstance(whole, dict) else json_rows(path, "tasks")
    steps = {}
    for task in rows:
        for action in task.rows("actions"):
            name = f"{task.text('annotation_id')}_{action.text('action_uid')}"
            operation = action.row("operation")
            positives = action.rows("pos_candidates")
            steps[name] = Mind2WebStep(
                name,
                task.text("annotation_id"),
                operation.one_of("op", OPS),
                operation.text("value"),
                tuple(box for p in positives if (box := _candidate_box(p)) is not None),
                frozenset(p.text("backend_node_id") for p in positives),
            )
    return steps


def _candidate_box(row: Row) -> Box | None:
    """``bounding_box_rect`` "x,y,w,h" inside the attributes; "-1,-1,-1,-1" is not visible."""
    try:
        attributes = json.loads(row.text("attributes"))
        numbers = [float(v) for v in attributes["bounding_box_rect"].split(",")]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise row.bad("attributes", "JSON with bounding_box_rect 'x,y,w,h'") from None
    if numbers == [-1.0] * 4:
        return None
    return Row(row.where, {"bounding_box_rect": numbers}).box_sides(
        "bounding_box_rect", Space.IMAGE_PX
    )


def _by_key(path: Path) -> dict[str, Row]:
    seen: set[str] = set()
    found = {}
    for row in json_line_rows(path):
        key = f"{row.text('annotation_id')}_{row.text('action_uid')}"
        check_once(row.where, f"step {key}", seen)
        found[key] = row
    return found


def _uground_step(key: str, sample: Row, plan: Row | None, answers: dict[str, Row]) -> Mind2WebStep:
    answer = answers.get(key)
    value = plan.text("gpt_value") if plan is not None else ""
    return Mind2WebStep(
        key,
        sample.text("annotation_id"),
        sample.text("operation"),
        sample.text("value"),
        _answer_boxes(answer) if answer is not None else (),
        predicted_op=plan.text("gpt_action") if plan is not None else None,
        predicted_value="" if value.lower() == "none" else value,
        point_px=scaled_output(answer) if answer is not None and "output" in answer.data else None,
    )


def _answer_boxes(row: Row) -> tuple[Box, ...]:
    found: Any = row.data.get("bbox")
    if not isinstance(found, list):
        raise row.bad("bbox", "a list of [x, y, width, height]")
    return tuple(
        Row(f"{row.where}, bbox {i}", {"box": item}).box_sides("box", Space.IMAGE_PX)
        for i, item in enumerate(found)
    )


def _triples(path: Path) -> list[tuple[str, tuple[str, str, str]]]:
    value = read_json(path, "a list of [step id, element id, action]")
    if not isinstance(value, list):
        raise DataError(
            f"{path}: not a list", found=type(value).__name__,
            expected="a list of [step id, element id, action]", fix="check --format",
        )  # fmt: skip
    found = []
    for number, item in enumerate(value):
        where = f"{path}, row {number}"
        is_triple = isinstance(item, list) and len(item) == 3
        if not is_triple or not all(isinstance(v, str) for v in item):
            raise DataError(
                f"{where}: not a prediction", found=shortened(item),
                expected="[step id, element id, action], three texts", fix="check --format",
            )  # fmt: skip
        found.append((where, (item[0], item[1], item[2])))
    return found
