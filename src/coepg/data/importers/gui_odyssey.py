"""GUI-Odyssey: one JSON file an episode, coordinates in 0..1000 of the screenshot.

``info`` is ``[[x, y]]`` for CLICK and LONG_PRESS, ``KEY_HOME``, ``KEY_BACK`` or ``KEY_APPSELECT``
for a CLICK on a key, ``[[x0, y0], [x1, y1]]`` for SCROLL, and the text for TEXT (also called
TYPE). The points of a SCROLL are the finger's; a step's scroll is the content's, so the direction
is turned round. ``sam2_bbox`` (``[x0, y0, x1, y1]``, version 2) is the target; without it a box
around the point. A text names no place, so its box is the whole screen. COMPLETE is ``finish``;
INCOMPLETE (also called IMPOSSIBLE) is ``finish`` with the value ``impossible``. Source:
OpenGVLab/GUI-Odyssey, introduction.md and data/format_converter.py.

The source is the folder with ``annotations``, ``screenshots`` and ``splits``, the folder of
annotations, one of its files, or a file with a list of episodes (``all_anno.json``).
``--option splits=FILE`` names a list of splits (default ``splits/random_split.json``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coepg.data.crop import screenshot_of
from coepg.data.importers.acts import (
    Act,
    Place,
    act_anywhere,
    act_at,
    check_point,
    step_of,
    unknown_action,
)
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.fields import (
    field_id,
    field_list,
    field_object,
    field_text,
    numbers,
    optional_text,
)
from coepg.data.importers.gestures import content_direction
from coepg.data.importers.json_document import read_json, split_of_episodes
from coepg.data.importers.pictures import clipped_box, read_picture
from coepg.errors import DataError
from coepg.types import Box, Frame, Point, Size, Space

_KEYS = {
    "KEY_HOME": ("navigate_home", None),
    "KEY_BACK": ("navigate_back", None),
    "KEY_APPSELECT": ("press", "app_switch"),
}
_PLAIN = {
    "COMPLETE": ("finish", None),
    "INCOMPLETE": ("finish", "impossible"),
    "IMPOSSIBLE": ("finish", "impossible"),
    "HOME": ("navigate_home", None),
    "BACK": ("navigate_back", None),
}
_KNOWN = ("CLICK", "LONG_PRESS", "SCROLL", "TEXT", "TYPE", *_PLAIN)


class GuiOdysseyImporter:
    """One episode a record, of version 1 or 2."""

    format = SourceFormat(
        name="gui_odyssey",
        title="GUI-Odyssey",
        license="CC-BY-4.0",
        url="https://github.com/OpenGVLab/GUI-Odyssey",
        box_unit="norm1000",
        box_order="x0y0x1y1",
        scroll="finger",
        splits=("train", "test"),
        settings=(Setting("splits", "the file of another list of splits"),),
    )

    def __init__(self, options: ImportOptions) -> None:
        self._settings = options.checked(self.format)
        self.options = options
        self._folder = Path()
        self._splits: dict[str, tuple[str, ...]] = {}

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The episodes, of the split that ``--split`` names if there is a list of splits."""
        annotations = source / "annotations" if (source / "annotations").is_dir() else source
        root = annotations.parent if annotations.is_dir() else _root(source)
        self._folder = self.options.images or root / "screenshots"
        lists = root / "splits" / "random_split.json"
        if "splits" in self._settings:
            self._splits = split_of_episodes(Path(self._settings["splits"]))
        elif lists.exists():
            self._splits = split_of_episodes(lists)
        for record in _episodes(annotations):
            if isinstance(record, Record) and self._is_other_split(record.data):
                continue
            yield record

    def _is_other_split(self, row: Any) -> bool:
        wanted = self.options.split
        if not wanted or not self._splits or not isinstance(row, dict):
            return False
        return wanted not in self._splits.get(str(row.get("episode_id")), ())

    def convert(self, record: Record) -> list[Imported]:
        """The steps of an episode."""
        row, where = record.data, record.where
        if not isinstance(row, dict):
            raise unknown_action(type(row).__name__, ("an object of one episode",), where)
        episode = field_id(row, "episode_id", where)
        task = field_object(row, "task_info", where)
        raw_steps = field_list(row, "steps", where)
        split = self._split(episode, where)
        steps: list[Imported] = []
        history: tuple[str, ...] = ()
        for k, raw in enumerate(raw_steps):
            here = f"{where}, step {k}"
            if not isinstance(raw, dict):
                raise unknown_action(raw, _KNOWN, here)
            data = read_picture(self._folder, field_text(raw, "screenshot", here), here)
            shot = screenshot_of(data, here)
            act = _act(raw, shot.size, here)
            place = Place(
                episode, k, len(raw_steps), split, optional_text(task, "category", here),
                field_text(task, "instruction", here),
                step_instruction=optional_text(raw, "low_level_instruction", here),
                history=history, tags=_tags(row, task),
            )  # fmt: skip
            steps.append(Imported(step_of(act, place, shot), data))
            history = (*history, act.history_line)
        return steps

    def _split(self, episode: str, where: str) -> str:
        if not self._splits:
            return self.options.split or "train"
        if episode not in self._splits:
            raise DataError(
                f"{where}: split",
                found=f"episode {episode}, which the list of splits does not name",
                expected="an episode of the list",
                fix="name the list of this release with --option splits=FILE",
            )
        return self._splits[episode][0]


