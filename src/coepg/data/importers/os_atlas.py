"""OS-Atlas's chat rows of AndroidControl and GUI-Odyssey: one step a line, points in 0..1000.

The task, the step's instruction and the history are read from the prompt's last lines; the answer
is ``actions:`` and then one of CLICK, LONG_PRESS ``<point>[[x,y]]</point>``, TYPE, OPEN_APP,
SCROLL ``[...]``, PRESS_BACK, PRESS_HOME, PRESS_RECENT, WAIT, IMPOSSIBLE, COMPLETE. There are no
boxes: a target is a box around its point. Source: OS-Copilot/OS-Atlas.

Whether SCROLL names the finger's direction or the content's is not written down there, so a row
with one is refused without ``--option scroll=finger`` or ``--option scroll=content``. Rows that
follow each other and whose pictures have one episode's name are one episode.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
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
    value_or_none,
)
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.fields import field_list, field_text
from coepg.data.importers.gestures import OPPOSITE
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.pictures import read_picture
from coepg.errors import DataError
from coepg.types import Frame, Point, Size, Space

_PICTURE = re.compile(r"(?:episode_)?(?P<episode>[^_]+)_(?:screenshot_)?(?P<step>\d+)\.\w+$")
_TASK = re.compile(r"\nTask: (?P<task>.*)\nHistory: *\n(?P<history>.*)\Z", re.DOTALL)
_PAST = re.compile(r"^Step \d+: *(.*)$", re.MULTILINE)
_ANSWER = re.compile(r"actions:\s*(?P<kind>[A-Z_]+)\s*(?P<rest>.*?)\s*\Z", re.DOTALL)
_POINT = re.compile(r"<point>\[\[(\d+(?:\.\d+)?),\s*(\d+(?:\.\d+)?)\]\]</point>\Z")
_TOLD = " You need to: "
_PLAIN = {
    "PRESS_BACK": ("navigate_back", None), "PRESS_HOME": ("navigate_home", None),
    "PRESS_RECENT": ("press", "app_switch"), "WAIT": ("wait", None),
    "COMPLETE": ("finish", None), "IMPOSSIBLE": ("finish", "impossible"),
}  # fmt: skip
_KNOWN = ("CLICK", "LONG_PRESS", "TYPE", "OPEN_APP", "SCROLL", *_PLAIN)
SCROLL = Setting("scroll", "what a scroll's word names the direction of", ("finger", "content"))


class OsAtlasImporter:
    """Rows of one kind of episode; see the two subclasses."""

    format: SourceFormat

    def __init__(self, options: ImportOptions) -> None:
        settings = options.checked(self.format)
        self.options = options
        self._scroll = settings.get("scroll")
        self._folder = Path()
        self._split = "train"

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """Episodes: the rows between two changes of the episode in the picture's name."""
        self._folder = self.options.images or source.parent
        self._split = self.options.split or ("test" if "test" in source.stem else "train")
        for _, group in itertools.groupby(iter_json_lines(source), _group_key):
            rows = list(group)
            yield from (row for row in rows if isinstance(row, DataError))
            good = [row for row in rows if isinstance(row, Record)]
            if good:
                yield Record(good[0].where, good)

    def convert(self, record: Record) -> list[Imported]:
        """The steps of the rows of an episode."""
        rows: list[Record] = record.data
        names = [_picture_name(row) for row in rows]
        num_steps = 1 + max(step for _, step, _ in names)
        found = []
        for row, (episode, step, name) in zip(rows, names, strict=True):
            data = read_picture(self._folder, name, row.where)
            shot = screenshot_of(data, row.where)
            task, told, history = _prompt(_turn(row, "human"), row.where)
            act = self._act(_turn(row, "gpt"), shot.size, row.where)
            place = Place(
                episode, step, num_steps, self._split, self.format.name.removesuffix("_os_atlas"),
                task, step_instruction=told, history=history,
            )  # fmt: skip
            found.append(Imported(step_of(act, place, shot), data))
        return found

    def _act(self, answer: str, size: Size, where: str) -> Act:
        match = _ANSWER.search(answer)
        kind, rest = (match["kind"], match["rest"]) if match else ("", "")
        if kind in _PLAIN and not rest:
            return Act(*_PLAIN[kind])
        point = _POINT.match(rest)
        if kind in ("CLICK", "LONG_PRESS") and point:
            at = Point(float(point[1]), float(point[2]), Space.NORM1000)
            at_px = Frame(size).convert(at, Space.IMAGE_PX)
            check_point(at_px, size, where)
            return act_at(kind.lower(), at_px, size, [], "point", where)
        if rest.startswith("[") and rest.endswith("]"):
            inside = rest[1:-1]
            if kind == "TYPE":
                return act_anywhere("type", inside, size)
            if kind == "OPEN_APP":
                return Act("open_app", value_or_none(inside))
            if kind == "SCROLL" and inside.lower() in OPPOSITE:
                return Act("scroll", self._direction(inside.lower(), where))
        raise unknown_action(answer[-200:], _KNOWN, where)

    def _direction(self, word: str, where: str) -> str:
        if self._scroll is None:
            raise DataError(
                f"{where}: SCROLL",
                found=f"[{word.upper()}], whose meaning the source does not say",
                expected="to be told whether the finger or the content goes there",
                fix="look at a few pictures, then add --option scroll=finger or scroll=content",
            )
        return OPPOSITE[word] if self._scroll == "finger" else word


