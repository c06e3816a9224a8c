"""The result file of ScreenSpot-Pro's own script."""

from __future__ import annotations

from pathlib import Path

from coepg.errors import DataError
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.screenspot import UI_TYPES
from coepg.evaluate.benchmarks.screenspot_pro import (
    ScreenSpotProAnswer,
    screenspot_pro_report,
    verdict,
)
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.rows import Row, json_object, not_empty
from coepg.types import Space

FORMAT = PredictionFormat(
    "screenspot_pro",
    "ScreenSpot-Pro result file",
    "github.com/likaixin2000/ScreenSpot-Pro-GUI-Grounding eval_screenspot_pro.py",
    point_unit="px",
    box_unit="px",
    box_order="x0y0x1y1",
)
_EXPECTED = "an object with 'details' (a list of answers) and 'metrics'"


class ScreenSpotProReader:
    """``{"details": [{pred, bbox, correctness, ...}], "metrics": {...}}``.

    ``pred`` is ``[x, y]`` in pixels of the picture, or null for an answer that could not be
    parsed. A verdict of the file that the rule does not give again is an error: then unit or order
    are not what the format says.
    """

    format = FORMAT

    def __init__(self, options: ReadOptions) -> None:
        options.check(FORMAT)

    def read(self, path: Path) -> list[ScreenSpotProAnswer]:
        """The answers of a result file."""
        whole = json_object(path, _EXPECTED)
        if "details" not in whole.data:
            raise whole.bad("details", _EXPECTED)
        rows = whole.rows("details")
        not_empty(path, rows)
        return [_answer(row) for row in rows]

    def report(self, answers: list[ScreenSpotProAnswer], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        return screenspot_pro_report(answers, seed)


def _answer(row: Row) -> ScreenSpotProAnswer:
    gt_type = row.text("gt_type")
    if gt_type != "positive":
        raise row.bad(
            "gt_type",
            "'positive'",
            "negative answers cannot be judged from the file: it does not store them",
        )
    answer = ScreenSpotProAnswer(
        image=row.text("img_path"),
        group=row.text("group"),
        platform=row.text("platform"),
        application=row.text("application"),
        instruction_style=row.text("instruction_style"),
        gt_type=gt_type,
        ui_type=row.one_of("ui_type", UI_TYPES),
        box_px=row.box_corners("bbox", Space.IMAGE_PX),
        point_px=row.optional_point("pred", Space.IMAGE_PX),
    )
    stored = row.data.get("correctness")
    if stored is not None and stored != verdict(answer):
        raise DataError(
            f"{row.where}: field 'correctness'",
            found=f"{stored!r}, but pred {row.data['pred']} and bbox {row.data['bbox']} are "
            f"{verdict(answer)!r}",
            expected="the verdict of the official rule: pixels, x0,y0,x1,y1, edges included",
            fix="check that the file is of the official script and was not changed",
        )
    return answer