def _root(file: Path) -> Path:
    return file.parent.parent if file.parent.name == "annotations" else file.parent


def _episodes(source: Path) -> Iterator[Record | DataError]:
    files = sorted(source.glob("*.json")) if source.is_dir() else [source]
    if not files:
        raise DataError(
            f"{source}: no annotations",
            found="no .json files",
            expected="annotations/<episode>.json",
            fix="check the folder",
        )
    for path in files:
        try:
            found = read_json(path)
        except DataError as error:
            if not source.is_dir():
                raise
            yield error
            continue
        if isinstance(found, list):
            for number, row in enumerate(found):
                yield Record(f"{path}, episode number {number}", row)
        else:
            yield Record(str(path), found)


def _tags(row: Mapping[str, Any], task: Mapping[str, Any]) -> dict[str, str]:
    device = row.get("device_info")
    apps = task.get("app")
    tags = {}
    if isinstance(device, dict) and device.get("device_name"):
        tags["device"] = str(device["device_name"])
    if isinstance(apps, list):
        tags["application"] = ", ".join(map(str, apps))
    return tags


def _act(raw: Mapping[str, Any], size: Size, where: str) -> Act:
    kind, info = raw.get("action"), raw.get("info")
    if kind in _PLAIN:
        return Act(*_PLAIN[str(kind)])
    if kind in ("CLICK", "LONG_PRESS"):
        if isinstance(info, str):
            if info not in _KEYS:
                raise unknown_action(f"{kind} {info}", _KEYS, where)
            return Act(*_KEYS[info])
        return _touch(str(kind).lower(), _points(info, 1, size, where)[0], raw, size, where)
    if kind == "SCROLL":
        touch, lift = _points(info, 2, size, where)
        return Act("scroll", content_direction(touch, lift), point_px=touch, end_point_px=lift)
    if kind in ("TEXT", "TYPE"):
        return act_anywhere("type", field_text(raw, "info", where), size)
    raise unknown_action(kind, _KNOWN, where)


def _points(info: Any, count: int, size: Size, where: str) -> list[Point]:
    if not isinstance(info, list) or len(info) != count:
        raise DataError(
            f"{where}: info",
            found=repr(info),
            expected=f"a list of {count} points [x, y] in 0..1000",
            fix="check --format; or set the episode aside with --keep-going",
        )
    found = []
    for pair in info:
        x, y = numbers(pair, 2, "info", where)
        point = Frame(size).convert(Point(x, y, Space.NORM1000), Space.IMAGE_PX)
        check_point(point, size, where)
        found.append(point)
    return found


def _touch(kind: str, point: Point, raw: Mapping[str, Any], size: Size, where: str) -> Act:
    corners = raw.get("sam2_bbox")
    if not corners:
        return act_at(kind, point, size, [], "point", where)
    x0, y0, x1, y1 = numbers(corners, 4, "sam2_bbox", where)
    try:
        box = Frame(size).convert_box(Box(x0, y0, x1, y1, Space.NORM1000), Space.IMAGE_PX)
    except ValueError as error:
        raise DataError(
            f"{where}: sam2_bbox",
            found=repr(corners),
            expected="[x0, y0, x1, y1] in 0..1000, left <= right and top <= bottom",
            fix="check the order of the corners",
        ) from error
    return Act(kind, None, clipped_box(box, size, where), "annotation", point_px=point)
