"""OS-Atlas' answer rows for AndroidControl and GUI-Odyssey."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from coepg.errors import DataError
from coepg.evaluate.benchmarks.androidcontrol.os_atlas import OS_ATLAS
from coepg.evaluate.benchmarks.androidcontrol.steps import (
    AndroidAction,
    AndroidKind,
    AndroidStep,
    androidcontrol_report,
)
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.gui_odyssey import OdysseyAction, OdysseyStep, gui_odyssey_report
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.rows import Row, json_line_rows, not_empty
from coepg.types import Point, Space

_GOLD = "the rows {id, image, conversations} that were answered, line by line"
ANDROIDCONTROL = PredictionFormat(
    "androidcontrol_os_atlas",
    "AndroidControl lines with pred (OS-Atlas)",
    "github.com/OS-Copilot/OS-Atlas eval/eval_scripts/android_control/evaluation_unify.py",
    point_unit="norm1000",
    box_unit="none",
    box_order="none",
    gold=_GOLD,
)
GUI_ODYSSEY = PredictionFormat(
    "gui_odyssey_os_atlas",
    "GUI-Odyssey lines with pred (OS-Atlas)",
    "github.com/OS-Copilot/OS-Atlas eval/eval_scripts/odyssey/evaluation_unify.py",
    point_unit="norm1000",
    box_unit="none",
    box_order="none",
    gold=f"{_GOLD} (optional if the prediction rows hold the conversations)",
)
_KINDS: dict[str, tuple[AndroidKind, str]] = {
    "CLICK": ("click", ""),
    "LONG_PRESS": ("long_press", ""),
    "TYPE": ("type", ""),
    "SCROLL": ("scroll", ""),
    "OPEN_APP": ("open_app", ""),
    "PRESS_BACK": ("press", "back"),
    "PRESS_HOME": ("press", "home"),
    "PRESS_RECENT": ("press", "recent"),
    "ENTER": ("press", "enter"),
    "WAIT": ("wait", ""),
    "COMPLETE": ("finish", ""),
}
_ANDROID_IMAGE = re.compile(r"^episode_(\d+)_screenshot_(\d+)\.\w+$")
_ODYSSEY_IMAGE = re.compile(r"^(\w+)_(\d+)\.\w+$")


@dataclass(frozen=True, slots=True)
class OsAtlasCall:
    """One action string: ``CLICK <point>[[x,y]]</point>``, ``TYPE [text]``, ``PRESS_BACK``.

    Attributes:
        name: the first word.
        point_norm1000: the first two whole numbers, or None.
        text: what stands in brackets, or "".
    """

    name: str
    point_norm1000: Point | None
    text: str


def parse_os_atlas(answer: str) -> OsAtlasCall | None:
    r"""The action after ``actions:`` and a line break, or None if there is none.

    Example:
        >>> parse_os_atlas("actions:\\nTYPE [New York]<|im_end|>").text
        'New York'
    """
    _, mark, rest = answer.partition("actions:\n")
    text = rest.split("actions:\n")[0].removesuffix("<|im_end|>").strip()
    if not mark or not text:
        return None
    name = text.split()[0].strip(":")
    numbers = re.findall(r"\d+", text) if name in ("CLICK", "LONG_PRESS") else []
    point = Point(int(numbers[0]), int(numbers[1]), Space.NORM1000) if len(numbers) > 1 else None
    inside = re.search(r"\[(.*)\]", text, re.DOTALL)
    return OsAtlasCall(name, point, inside[1] if inside and point is None else "")


class OsAtlasAndroidControlReader:
    r"""Lines ``{pred: "thoughts:...actions:\nCLICK <point>[[x,y]]</point>"}``, 0..1000.

    Row i answers row i of ``--gold``. Episode and step are those of the picture's name. The rows
    do not tell how long an episode is, so there is no episode success.
    """

    format = ANDROIDCONTROL

    def __init__(self, options: ReadOptions) -> None:
        options.check(ANDROIDCONTROL)
        self.gold = options.needed_gold(ANDROIDCONTROL)

    def read(self, path: Path) -> list[AndroidStep]:
        """The steps with answers."""
        steps = []
        for row, gold_row in _pairs(path, self.gold):
            episode, position = _place(gold_row, _ANDROID_IMAGE)
            gold_call = _gold_call(gold_row)
            gold = _android_action(gold_call)
            if gold is None:
                raise gold_row.bad("conversations", "one of " + ", ".join(_KINDS))
            predicted = parse_os_atlas(_pred(row))
            steps.append(AndroidStep(episode, position, gold, _android_action(predicted)))
        not_empty(path, steps)
        return steps

    def report(self, answers: list[AndroidStep], seed: int = 0) -> BenchmarkReport:
        """The scores by OS-Atlas' rule."""
        return androidcontrol_report(answers, [OS_ATLAS], seed)


class OsAtlasOdysseyReader:
    """Lines ``{pred, image, conversations}``, 0..1000; or ``{pred}`` with ``--gold`` rows.

    The rows hold no SAM2 boxes, so the official rule falls back on its distance.
    """

    format = GUI_ODYSSEY

    def __init__(self, options: ReadOptions) -> None:
        options.check(GUI_ODYSSEY)
        self.gold = options.gold

    def read(self, path: Path) -> list[OdysseyStep]:
        """The steps with answers."""
        steps = []
        for row, gold_row in _pairs(path, self.gold or path):
            episode, position = _place(gold_row, _ODYSSEY_IMAGE)
            predicted = parse_os_atlas(_pred(row))
            steps.append(
                OdysseyStep(
                    episode,
                    position,
                    _odyssey_action(_gold_call(gold_row)),
                    _odyssey_action(predicted) if predicted is not None else None,
                )
            )
        not_empty(path, steps)
        return steps

    def report(self, answers: list[OdysseyStep], seed: int = 0) -> BenchmarkReport:
        """The scores by both rules."""
        return gui_odyssey_report(answers, seed)


def _pairs(path: Path, gold_path: Path) -> Iterator[tuple[Row, Row]]:
    rows, gold_rows = list(json_line_rows(path)), list(json_line_rows(gold_path))
    if len(rows) != len(gold_rows):
        raise DataError(
            f"{path}: not as many rows as {gold_path}",
            found=f"{len(rows)} answers for {len(gold_rows)} rows",
            expected="row i answers row i", fix="give the rows that were answered, in their order",
        )  # fmt: skip
    return zip(rows, gold_rows, strict=True)


def _pred(row: Row) -> str:
    if "pred" in row.data and row.data["pred"] is None:
        return ""
    return row.text("pred")


def _gold_call(row: Row) -> OsAtlasCall:
    turns = row.rows("conversations")
    call = parse_os_atlas(turns[1].text("value")) if len(turns) > 1 else None
    if call is None:
        raise row.bad("conversations", "a second turn with 'actions:' and an action")
    return call


def _place(row: Row, pattern: re.Pattern[str]) -> tuple[str, int]:
    found = pattern.match(PurePosixPath(row.text("image")).name)
    if found is None:
        raise row.bad("image", f"a name like {pattern.pattern}")
    return found[1], int(found[2])


def _android_action(call: OsAtlasCall | None) -> AndroidAction | None:
    if call is None or call.name not in _KINDS:
        return None
    kind, button = _KINDS[call.name]
    return AndroidAction(
        kind,
        call.point_norm1000,
        text=call.text if kind in ("type", "open_app") else "",
        direction=call.text if kind == "scroll" else "",
        button=button,
    )


def _odyssey_action(call: OsAtlasCall) -> OdysseyAction:
    return OdysseyAction(call.name, call.point_norm1000, call.text)
