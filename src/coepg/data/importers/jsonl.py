"""The simplest own format: one JSON object a line, one step each.

``image``, ``instruction`` and ``action_type`` must be there, and a place for actions that point at
something; everything else may be left out. A place says its unit in its name: ``box_px``,
``box_norm1``, ``box_norm1000`` (``[x0, y0, x1, y1]``) or ``point_px``, ``point_norm1``,
``point_norm1000`` (``[x, y]``). The ``value`` of a scroll names the content to reveal. Lines with
one ``episode_id`` that follow each other are the steps of one episode; a line without it is an
episode of its own.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, cast

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    BoxUnit,
    Imported,
    ImportOptions,
    LeftOut,
    Record,
    SourceFormat,
)
from coepg.data.importers.boxes import POINT_TAG, SPACES, box_px, point_box, point_px
from coepg.data.importers.history import history_line, target_repr
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.values import field_of, optional_text, text_of
from coepg.errors import DataError
from coepg.types import ACTION_CLASSES, Box, Point, Size, Step, has_target

PLACES = tuple(f"{shape}_{unit}" for shape in ("box", "point") for unit in SPACES)
DIRECTIONS = ("up", "down", "left", "right")
FIELDS: dict[str, str] = {
    "image": "path of the picture, from the file's folder or --images; required",
    "instruction": "the task in words; required",
    "action_type": "click, type, scroll, ...; required",
    "value": "text, option, direction of the content to reveal, or keys",
    **{place: "where the action's target is" for place in PLACES},
    "alternative_boxes_px": "other boxes that are as right, in pixels",
    "end_point_px": "where a drag ends, in pixels",
    "target": "name of the element, for the history of later steps",
    "role": "what the element is: button, link, ...",
    "target_expression": "words that tell the element from all others",
    "step_instruction": "what this one step is to do",
    "episode_id": "name of the episode; lines of one episode follow each other",
    "step_index": "place in the episode from 0; default: the line's place",
    "num_steps": "length of the episode; default: its number of lines",
    "history": "earlier actions in words; default: made from the lines before",
    "split": "train, test, ...; default: --split, else train",
    "task_name": "family of tasks, for counts",
    "tags": "an object of texts",
}
"""Every key that a line may have."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line and what its neighbours say of it."""

    row: dict[str, Any]
    name: str
    index: int
    num_steps: int
    history: tuple[str, ...]


class JsonlImporter:
    """One step a line."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="jsonl",
        title="JSON lines of your own",
        license="as given by the owner of the data",
        url="docs/reference/formats.md",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="content",
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        options.checked(self.format)
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The lines of the file, or of the ``*.jsonl`` of a folder; holds one episode."""
        self._folder = self.options.images or (source if source.is_dir() else source.parent)
        for path in files_of(source, "*.jsonl"):
            named = ((_episode(path, n, r), r) for n, r in enumerate(iter_json_lines(path)))
            for name, lines in groupby(named, itemgetter(0)):
                yield from _placed(name, [record for _, record in lines])

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a line."""
        line, where = cast(Line, record.data), record.where
        row = line.row
        kind, value = _action(row, where)
        data = read_picture(self._folder, text_of(row, "image", where), where)
        shot = screenshot_of(data, where)
        box, point = _place(row, shot.size, where)
        if box is None and has_target(kind):
            raise DataError(
                f"{where}: place", found=f"none, and {kind!r} points at an element",
                expected="one of " + ", ".join(PLACES), fix="add it",
            )  # fmt: skip
        index = _whole(row, "step_index", line.index, where)
        step = Step(
            step_id=f"{line.name}/{index}",
            episode_id=line.name,
            task_name=optional_text(row, "task_name", where) or "own",
            split=optional_text(row, "split", where) or self.options.split or "train",
            step_index=index,
            num_steps=_whole(row, "num_steps", max(line.num_steps, index + 1), where),
            instruction=text_of(row, "instruction", where),
            history=_texts(row, where) if row.get("history") is not None else line.history,
            screenshot=shot,
            action_type=kind,
            value=value,
            target_box_px=box,
            target_repr=_target(row) if box is not None else "",
            alternative_boxes_px=_alternatives(row, shot.size, where),
            target_point_px=point,
            end_point_px=_end(row, shot.size, where),
            step_instruction=optional_text(row, "step_instruction", where),
            target_expression=optional_text(row, "target_expression", where),
            tags=_tags(row, where) | (POINT_TAG if point is not None else {}),
        )
        return [Imported(step, data)]


def _episode(path: Path, number: int, record: Record | DataError) -> str:
    own = f"{path.stem}-{number}"
    if isinstance(record, DataError):
        return own
    name = record.data.get("episode_id")
    return name if isinstance(name, str) and name else own


def _placed(name: str, records: list[Record | DataError]) -> Iterator[Record | DataError]:
    history: tuple[str, ...] = ()
    for index, record in enumerate(records):
        if isinstance(record, DataError):
            yield record
            continue
        row, where = record.data, record.where
        yield _refused(row, where) or Record(where, Line(row, name, index, len(records), history))
        history = (*history, _told(row))


def _refused(row: dict[str, Any], where: str) -> DataError | None:
    """An error for a key that does not exist, since it is likely a misspelt one."""
    wrong = next((key for key in row if key not in FIELDS), None)
    if wrong is None:
        return None
    close = difflib.get_close_matches(wrong, FIELDS, n=1)
    return DataError(
        f"{where}: key {wrong!r}", found="no key of this format",
        expected="keys of the format jsonl: " + ", ".join(FIELDS),
        fix=f"write {close[0]!r}" if close else "remove it, or put it into `tags`",
    )  # fmt: skip


def _told(row: dict[str, Any]) -> str:
    """The line's action for the history of later ones; a wrong line is refused elsewhere."""
    kind, value = str(row.get("action_type")), row.get("value")
    known = kind in ACTION_CLASSES
    target = _target(row) if known else ""
    return history_line(kind, None if value is None else str(value), target) if known else kind