class AndroidControlOsAtlasImporter(OsAtlasImporter):
    """AndroidControl's rows; "You need to:" in the task begins the step's instruction."""

    format = SourceFormat(
        name="android_control_os_atlas",
        title="AndroidControl, OS-Atlas's chat rows",
        license="Apache-2.0",
        url="https://github.com/OS-Copilot/OS-Atlas",
        box_unit="norm1000",
        box_order="none",
        scroll="none",
        settings=(SCROLL,),
    )


class GuiOdysseyOsAtlasImporter(OsAtlasImporter):
    """GUI-Odyssey's rows."""

    format = SourceFormat(
        name="gui_odyssey_os_atlas",
        title="GUI-Odyssey, OS-Atlas's chat rows",
        license="CC-BY-4.0",
        url="https://github.com/OS-Copilot/OS-Atlas",
        box_unit="norm1000",
        box_order="none",
        scroll="none",
        settings=(SCROLL,),
    )


def _group_key(row: Record | DataError) -> str:
    try:
        return "" if isinstance(row, DataError) else _picture_name(row)[0]
    except DataError:
        return row.where if isinstance(row, Record) else ""


def _picture_name(row: Record) -> tuple[str, int, str]:
    name = PurePosixPath(field_text(row.data, "image", row.where)).name
    match = _PICTURE.match(name)
    if match is None:
        raise DataError(
            f"{row.where}: image",
            found=repr(name),
            expected="episode_<episode>_screenshot_<step>.png or <episode>_<step>.png",
            fix="check --format",
        )
    return match["episode"], int(match["step"]), name


def _turn(row: Record, speaker: str) -> str:
    turns = field_list(row.data, "conversations", row.where)
    found = [t for t in turns if isinstance(t, dict) and t.get("from") == speaker]
    turn: Mapping[str, Any] = found[0] if len(found) == 1 else {}
    return field_text(turn, "value", f"{row.where}: the turn of {speaker!r}")


def _prompt(text: str, where: str) -> tuple[str, str, tuple[str, ...]]:
    match = _TASK.search(text)
    if match is None:
        raise DataError(
            f"{where}: prompt",
            found=repr(text[-200:]),
            expected='the lines "Task: ..." and "History:" at its end',
            fix="check --format",
        )
    task, _, told = match["task"].partition(_TOLD)
    return task.strip(), told.strip(), tuple(p.strip() for p in _PAST.findall(match["history"]))
