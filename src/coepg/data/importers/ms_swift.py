"""ms-swift's grounding rows: ``objects: {ref, bbox, bbox_type}`` beside messages and images.

One JSON object a line. ``bbox_type`` is ``real`` (pixels of the picture, also when it is absent)
or ``norm1`` (0..1); a box is ``[x0, y0, x1, y1]``, or ``[x, y]`` for a point. Source: ms-swift's
documentation of custom datasets, section grounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    Record,
    SourceFormat,
)
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.pictures import clipped_box, read_picture
from coepg.errors import DataError
from coepg.types import Box, Frame, Point, Size, Space, Step

POINT_BOX_SIDE_PX = 2.0
"""A point becomes a box of this side, tagged ``target_box_source=point``."""


class MsSwiftImporter:
    """One step a ``bbox``: the ``ref`` of the same index is its instruction and expression."""

    format = SourceFormat(
        name="ms_swift",
        title="ms-swift grounding rows",
        license="as given by the owner of the data",
        url="https://swift.readthedocs.io/",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="none",
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The lines of the file."""
        self._folder = self.options.images or source.parent
        yield from iter_json_lines(source)

    def convert(self, record: Record) -> list[Imported]:
        """The steps of a row, one for each box."""
        row, where = record.data, record.where
        objects, images = row.get("objects"), row.get("images")
        if not isinstance(objects, dict) or not isinstance(images, list) or len(images) != 1:
            raise DataError(
                where,
                found=f"objects: {type(objects).__name__}, images: {images!r}",
                expected="an object `objects` and a list `images` with one path",
                fix="use the grounding rows of ms-swift, one picture a row",
            )
        data = read_picture(self._folder, _path_of(images[0]), where)
        shot = screenshot_of(data, where)
        refs, boxes = objects.get("ref"), objects.get("bbox")
        if not isinstance(refs, list) or not isinstance(boxes, list) or len(refs) != len(boxes):
            raise DataError(
                f"{where}: objects",
                found=f"ref: {refs!r}, bbox: {boxes!r}",
                expected="two lists of one length",
                fix="give each box its referring expression",
            )
        number = where.rsplit(" ", 1)[-1]
        steps = []
        for k, (ref, corners) in enumerate(zip(refs, boxes, strict=True)):
            box, is_point = _box_px(
                corners, objects.get("bbox_type"), shot.size, f"{where}, box {k}"
            )
            name = f"{number}/{k}"
            steps.append(
                Step(
                    step_id=f"{name}/0",
                    episode_id=name,
                    task_name="grounding",
                    split=self.options.split or "train",
                    step_index=0,
                    num_steps=1,
                    instruction=str(ref),
                    history=(),
                    screenshot=shot,
                    action_type="click",
                    value=None,
                    target_box_px=clipped_box(box, shot.size, f"{where}, box {k}"),
                    target_expression=str(ref),
                    tags={"target_box_source": "point"} if is_point else {},
                )
            )
        return [Imported(step, data) for step in steps]


def _path_of(image: Any) -> str:
    return str(image["path"]) if isinstance(image, dict) and "path" in image else str(image)


def _box_px(corners: Any, unit: Any, size: Size, where: str) -> tuple[Box, bool]:
    spaces = {None: Space.IMAGE_PX, "real": Space.IMAGE_PX, "norm1": Space.NORM1}
    if unit not in spaces:
        raise DataError(
            f"{where}: bbox_type",
            found=repr(unit),
            expected="real (pixels) or norm1 (0..1)",
            fix="say the unit of the boxes",
        )
    try:
        values = [float(v) for v in corners]
        frame = Frame(size)
        if len(values) == 2:
            at = frame.convert(Point(values[0], values[1], spaces[unit]), Space.IMAGE_PX)
            half = POINT_BOX_SIDE_PX / 2
            return Box(at.x - half, at.y - half, at.x + half, at.y + half), True
        x0, y0, x1, y1 = values
        return frame.convert_box(Box(x0, y0, x1, y1, spaces[unit]), Space.IMAGE_PX), False
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{where}: bbox",
            found=repr(corners),
            expected="[x0, y0, x1, y1] or [x, y]",
            fix=f"mend the box ({error})",
        ) from error
