"""ScreenSpot, first version: ``screenspot_{mobile,desktop,web}.json``.

A list of ``{img_filename, bbox, instruction, data_type, data_source}``; ``bbox`` is
``[x, y, width, height]`` in pixels. Source: the evaluation script of SeeClick
(njucckevin/SeeClick, pretrain/screenspot_test.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    LeftOut,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.boxes import box_px
from coepg.data.importers.grounding import PLATFORMS, grounding_step, platform_of
from coepg.data.importers.json_array import iter_json_array
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.values import field_of, optional_text, text_of
from coepg.errors import DataError

PLATFORM = Setting("platform", "which part of ScreenSpot the file holds", PLATFORMS)
UI_TYPES = ("text", "icon")


class ScreenSpotImporter:
    """One step a row. The platform is the word in the file's name."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="screenspot",
        title="ScreenSpot",
        license="Apache-2.0",
        url="https://github.com/njucckevin/SeeClick",
        box_unit="px",
        box_order="xywh",
        scroll="none",
        splits=("test",),
        settings=(PLATFORM,),
    )
    pattern: ClassVar[str] = "screenspot_*.json"
    picture_folder: ClassVar[str] = "screenspot_imgs"

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._platform = options.checked(self.format).get("platform")
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The rows of the file, or of the files of the folder."""
        root = source if source.is_dir() else source.parent
        beside = root / self.picture_folder
        self._folder = self.options.images or (beside if beside.is_dir() else root)
        for path in files_of(source, self.pattern):
            platform = platform_of(path.name, self._platform, str(path))
            for number, record in enumerate(iter_json_array(path)):
                yield Record(record.where, (platform, number, record.data))

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row."""
        (platform, number, row), where = record.data, record.where
        data = read_picture(self._folder, text_of(row, "img_filename", where), where)
        shot = screenshot_of(data, where)
        instruction = text_of(row, "instruction", where)
        values = field_of(row, "bbox", list, where)
        form = self.format
        step = grounding_step(
            f"{form.name}_{platform}_{number:04d}",
            task_name=f"{form.name}_{platform}",
            split=self.options.split or "test",
            instruction=instruction,
            shot=shot,
            box=box_px(values, form.box_unit, form.box_order, shot.size, where),
            tags={
                "platform": platform,
                "ui_type": ui_type_of(row, "data_type", where),
                "data_source": optional_text(row, "data_source", where),
            },
        )
        return [Imported(step, data)]


def ui_type_of(row: dict[str, object], key: str, where: str) -> str:
    """``text`` or ``icon``.

    Raises:
        DataError: anything else.
    """
    found = text_of(row, key, where)
    if found not in UI_TYPES:
        raise DataError(
            f"{where}: {key}", found=repr(found), expected="text or icon",
            fix="check --format, or mend the row",
        )  # fmt: skip
    return found
