"""AITZ predictions as CoAT and AgentCPM-GUI store them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from coepg.errors import DataError
from coepg.evaluate.benchmarks.aitw import (
    BACK,
    COMPLETE,
    DUAL_POINT,
    ENTER,
    HOME,
    IMPOSSIBLE,
    MAX_TAP_LENGTH,
    TYPE,
)
from coepg.evaluate.benchmarks.aitz import AitzAction, AitzKind, AitzStep, Variant, aitz_report
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.boxes import distance
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.rows import Row, check_once, json_line_rows, json_rows, not_empty
from coepg.evaluate.predictions.ui_s1 import finger_direction
from coepg.types import Box, Point, Size, Space

_GOLD = "folder of AITZ episodes (<episode>/<episode>.json with its pictures), or one such file"
_OPTIONS = {
    "mode": "prompt whose answers are scored, default COA",
    "screen": "screen form whose answers are scored, default txt",
}
COAT = PredictionFormat(
    "aitz_coat",
    "AITZ lines with action_predict (CoAT)",
    "github.com/IMNearth/CoAT coat/evaluate.py",
    point_unit="norm1000",
    box_unit="px",
    box_order="yxhw",
    gold=_GOLD,
    options=_OPTIONS,
)
AGENTCPM = PredictionFormat(
    "aitz_agentcpm",
    "AITZ lines with action_predict (AgentCPM-GUI)",
    "github.com/OpenBMB/AgentCPM-GUI eval/utils/evaluator.py",
    point_unit="norm1000",
    box_unit="px",
    box_order="yxhw",
    gold=_GOLD,
    options=_OPTIONS,
)
_BUTTONS = {BACK: "back", HOME: "home", ENTER: "enter"}
_COAT_KINDS: tuple[AitzKind, ...] = ("click", "scroll", "type", "press", "stop")
_STOPS = ("finish", "satisfied", "impossible", "interrupt", "need_feedback")
_DEFAULT_DURATION_MS = 200

ActionParser = Callable[[Row, Size], AitzAction | None]


class _AitzReader:
    """Lines ``{episode_id, step_id, action_predict: {mode: {screen: action}}}``."""

    format: PredictionFormat
    variant: Variant
    parse: ActionParser

    def __init__(self, options: ReadOptions) -> None:
        options.check(self.format)
        self.gold = options.needed_gold(self.format)
        self.mode = options.extra.get("mode", "COA")
        self.screen = options.extra.get("screen", "txt")

    def read(self, path: Path) -> list[AitzStep]:
        """The steps with answers."""
        gold = _gold_rows(self.gold)
        seen: set[str] = set()
        steps = []
        for row in json_line_rows(path):
            key = row.text("episode_id"), row.integer("step_id")
            check_once(row.where, f"episode {key[0]} step {key[1]}", seen)
            if key not in gold:
                raise row.bad("step_id", f"a step of {self.gold}")
            steps.append(self._step(row, *gold[key]))
        not_empty(path, steps)
        return steps

    def report(self, answers: list[AitzStep], seed: int = 0) -> BenchmarkReport:
        """The scores by this variant's rule."""
        return aitz_report(answers, self.variant, seed)

    def _step(self, row: Row, gold: Row, picture: Path) -> AitzStep:
        size = _picture_size(gold, picture)
        predict = row.row("action_predict")
        predicted = None
        if predict.data.get(self.mode):
            answers = predict.row(self.mode)
            if answers.data.get(self.screen):
                predicted = type(self).parse(answers.row(self.screen), size)
        return AitzStep(
            gold.text("episode_id"),
            gold.integer("step_id"),
            gold.integer("episode_length", 1),
            size,
            _gold_action(gold, size),
            predicted,
            _boxes(gold),
        )


class CoatReader(_AitzReader):
    """CoAT's answers: ``{"ACTION": "CLICK", "ARGS": {"bbox": [x0, y0, x1, y1]}}``, 0..1000."""

    format = COAT
    variant: Variant = "coat"

    @staticmethod
    def parse(row: Row, size: Size) -> AitzAction | None:
        """An action; None for one that CoAT's script does not know."""
        name = row.text("ACTION").lower() if row.data.get("ACTION") else ""
        kind = next((k for k in _COAT_KINDS if k in name.replace("input", "type")), None)
        if kind is None:
            return None
        arguments = Row(row.where, row.data.get("ARGS") or {})
        if not isinstance(arguments.data, dict):
            return None
        button = name.split("_")[1] if kind == "press" and "_" in name else ""
        return AitzAction(
            kind,
            box_px=_answered_box(arguments, size) if kind == "click" else None,
            direction=str(arguments.data.get("direction", "")),
            text=str(arguments.data.get("text", "")),
            button=button,
        )


