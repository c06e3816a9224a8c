"""ScreenSpot-Pro: ``annotations/<application>_<os>.json`` and ``images/``.

A list of ``{img_filename, bbox, instruction, instruction_cn, id, application, platform, img_size,
ui_type, group}``; ``bbox`` is ``[x0, y0, x1, y1]`` in pixels. Source: the dataset card of
likaixin/ScreenSpot-Pro and likaixin2000/ScreenSpot-Pro-GUI-Grounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

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
from coepg.data.importers.grounding import grounding_step
from coepg.data.importers.json_array import iter_json_array
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.screenspot import ui_type_of
from coepg.data.importers.values import field_of, numbers_of, optional_text, text_of
from coepg.errors import DataError
from coepg.types import Size


class ScreenSpotProImporter:
    """One step a row, named by the row's ``id``."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="screenspot_pro",
        title="ScreenSpot-Pro",
        license="MIT",
        url="https://huggingface.co/datasets/likaixin/ScreenSpot-Pro",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="none",
        splits=("test",),
        settings=(Setting("language", "the language of instructions", ("en", "cn"), "en"),),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._language = options.checked(self.format)["language"]
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The rows of a file, or of the folder's ``annotations``."""
        if source.is_dir():
            below = source / "annotations"
            root, source = source, below if below.is_dir() else source
        else:
            root = source.parent.parent if source.parent.name == "annotations" else source.parent
        beside = root / "images"
        self._folder = self.options.images or (beside if beside.is_dir() else root)
        for path in files_of(source, "*.json"):
            yield from iter_json_array(path)

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row."""
        row, where = record.data, record.where
        name = text_of(row, "id", where)
        data = read_picture(self._folder, text_of(row, "img_filename", where), where)
        shot = screenshot_of(data, where)
        _check_size(row, shot.size, where)
        values = field_of(row, "bbox", list, where)
        key = "instruction" if self._language == "en" else "instruction_cn"
        form = self.format
        step = grounding_step(
            name,
            task_name=text_of(row, "application", where),
            split=self.options.split or "test",
            instruction=text_of(row, key, where),
            shot=shot,
            box=box_px(values, form.box_unit, form.box_order, shot.size, where),
            tags={
                "platform": optional_text(row, "platform", where),
                "application": text_of(row, "application", where),
                "group": optional_text(row, "group", where),
                "ui_type": ui_type_of(row, "ui_type", where),
                "language": self._language,
            },
        )
        return [Imported(step, data)]


def _check_size(row: dict[str, Any], size: Size, where: str) -> None:
    """See that the picture has the size for which the box was drawn."""
    if row.get("img_size") is None:
        return
    annotated = numbers_of(row["img_size"], 2, "img_size", where)
    if annotated != (size.width, size.height):
        raise DataError(
            f"{where}: img_size",
            found=f"a picture of {size.width} x {size.height} px",
            expected=f"{annotated[0]:g} x {annotated[1]:g} px, as annotated",
            fix="use the pictures that came with the annotations, not resized ones",
        )
