"""AITW answers in SeeClick's action notation."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coepg.evaluate.benchmarks.aitw import DUAL_POINT, TYPE, AitwAction, AitwStep, aitw_report
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.rows import (
    Row,
    check_once,
    json_line_rows,
    json_object,
    not_empty,
)
from coepg.types import Box, Point, Space

FORMAT = PredictionFormat(
    "aitw_seeclick",
    "AITW answers in SeeClick's actions",
    "github.com/njucckevin/SeeClick agent_tasks/aitw_test.py (actions; the rows are coepg's own)",
    point_unit="norm1",
    box_unit="norm1",
    box_order="yxhw",
    gold="SeeClick's aitw_data_test.json, {subset: [[step, ...], ...]}",
)
_SCROLLS = {
    "scroll down": ((0.5, 0.8), (0.5, 0.2)),
    "scroll up": ((0.5, 0.2), (0.5, 0.8)),
    "scroll left": ((0.2, 0.5), (0.8, 0.5)),
    "scroll right": ((0.8, 0.5), (0.2, 0.5)),
}
_SCROLL_NUMBERS = {0: "scroll down", 1: "scroll up", 8: "scroll left", 9: "scroll right"}


class SeeClickAitwReader:
    """Lines ``{img_filename, sentence}``: the picture of a step, and the model's answer.

    The answer is ``{"action_type": 4, "click_point": (x, y)}`` with x and y in 0..1; 3 types
    ("typed_text"), 0, 1, 8 and 9 scroll, other numbers are AITW's own types.
    """

    format = FORMAT

    def __init__(self, options: ReadOptions) -> None:
        options.check(FORMAT)
        self.gold = options.needed_gold(FORMAT)

    def read(self, path: Path) -> list[AitwStep]:
        """The steps with answers."""
        gold = _gold_steps(self.gold)
        seen: set[str] = set()
        steps = []
        for row in json_line_rows(path):
            name = row.text("img_filename")
            check_once(row.where, f"picture {name}", seen)
            if name not in gold:
                raise row.bad("img_filename", f"a picture of {self.gold}")
            subset, step, episode, position, length = gold[name]
            sentence = row.text("sentence") if row.data.get("sentence", 0) is not None else ""
            steps.append(
                AitwStep(
                    episode, position, subset, _gold_action(step), parse_seeclick(sentence),
                    _boxes(step), length,
                )
            )  # fmt: skip
        not_empty(path, steps)
        return steps

    def report(self, answers: list[AitwStep], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        return aitw_report(answers, seed)


def parse_seeclick(sentence: str) -> AitwAction | None:
    """An answer as an action, or None if it is none.

    Example:
        >>> parse_seeclick('{"action_type": 1}').lift_norm1.y
        0.8
    """
    try:
        answer = ast.literal_eval(sentence.strip())
        return _action(answer)
    except (ValueError, SyntaxError, TypeError, KeyError, IndexError, RecursionError, MemoryError):
        return None


def _action(answer: Mapping[str, Any]) -> AitwAction:
    number = answer["action_type"]
    if number in _SCROLL_NUMBERS:
        return _scroll(_SCROLL_NUMBERS[number])
    if number == DUAL_POINT:
        x, y = answer["click_point"]
        point = Point(float(x), float(y), Space.NORM1)
        return AitwAction(DUAL_POINT, point, point)
    if number == TYPE:
        return AitwAction(TYPE, text=str(answer["typed_text"]))
    return AitwAction(int(number))


def _scroll(name: str) -> AitwAction:
    touch, lift = (Point(*xy, Space.NORM1) for xy in _SCROLLS[name])
    return AitwAction(DUAL_POINT, touch, lift)


def _gold_steps(path: Path) -> dict[str, tuple[str, Row, str, int, int]]:
    """Subset, step, episode, position and length, by picture."""
    whole = json_object(path, FORMAT.gold)
    found = {}
    for subset, episodes in whole.data.items():
        if not isinstance(episodes, list) or not all(isinstance(e, list) for e in episodes):
            raise whole.bad(subset, "a list of episodes, each a list of steps")
        for number, episode in enumerate(episodes):
            for position, step in enumerate(episode):
                where = f"{path}, {subset}, episode {number}, step {position}"
                if not isinstance(step, dict):
                    raise Row(where, {"step": step}).bad("step", "an object")
                row = Row(where, step)
                name = f"{subset}/{number}"
                found[row.text("img_filename")] = (subset, row, name, position, len(episode))
    return found


def _gold_action(row: Row) -> AitwAction:
    number = row.integer("action_type_id")
    if number != DUAL_POINT:
        return AitwAction(number, text=row.text("type_text") if number == TYPE else "")
    name = row.text("action_type_text")
    if name in _SCROLLS:
        return _scroll(name)
    if name != "click":
        raise row.bad("action_type_text", "click or " + ", ".join(_SCROLLS))
    points = [row.numbers(field, 2) for field in ("touch", "lift")]
    touch, lift = (Point(x, y, Space.NORM1) for x, y in points)
    return AitwAction(DUAL_POINT, touch, lift)


def _boxes(row: Row) -> tuple[Box, ...]:
    flat = row.data.get("annot_position")
    if not isinstance(flat, list) or len(flat) % 4:
        raise row.bad("annot_position", "a flat list of y, x, height, width")
    boxes = []
    for start in range(0, len(flat), 4):
        entry = Row(f"{row.where}, annot_position {start}", {"box": flat[start : start + 4]})
        y, x, height, width = entry.numbers("box", 4)
        boxes.append(entry.made_box("box", [x, y, x + width, y + height], Space.NORM1))
    return tuple(boxes)
