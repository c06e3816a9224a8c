"""AITZ (Chain-of-Action-Thought): one JSON list an episode, with small PNG screenshots.

``ui_positions`` is a list of ``y, x, height, width`` in pixels of the stored (small) picture, as
JSON in a text, like ``ui_text`` and ``ui_types``; ``result_touch_yx`` and ``result_lift_yx`` are
``y, x`` in 0..1. Actions are AITW's. Source: IMNearth/CoAT.

The source is a folder with episodes or one file; the split is the name that ``--split`` gives,
else the first of ``train`` and ``test`` in the path. ``coat_action_desc`` becomes the step's
instruction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from coepg.data.crop import screenshot_of
from coepg.data.importers.acts import Place, step_of, unknown_action
from coepg.data.importers.aitw import GESTURE, aitw_act, annotated_elements
from coepg.data.importers.base import Imported, ImportOptions, Record, SourceFormat
from coepg.data.importers.elements import Element, screen_texts
from coepg.data.importers.fields import (
    field_id,
    field_int,
    field_text,
    json_text,
    numbers,
    optional_text,
)
from coepg.data.importers.json_document import read_json
from coepg.data.importers.pictures import read_picture
from coepg.errors import DataError
from coepg.types import Point, Size, Space, TextSource


class AitzImporter:
    """One episode a record."""

    format = SourceFormat(
        name="aitz",
        title="Android in the Zoo",
        license="Apache-2.0",
        url="https://github.com/IMNearth/CoAT",
        box_unit="px",
        box_order="yxhw",
        scroll="finger",
        splits=("train", "test"),
        settings=(GESTURE,),
    )

    def __init__(self, options: ImportOptions) -> None:
        settings = options.checked(self.format)
        self.options = options
        self._swipes = settings["gesture"] == "swipe"

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The episodes of a folder and its subfolders, or of one file."""
        files = sorted(source.rglob("*.json")) if source.is_dir() else [source]
        if not files:
            raise DataError(
                f"{source}: no episodes",
                found="no .json files",
                expected="<subset>/<episode>/<episode>.json",
                fix="check the folder",
            )
        for path in files:
            try:
                yield Record(str(path), (path, read_json(path)))
            except DataError as error:
                if not source.is_dir():
                    raise
                yield error

    def convert(self, record: Record) -> list[Imported]:
        """The steps of an episode."""
        path, rows = record.data
        if not isinstance(rows, list) or not rows or not all(isinstance(r, dict) for r in rows):
            raise DataError(
                record.where,
                found=type(rows).__name__ if not isinstance(rows, list) else "an empty list",
                expected="a list of the steps of one episode",
                fix="check --format; AITZ has one such file an episode",
            )
        steps: list[Imported] = []
        history: tuple[str, ...] = ()
        for k, row in enumerate(rows):
            where = f"{record.where}, step {k}"
            if field_int(row, "step_id", where) != k:
                raise unknown_action(f"step_id {row['step_id']}", [f"step_id {k}"], where)
            data = self._picture(field_text(row, "image_path", where), path, where)
            shot = screenshot_of(data, where)
            elements = _elements(row, shot.size, where)
            act = aitw_act(
                field_int(row, "result_action_type", where),
                optional_text(row, "result_action_text", where),
                _yx(row, "result_touch_yx", where),
                _yx(row, "result_lift_yx", where),
                elements, shot.size, where, strokes_are_swipes=self._swipes,
            )  # fmt: skip
            place = Place(
                field_id(row, "episode_id", where), k, len(rows), self._split(path),
                PurePosixPath(row["image_path"]).parts[0], field_text(row, "instruction", where),
                step_instruction=optional_text(row, "coat_action_desc", where), history=history,
            )  # fmt: skip
            texts = screen_texts(elements, TextSource.OCR)
            steps.append(Imported(step_of(act, place, shot, texts), data))
            history = (*history, act.history_line)
        return steps

    def _split(self, path: Path) -> str:
        named = [part for part in path.parts if part in self.format.splits]
        return self.options.split or (named[-1] if named else "train")

    def _picture(self, name: str, episode: Path, where: str) -> bytes:
        # The published folder has the pictures beside the JSON; a copy may keep the whole path.
        folder = self.options.images or episode.parent
        short = PurePosixPath(name).name
        return read_picture(folder, name if (folder / name).exists() else short, where)


def _yx(row: Mapping[str, Any], key: str, where: str) -> Point:
    y, x = numbers(json_text(row, key, where), 2, key, where)
    return Point(x, y, Space.NORM1)


def _elements(row: Mapping[str, Any], size: Size, where: str) -> list[Element]:
    rows, texts, roles = (
        json_text(row, key, where) for key in ("ui_positions", "ui_text", "ui_types")
    )
    if not isinstance(rows, list) or not len(rows) == len(texts) == len(roles):
        raise DataError(
            f"{where}: ui_positions, ui_text, ui_types",
            found="lists of different lengths",
            expected="a position, a text and a type for each element",
            fix="mend the row, or set the episode aside with --keep-going",
        )
    boxes = [numbers(position, 4, "ui_positions", where) for position in rows]
    return annotated_elements(boxes, list(map(str, texts)), list(map(str, roles)), size, where)