class AgentCpmReader(_AitzReader):
    """AgentCPM-GUI's answers: ``{"ACTION": {"POINT": [x, y]}, "ARGS": {"to": ...}}``, 0..1000."""

    format = AGENTCPM
    variant: Variant = "agentcpm"

    @staticmethod
    def parse(row: Row, size: Size) -> AitzAction | None:
        """An action; None for one that the schema does not know."""
        action, arguments = row.data.get("ACTION") or {}, row.data.get("ARGS") or {}
        if row.data.get("STATUS") in _STOPS:
            return AitzAction("stop")
        if not isinstance(action, dict) or not isinstance(arguments, dict):
            return None
        if "TYPE" in action:
            return AitzAction("type", text=str(action["TYPE"]))
        if "PRESS" in action:
            return AitzAction("press", button=str(action["PRESS"]).lower())
        if "POINT" in action:
            return _point_action(Row(row.where, action), arguments, size)
        return AitzAction("stop") if "duration" in arguments else None


def _point_action(row: Row, arguments: dict[str, Any], size: Size) -> AitzAction | None:
    if arguments.get("duration", _DEFAULT_DURATION_MS) != _DEFAULT_DURATION_MS:
        return None  # A long press, which AITZ does not have: it can match nothing.
    start = _pixels(row, "POINT", size)
    target = arguments.get("to")
    if target is None:
        return AitzAction("click", start)
    if isinstance(target, str):
        return AitzAction("scroll", direction=target)
    end = _pixels(Row(row.where, {"to": target}), "to", size)
    return AitzAction("scroll", direction=finger_direction(start, end, Size(1, 1)))


def _pixels(row: Row, field: str, size: Size) -> Point:
    x, y = row.numbers(field, 2)
    return Point(x * size.width / 1000, y * size.height / 1000)


def _answered_box(row: Row, size: Size) -> Box | None:
    if row.data.get("bbox") is None:
        if row.data.get("idx") is not None:
            raise row.bad(
                "idx", "a bbox", "answers by element number (screen form 'tag') are not supported"
            )
        return None
    x0, y0, x1, y1 = row.numbers("bbox", 4)
    width, height = size.width / 1000, size.height / 1000
    # CoAT rounds to whole pixels.
    corners = [round(x0 * width), round(y0 * height), round(x1 * width), round(y1 * height)]
    return row.made_box("bbox", [float(v) for v in corners], Space.IMAGE_PX)


def _gold_rows(path: Path) -> dict[tuple[str, int], tuple[Row, Path]]:
    """Gold rows and the paths of their pictures, by episode and step."""
    files = sorted(path.rglob("*.json")) if path.is_dir() else [path]
    if not files:
        raise DataError(
            f"{path}: no JSON file", found="a folder without any", expected=_GOLD,
            fix="check --gold",
        )  # fmt: skip
    found = {}
    for file in files:
        for row in json_rows(file, "a list of AITZ steps"):
            picture = file.parent / PurePosixPath(row.text("image_path")).name
            found[row.text("episode_id"), row.integer("step_id")] = (row, picture)
    return found


def _picture_size(row: Row, path: Path) -> Size:
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(path) as picture:
            return Size(*picture.size)
    except (OSError, UnidentifiedImageError) as error:
        raise DataError(
            f"{row.where}: field 'image_path'", found=f"{path}: {error}",
            expected="the picture beside its JSON file: boxes are in its pixels",
            fix="keep pictures and JSON together",
        ) from None  # fmt: skip


def _gold_action(row: Row, size: Size) -> AitzAction:
    number = row.integer("result_action_type")
    if number == TYPE:
        return AitzAction("type", text=row.text("result_action_text"))
    if number in _BUTTONS:
        return AitzAction("press", button=_BUTTONS[number])
    if number in (COMPLETE, IMPOSSIBLE):
        return AitzAction("stop")
    if number != DUAL_POINT:
        raise row.bad("result_action_type", "3, 4, 5, 6, 7, 10 or 11")
    touch, lift = (_yx(row, f"result_{name}_yx") for name in ("touch", "lift"))
    if distance(touch, lift) <= MAX_TAP_LENGTH:
        return AitzAction("click", Point(touch.x * size.width, touch.y * size.height))
    # AITZ names the direction by the longer way in 0..1 of width and height, not in pixels.
    return AitzAction("scroll", direction=finger_direction(touch, lift, Size(1, 1)))


def _decoded(row: Row, field: str) -> Row:
    try:
        return Row(row.where, {field: json.loads(row.text(field))})
    except json.JSONDecodeError:
        raise row.bad(field, "JSON inside the text") from None


def _yx(row: Row, field: str) -> Point:
    y, x = _decoded(row, field).numbers(field, 2)
    return Point(x, y, Space.NORM1)


def _boxes(row: Row) -> tuple[Box, ...]:
    decoded = _decoded(row, "ui_positions")
    found = decoded.data["ui_positions"]
    if not isinstance(found, list):
        raise row.bad("ui_positions", "a list of [y, x, height, width] in pixels")
    boxes = []
    for number, item in enumerate(found):
        entry = Row(f"{row.where}, ui_positions {number}", {"box": item})
        y, x, height, width = entry.numbers("box", 4)
        boxes.append(entry.made_box("box", [x, y, x + width, y + height], Space.IMAGE_PX))
    return tuple(boxes)
