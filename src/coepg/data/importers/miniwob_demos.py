"""Human demonstrations of MiniWoB++: ``.json.gz`` files of events and pages, without pictures.

``{taskName, utterance, states: [{time, action, dom}], reward, rawReward}``; boxes are ``left, top,
width, height`` in pixels of the page of 160 x 210. There are no pictures: give your own with
``--images`` as ``<file name without .json.gz>_<state>.png``, or ask for white ones with
``--option pictures=blank`` (tagged), which show what a text-only agent can do. Demonstrations that
the page did not reward are left out. Source: see `miniwob_events`.
"""

from __future__ import annotations

import functools
import gzip
import io
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from PIL import Image

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    LeftOut,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.history import history_line
from coepg.data.importers.miniwob_events import (
    Dom,
    PageAction,
    actions_of,
    events_of,
    node_at,
    node_box,
    node_repr,
    nodes,
)
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.values import field_of, text_of
from coepg.errors import DataError
from coepg.types import Box, Frame, Point, ScreenText, Size, Space, Step, TextSource, has_target

PAGE = Size(160, 210)
"""Of the tasks, in CSS pixels."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One file, its actions worked out."""

    name: str
    task: str
    instruction: str
    reward: float
    actions: list[PageAction]


class MiniwobDemosImporter:
    """One episode a file."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="miniwob_demos",
        title="MiniWoB++ human demonstrations",
        license="MIT",
        url="https://github.com/stanfordnlp/miniwob-plusplus-demos",
        box_unit="px",
        box_order="xywh",
        scroll="content",
        settings=(
            Setting("pictures", "whether white pictures stand for the missing ones", ("blank",)),
            Setting("failed", "what becomes of demonstrations without reward",
                    ("leave_out", "keep"), "leave_out"),
        ),
    )  # fmt: skip

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        settings = options.checked(self.format)
        self._blank = settings.get("pictures") == "blank"
        self._keep_failed = settings["failed"] == "keep"
        if not self._blank and options.images is None:
            raise DataError(
                "miniwob_demos: pictures",
                found="neither --images nor --option pictures=blank",
                expected="one of the two, since the demonstrations hold no pictures",
                fix="for steps with pictures, record your own: coepg data record miniwob",
            )

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The file, or the files below the folder."""
        for path in files_of(source, "*.json*"):
            try:
                yield Record(str(path), _read(path))
            except DataError as error:
                yield error

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The steps of a demonstration."""
        demo = _demonstration(record)
        split = self.options.split or "train"
        if demo.reward <= 0 and not self._keep_failed:
            return [
                LeftOut(f"{demo.name}/{k}", demo.name, split, "not_rewarded")
                for k in range(len(demo.actions))
            ]
        history: tuple[str, ...] = ()
        made: list[Imported | LeftOut] = []
        for index, action in enumerate(demo.actions):
            made.append(self._step(demo, action, index, history, split, record.where))
            target = node_repr(action.node) if action.node else ""
            line = history_line(action.kind, action.value, target) if action.kind else ""
            history = (*history, line or action.reason)
        return made

    def _step(
        self,
        demo: Demonstration,
        action: PageAction,
        index: int,
        history: tuple[str, ...],
        split: str,
        where: str,
    ) -> Imported | LeftOut:
        step_id = f"{demo.name}/{index}"
        box = None if action.node is None else _page_box(action.node)
        if action.kind is None:
            return LeftOut(step_id, demo.name, split, action.reason)
        if has_target(action.kind) and box is None:
            return LeftOut(step_id, demo.name, split, "target_not_visible")
        data = self._picture(demo.name, action.state, where)
        shot = screenshot_of(data, where)
        frame = Frame(shot.size, device=PAGE)
        step = Step(
            step_id=step_id,
            episode_id=demo.name,
            task_name=demo.task,
            split=split,
            step_index=index,
            num_steps=len(demo.actions),
            instruction=demo.instruction,
            history=history,
            screenshot=shot,
            action_type=action.kind,
            value=_value(action),
            target_box_px=None if box is None else frame.convert_box(box, Space.IMAGE_PX),
            target_repr="" if action.node is None else node_repr(action.node),
            target_point_px=_moved(action.point, frame),
            end_point_px=_moved(action.end_point, frame),
            screen_text=_texts(action.dom, frame),
            tags={"reward": f"{demo.reward:g}"} | ({"pictures": "blank"} if self._blank else {}),
        )
        return Imported(step, data)

    def _picture(self, name: str, state: int, where: str) -> bytes:
        if self.options.images is None:
            return blank_page()
        return read_picture(self.options.images, f"{name}_{state}.png", where)


@functools.cache
def blank_page() -> bytes:
    """A white picture of the page's size."""
    buffer = io.BytesIO()
    Image.new("RGB", (PAGE.width, PAGE.height), "white").save(buffer, "PNG")
    return buffer.getvalue()


def _read(path: Path) -> Any:
    try:
        data = path.read_bytes()
        return json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
    except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
        raise DataError(
            f"{path}: cannot be read", found=str(error) or type(error).__name__,
            expected="JSON in UTF-8, whole; .gz if compressed",
            fix="copy the file again, or leave it out",
        ) from error  # fmt: skip


def _demonstration(record: Record) -> Demonstration:
    row, where = record.data, record.where
    name = Path(where).name.split(".")[0]
    reward = field_of(row, "rawReward", (int, float), where)
    events = events_of(field_of(row, "states", list, where), where)
    try:
        actions = actions_of(events)
    except (TypeError, KeyError) as error:
        raise DataError(
            f"{where}: dom", found=repr(error), expected="elements with tag, left, top, ...",
            fix="check --format, or leave the file out",
        ) from error  # fmt: skip
    except DataError as error:
        raise DataError(
            f"{where}: {error.what}", found=error.found, expected=error.expected
        ) from error
    task, words = text_of(row, "taskName", where), text_of(row, "utterance", where)
    return Demonstration(name, task, words, float(reward), actions)


def _value(action: PageAction) -> str | None:
    """A drag says in words where it ends."""
    if action.kind != "drag" or action.end_point is None:
        return action.value
    node = node_at(action.dom, action.end_point)
    return None if node is None else node_repr(node)


def _page_box(node: Dom) -> Box | None:
    """The part of an element's box that the page shows."""
    values = node_box(node)
    if values is None:
        return None
    left, top, width, height = values
    x0, y0 = max(0.0, left), max(0.0, top)
    x1, y1 = min(float(PAGE.width), left + width), min(float(PAGE.height), top + height)
    return Box(x0, y0, x1, y1, Space.DEVICE) if x0 < x1 and y0 < y1 else None


def _moved(point: tuple[float, float] | None, frame: Frame) -> Point | None:
    if point is None:
        return None
    return frame.convert(Point(*point, Space.DEVICE), Space.IMAGE_PX)


def _texts(dom: Dom, frame: Frame) -> tuple[ScreenText, ...]:
    """The page's texts, as its own tree gives them."""
    return tuple(
        ScreenText(
            str(node["text"]), frame.convert_box(box, Space.IMAGE_PX), TextSource.DOM,
            str(node.get("tag", "")).lower(),
        )
        for node in nodes(dom)
        if str(node.get("text") or "").strip() and (box := _page_box(node)) is not None
    )  # fmt: skip
