"""The result file of GUI-Odyssey's own script, before or after it was scored."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from coepg.errors import DataError
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.gui_odyssey import (
    POINTING,
    OdysseyAction,
    OdysseyStep,
    gui_odyssey_report,
)
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.rows import Row, json_object, json_rows, not_empty, read_json
from coepg.types import Box, Point, Space

FORMAT = PredictionFormat(
    "gui_odyssey",
    "GUI-Odyssey result file",
    "github.com/OpenGVLab/GUI-Odyssey src/eval_mm/evaluate_GUIOdyssey.py",
    point_unit="norm1000",
    box_unit="norm1000",
    box_order="x0y0x1y1",
)
_EXPECTED = "a list of {question, pred, gt, more_info}, or the scored file with metrics.pred"
_IMAGE = re.compile(r"<img>(?:image-history: )?([^<]+)</img>")
_PAIR = re.compile(r"[(\[]\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*[)\]]")


class GuiOdysseyReader:
    """``[{question, pred: "CLICK: (x, y)", gt, more_info: {category, step_length, sam2_bbox}}]``.

    Coordinates are 0..1000. As in the script, an action's text ends at its second colon.
    """

    format = FORMAT

    def __init__(self, options: ReadOptions) -> None:
        options.check(FORMAT)

    def read(self, path: Path) -> list[OdysseyStep]:
        """The steps with answers."""
        if isinstance(read_json(path, _EXPECTED), dict):
            rows = json_object(path, _EXPECTED).row("metrics").rows("pred")
        else:
            rows = json_rows(path, _EXPECTED)
        not_empty(path, rows)
        return [_step(row) for row in rows]

    def report(self, answers: list[OdysseyStep], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        return gui_odyssey_report(answers, seed)


def parse_odyssey(text: str) -> OdysseyAction | None:
    """``CLICK: (x, y)``, ``TYPE: text``, ``COMPLETE``; None for an empty answer.

    TEXT, the data's word for typing, is read as TYPE.

    Example:
        >>> parse_odyssey("SCROLL: UP").text
        'UP'
    """
    parts = text.split(":")
    kind, info = parts[0].strip(), parts[1].strip() if len(parts) > 1 else ""
    if not kind:
        return None
    kind = "TYPE" if kind == "TEXT" else kind
    if kind not in POINTING:
        return OdysseyAction(kind, text=info)
    pair = _PAIR.search(info)
    point = Point(float(pair[1]), float(pair[2]), Space.NORM1000) if pair is not None else None
    return OdysseyAction(kind, point, "" if point is not None else info)


def _step(row: Row) -> OdysseyStep:
    image = _IMAGE.search(row.text("question"))
    name = PurePosixPath(image[1]).stem if image is not None else ""
    episode, _, position = name.rpartition("_")
    if not episode or not position.isdecimal():
        raise row.bad("question", "<img>.../<episode>_<step>.png</img>")
    info = row.row("more_info")
    gold = parse_odyssey(row.text("gt"))
    if gold is None or (gold.kind in POINTING and gold.point_norm1000 is None):
        raise row.bad("gt", "an action such as 'CLICK: (x, y)'")
    predicted = None if row.data.get("pred", "") is None else parse_odyssey(row.text("pred"))
    return OdysseyStep(
        episode,
        int(position),
        gold,
        predicted,
        info.integer("step_length", 1),
        info.text("category"),
        _sam2_box(info),
    )


def _sam2_box(row: Row) -> Box | None:
    if "sam2_bbox" not in row.data:
        raise DataError(
            f"{row.where}: field 'sam2_bbox'", found="no such field",
            expected="[x0, y0, x1, y1] in 0..1000, [] or null", fix="check --format",
        )  # fmt: skip
    if row.data["sam2_bbox"] in (None, []):
        return None
    return row.box_corners("sam2_bbox", Space.NORM1000)
