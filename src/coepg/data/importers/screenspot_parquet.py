"""ScreenSpot as Parquet with pictures inside, the way hubs convert it.

Columns ``file_name, bbox, instruction, data_type, data_source, image``; here ``bbox`` is
``[x0, y0, x1, y1]`` in 0..1, unlike the JSON files. Source: the dataset cards of
rootsautomation/ScreenSpot and HongxinLi/ScreenSpot_v2.
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
from coepg.data.importers.grounding import grounding_step, platform_of
from coepg.data.importers.parquet_source import files_of, iter_parquet, picture_of
from coepg.data.importers.screenspot import PLATFORM, ui_type_of
from coepg.data.importers.values import field_of, optional_text, text_of
from coepg.errors import DataError

COLUMNS = ("image", "bbox", "instruction", "data_type")
OPTIONAL = ("file_name", "data_source")
EDITION = Setting("edition", "which edition of the annotations these are, for scores", ("v1", "v2"))


class ScreenSpotParquetImporter:
    """One step a row. The platform is the first word of the picture's ``file_name``."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="screenspot_parquet",
        title="ScreenSpot as Parquet",
        license="Apache-2.0",
        url="https://huggingface.co/datasets/rootsautomation/ScreenSpot",
        box_unit="norm1",
        box_order="x0y0x1y1",
        scroll="none",
        splits=("test",),
        settings=(PLATFORM, EDITION),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        settings = options.checked(self.format)
        self._platform = settings.get("platform")
        self._edition = settings.get("edition", "")

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The rows of the file, or of the files of the folder."""
        number = 0
        for path in files_of(source, "*.parquet"):
            for record in iter_parquet(path, COLUMNS, OPTIONAL):
                if isinstance(record, DataError):
                    yield record
                else:
                    yield Record(record.where, (number, record.data))
                number += 1

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row."""
        (number, row), where = record.data, record.where
        data = picture_of(row["image"], "image", where)
        shot = screenshot_of(data, where)
        instruction = text_of(row, "instruction", where)
        name = optional_text(row, "file_name", where)
        platform = platform_of(name, self._platform, where)
        form = self.format
        box = box_px(
            field_of(row, "bbox", list, where), form.box_unit, form.box_order, shot.size, where
        )
        step = grounding_step(
            f"screenspot_{platform}_{number:04d}",
            task_name=f"screenspot_{platform}",
            split=self.options.split or "test",
            instruction=instruction,
            shot=shot,
            box=box,
            tags={
                "platform": platform,
                "ui_type": ui_type_of(row, "data_type", where),
                "data_source": optional_text(row, "data_source", where),
                "picture": name,
                "edition": self._edition,
            },
        )
        return [Imported(step, data)]
