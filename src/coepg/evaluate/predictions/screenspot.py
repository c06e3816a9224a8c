"""Result files of ScreenSpot and ScreenSpot-v2: SeeClick's list and UGround's lines."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.screenspot import (
    PLATFORMS,
    UI_TYPES,
    VERSIONS,
    ScreenSpotAnswer,
    screenspot_report,
)
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.points import scaled_output
from coepg.evaluate.predictions.rows import Row, json_line_rows, json_rows, not_empty
from coepg.types import Box, Space

_VERSION = {"version": "v1 (default) or v2: which annotations were answered"}

SEECLICK = PredictionFormat(
    "screenspot_seeclick",
    "ScreenSpot rows with pred and bbox in 0..1",
    "github.com/njucckevin/SeeClick pretrain/screenspot_test.py (its list `result`)",
    point_unit="norm1",
    box_unit="norm1",
    box_order="x0y0x1y1",
    options=_VERSION,
)
UGROUND = PredictionFormat(
    "screenspot_uground",
    "ScreenSpot lines with output and scale",
    "github.com/OSU-NLP-Group/UGround offline_evaluation/ScreenSpot/eval.py",
    point_unit="px",
    box_unit="px",
    box_order="xywh",
    options=_VERSION,
)
_PREFIX = re.compile(r"^(mobile|pc|web)_")
_PLATFORM = {"mobile": "mobile", "pc": "desktop", "web": "web"}


class SeeClickScreenSpotReader:
    """A JSON list of ``{img_path, bbox, pred, type}``; ``pred`` null for an unparsable answer.

    The platform is the prefix of the picture's name (``mobile_``, ``pc_``, ``web_``); the data
    source would not do, since v2 has the source "shop" in several files.
    """

    format = SEECLICK

    def __init__(self, options: ReadOptions) -> None:
        options.check(SEECLICK)
        self.version = options.choice("version", VERSIONS, "v1")

    def read(self, path: Path) -> list[ScreenSpotAnswer]:
        """The answers of a result list."""
        rows = json_rows(path, "a list of objects with img_path, bbox, pred, type")
        not_empty(path, rows)
        return [self._answer(row) for row in rows]

    def report(self, answers: list[ScreenSpotAnswer], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        return _with_count(screenspot_report(answers, self.version, seed), self.version)

    def _answer(self, row: Row) -> ScreenSpotAnswer:
        image = PurePosixPath(row.text("img_path")).name
        prefix = _PREFIX.match(image)
        if prefix is None:
            raise row.bad("img_path", "a picture named mobile_*, pc_* or web_*")
        box = row.box_corners("bbox", Space.NORM1)
        _check_unit(row, box)
        return ScreenSpotAnswer(
            image,
            _PLATFORM[prefix[1]],
            row.one_of("type", UI_TYPES),
            box,
            row.optional_point("pred", Space.NORM1, limit=1.0),
        )


class UGroundScreenSpotReader:
    """Lines ``{img_filename, bbox, platform, data_type, output "(x, y)", scale}``.

    ``output`` is in pixels of the picture times ``scale``; empty, null or without two numbers it
    counts as unparsable.
    """

    format = UGROUND

    def __init__(self, options: ReadOptions) -> None:
        options.check(UGROUND)
        self.version = options.choice("version", VERSIONS, "v1")

    def read(self, path: Path) -> list[ScreenSpotAnswer]:
        """The answers of a file of lines."""
        answers = [
            ScreenSpotAnswer(
                row.text("img_filename"),
                row.one_of("platform", PLATFORMS),
                row.one_of("data_type", UI_TYPES),
                row.box_sides("bbox", Space.IMAGE_PX),
                scaled_output(row),
            )
            for row in json_line_rows(path)
        ]
        not_empty(path, answers)
        return answers

    def report(self, answers: list[ScreenSpotAnswer], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        return _with_count(screenspot_report(answers, self.version, seed), self.version)


def _check_unit(row: Row, box: Box) -> None:
    # One box of v2 leaves its picture by a pixel, so a little beyond 1 is no other unit.
    if max(box.as_tuple()) > 1.5:
        raise row.bad("bbox", "[x0, y0, x1, y1] in 0..1", "check the unit, and --format")


def _with_count(report: BenchmarkReport, version: str) -> BenchmarkReport:
    if report.num_rows == 1272:
        return report
    note = (
        f"{report.num_rows} answers, where ScreenSpot {version} has 1272 instructions; SeeClick's "
        "script leaves unparsable answers out of its list, which makes the number too high"
    )
    return BenchmarkReport(
        report.benchmark, report.num_rows, report.num_unparsed, report.scores, (note,),
    )  # fmt: skip