def _target(row: dict[str, Any]) -> str:
    name, role = str(row.get("target") or ""), str(row.get("role") or "element")
    return target_repr(role, name) if row.get("target") or row.get("role") else ""


def _action(row: dict[str, Any], where: str) -> tuple[str, str | None]:
    kind = text_of(row, "action_type", where)
    if kind not in ACTION_CLASSES:
        raise DataError(
            f"{where}: action_type", found=repr(kind),
            expected="one of " + ", ".join(ACTION_CLASSES), fix="use one of these words",
        )  # fmt: skip
    value = None if row.get("value") is None else optional_text(row, "value", where)
    if kind in ("scroll", "swipe") and value not in DIRECTIONS:
        raise DataError(
            f"{where}: value", found=repr(value), expected="one of " + ", ".join(DIRECTIONS),
            fix="name the content to reveal (scroll), or the finger's way (swipe)",
        )  # fmt: skip
    return kind, value


def _place(row: dict[str, Any], size: Size, where: str) -> tuple[Box | None, Point | None]:
    said = [key for key in PLACES if row.get(key) is not None]
    if len(said) > 1:
        raise DataError(
            f"{where}: place", found=" and ".join(said), expected="one of them",
            fix="keep the one that is exact",
        )  # fmt: skip
    if not said:
        return None, None
    shape, _, unit = said[0].partition("_")
    if shape == "box":
        values, unit = row[said[0]], cast(BoxUnit, unit)
        return box_px(values, unit, "x0y0x1y1", size, where, name=said[0]), None
    point = point_px(row[said[0]], cast(BoxUnit, unit), size, where, name=said[0])
    return point_box(point, size), point


def _alternatives(row: dict[str, Any], size: Size, where: str) -> tuple[Box, ...]:
    key = "alternative_boxes_px"
    if row.get(key) is None:
        return ()
    boxes = field_of(row, key, list, where)
    return tuple(box_px(box, "px", "x0y0x1y1", size, where, name=key) for box in boxes)


def _end(row: dict[str, Any], size: Size, where: str) -> Point | None:
    key = "end_point_px"
    return None if row.get(key) is None else point_px(row[key], "px", size, where, name=key)


def _whole(row: dict[str, Any], key: str, default: int, where: str) -> int:
    value: int = default if row.get(key) is None else field_of(row, key, int, where)
    if value < 0:
        raise DataError(f"{where}: {key}", found=str(value), expected="0 or more", fix="mend it")
    return value


def _texts(row: dict[str, Any], where: str) -> tuple[str, ...]:
    lines = field_of(row, "history", list, where)
    return tuple(text_of({"history": line}, "history", where) for line in lines)


def _tags(row: dict[str, Any], where: str) -> dict[str, str]:
    if row.get("tags") is None:
        return {}
    tags = field_of(row, "tags", dict, where)
    return {key: text_of(tags, key, f"{where}: tags") for key in tags}
