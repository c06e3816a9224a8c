"""AndroidControl in UI-S1's notation: answer rows against its test file, and its summary rows."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from coepg.evaluate.benchmarks.androidcontrol.os_atlas import OS_ATLAS
from coepg.evaluate.benchmarks.androidcontrol.qwen import INFIGUI, UI_S1
from coepg.evaluate.benchmarks.androidcontrol.semi_online import (
    SemiOnlineEpisode,
    semi_online_report,
)
from coepg.evaluate.benchmarks.androidcontrol.steps import (
    AndroidAction,
    AndroidKind,
    AndroidStep,
    androidcontrol_report,
)
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.predictions.base import PredictionFormat, ReadOptions
from coepg.evaluate.predictions.rows import Row, check_once, json_line_rows, not_empty
from coepg.types import Box, Frame, Point, Size, Space

_URL = "github.com/X-PLUG/MobileAgent UI-S1/evaluation"
ANSWERS = PredictionFormat(
    "androidcontrol_ui_s1",
    "AndroidControl answers in UI-S1's actions",
    f"{_URL}/qwenvl_utils.py (actions; the rows are coepg's own)",
    point_unit="px",
    box_unit="px",
    box_order="x0y0x1y1",
    gold="UI-S1's test file, one episode a line",
)
SUMMARY = PredictionFormat(
    "androidcontrol_ui_s1_summary",
    "AndroidControl summary lines of UI-S1's scripts",
    f"{_URL}/eval_qwenvl.py",
    point_unit="none",
    box_unit="none",
    box_order="none",
)
_KINDS: dict[str, AndroidKind] = {
    "click": "click",
    "long_press": "long_press",
    "type": "type",
    "swipe": "scroll",
    "open": "open_app",
    "system_button": "press",
    "wait": "wait",
    "terminate": "finish",
}


class UiS1Reader:
    """Lines ``{episode_id, step, action_content, image_size, answer_size}``.

    ``step`` counts from 0. ``action_content`` is an action in UI-S1's form ({"action": "click",
    "coordinate": [x, y]}), or null for an answer that could not be parsed. Its coordinates are in
    pixels of a picture of ``answer_size`` [width, height], which is what the model was shown after
    its own resize; ``image_size`` is that of the recorded screen, whose pixels the gold uses.
    """

    format = ANSWERS

    def __init__(self, options: ReadOptions) -> None:
        options.check(ANSWERS)
        self.gold = options.needed_gold(ANSWERS)

    def read(self, path: Path) -> list[AndroidStep]:
        """The steps with answers."""
        gold = _gold_steps(self.gold)
        seen: set[str] = set()
        steps = []
        for row in json_line_rows(path):
            episode, position = str(row.integer("episode_id")), row.integer("step")
            check_once(row.where, f"episode {episode} step {position}", seen)
            if (episode, position) not in gold:
                raise row.bad("step", f"a step of {self.gold}")
            steps.append(_step(row, *gold[episode, position], episode, position))
        not_empty(path, steps)
        return steps

    def report(self, answers: list[AndroidStep], seed: int = 0) -> BenchmarkReport:
        """The scores by the three rules that need no accessibility tree."""
        return androidcontrol_report(answers, [UI_S1, INFIGUI, OS_ATLAS], seed)


class UiS1SummaryReader:
    """Lines ``{goal, num_steps, task_success, final_step_id}``; final_step_id = right steps."""

    format = SUMMARY

    def __init__(self, options: ReadOptions) -> None:
        options.check(SUMMARY)

    def read(self, path: Path) -> list[SemiOnlineEpisode]:
        """The episodes."""
        episodes = []
        for row in json_line_rows(path):
            total, right = row.integer("num_steps", 1), row.integer("final_step_id")
            if right > total:
                raise row.bad("final_step_id", f"at most num_steps = {total}")
            if row.data.get("task_success") is not (right == total):
                raise row.bad("task_success", f"{right == total}: {right} of {total} are right")
            episodes.append(SemiOnlineEpisode(row.text("goal"), total, right))
        not_empty(path, episodes)
        return episodes

    def report(self, answers: list[SemiOnlineEpisode], seed: int = 0) -> BenchmarkReport:
        """The scores."""
        return semi_online_report(answers, seed)


def _gold_steps(path: Path) -> dict[tuple[str, int], tuple[Row, int]]:
    """Gold step and length of its episode, by episode and position."""
    found = {}
    for episode in json_line_rows(path):
        name, steps = _episode_name(episode), episode.rows("steps")
        for position, step in enumerate(steps):
            found[name, position] = (step, len(steps))
    return found


def _episode_name(row: Row) -> str:
    if "episode_id" in row.data:
        return str(row.integer("episode_id"))
    steps = row.rows("steps")
    image = PurePosixPath(steps[0].text("screenshot")).stem if steps else ""
    found = re.fullmatch(r"(\d+)_\d+", image)
    if found is None:
        raise row.bad("episode_id", "a whole number, or pictures named <episode>_<step>")
    return found[1]


def _step(row: Row, gold_row: Row, num_steps: int, episode: str, position: int) -> AndroidStep:
    image = row.size("image_size")
    frame = Frame(image, model=row.size("answer_size"))
    options = gold_row.row("check_options")
    content = gold_row.row("action_content")
    gold = _action(options, frame, Space.IMAGE_PX, content)
    predicted = None
    if row.data.get("action_content", 0) is not None:
        predicted = _action(row.row("action_content"), frame, Space.MODEL_PX)
    return AndroidStep(
        episode, position, gold, predicted, num_steps, _boxes(options, frame), size_px=image,
    )  # fmt: skip


def _action(row: Row, frame: Frame, space: Space, gestures: Row | None = None) -> AndroidAction:
    """An action; ``gestures`` holds the swipe points where the row does not."""
    kind = _KINDS[row.one_of("action", tuple(_KINDS))]
    point = None
    if kind in ("click", "long_press"):
        point = _point(row, "coordinate", frame, space)
    return AndroidAction(
        kind,
        point,
        text=row.text("text") if kind in ("type", "open_app") else "",
        direction=_direction(gestures or row, frame, space) if kind == "scroll" else "",
        button=row.text("button").lower() if kind == "press" else "",
    )


def _point(row: Row, field: str, frame: Frame, space: Space) -> Point:
    x, y = row.numbers(field, 2)
    return frame.convert(Point(x, y, space), Space.NORM1000)


def _direction(gestures: Row, frame: Frame, space: Space) -> str:
    """The finger's direction, from the points of a swipe.

    The test file's word names the content's direction for up and down and the finger's for left
    and right; its points are the finger's throughout, so the word is not read.
    """
    start, end = (_point(gestures, f, frame, space) for f in ("coordinate", "coordinate2"))
    return finger_direction(start, end, frame.image)


def finger_direction(start: Point, end: Point, size_px: Size) -> str:
    """Where the finger moves, by the longer way in pixels; vertical if equal."""
    dx, dy = (end.x - start.x) * size_px.width, (end.y - start.y) * size_px.height
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


def _boxes(options: Row, frame: Frame) -> tuple[Box, ...]:
    found = options.data.get("candidate_bbox", [])
    if not isinstance(found, list):
        raise options.bad("candidate_bbox", "a list of [x0, y0, x1, y1]")
    boxes = []
    for number, _ in enumerate(found):
        item = Row(f"{options.where}, candidate_bbox {number}", {"box": found[number]})
        boxes.append(frame.convert_box(item.box_corners("box", Space.IMAGE_PX), Space.NORM1000))
    return tuple(boxes)
