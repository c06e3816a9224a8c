"""Cutting large pictures: full web pages are too tall for any model, and users see a viewport.

A cut is recorded in the step's tags: ``crop_px`` = "x0,y0,x1,y1" in the source picture and
``crop_source_px`` = its "width x height".
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import Literal

from PIL import Image

from coepg.data.importers.base import Imported
from coepg.errors import DataError
from coepg.types import Box, Point, Screenshot, Size, Step, content_hash

CropMode = Literal["blocks", "around"]
MIN_VISIBLE_SHARE = 0.5
"""Texts and other boxes of which less than this is in the cut are dropped."""


@dataclass(frozen=True, slots=True)
class Crop:
    """How pictures are cut.

    Attributes:
        mode: ``blocks``: a fixed grid of overlapping blocks from the top, the first that holds
            the target whole (UGround's 1280 x 1000 with 200 px overlap is the default);
            ``around``: one block with the target in its middle, moved inside the picture.
        width_px, height_px: size of a block; smaller pictures stay as they are.
        overlap_px: of neighbouring blocks, in both directions.
    """

    mode: CropMode = "blocks"
    width_px: int = 1280
    height_px: int = 1000
    overlap_px: int = 200

    def __post_init__(self) -> None:
        if not 0 <= self.overlap_px < min(self.width_px, self.height_px):
            raise DataError(
                "crop overlap",
                found=f"{self.overlap_px} px",
                expected=f"at least 0 and below the block's sides ({self.width_px} x "
                f"{self.height_px} px)",
                fix="choose a smaller overlap",
            )

    def describe(self) -> str:
        """As recorded in ``dataset.json``."""
        text = f"{self.mode} {self.width_px}x{self.height_px} px"
        return f"{text}, overlap {self.overlap_px} px" if self.mode == "blocks" else text

    def window(self, size: Size, target: Box | None) -> tuple[int, int, int, int] | None:
        """The cut for a target: ``(x0, y0, x1, y1)``, or None if the picture is small enough.

        A step without a target shows the top of the page. A target that no block holds whole is
        put in the middle of a block of its own.
        """
        if size.width <= self.width_px and size.height <= self.height_px:
            return None
        if target is None:
            return (0, 0, min(size.width, self.width_px), min(size.height, self.height_px))
        spans = [
            self._span(size.width, self.width_px, target.x0, target.x1),
            self._span(size.height, self.height_px, target.y0, target.y1),
        ]
        (x0, x1), (y0, y1) = spans
        return (x0, y0, x1, y1)

    def _span(self, extent: int, block: int, low: float, high: float) -> tuple[int, int]:
        if extent <= block:
            return (0, extent)
        if self.mode == "blocks":
            starts = list(range(0, extent - block, block - self.overlap_px)) + [extent - block]
            for start in starts:
                if start <= low and high <= start + block:
                    return (start, start + block)
        start = round((low + high) / 2 - block / 2)
        start = min(max(0, start), extent - block)
        return (start, start + block)


def crop_step(step: Step, window: tuple[int, int, int, int], image_hash: str) -> Step:
    """The step in the coordinates of the cut.

    The target must lie in the cut; a part of it outside is clipped. Screen texts and alternative
    boxes that are mostly outside are dropped.
    """
    x0, y0, x1, y1 = window
    area = Box(x0, y0, x1, y1)
    size = step.screenshot.size
    tags = {
        **step.tags,
        "crop_px": ",".join(map(str, window)),
        "crop_source_px": f"{size.width}x{size.height}",
    }
    texts = tuple(
        replace(text, box_px=box)
        for text in step.screen_text
        if (box := _cut(text.box_px, area)) is not None
    )
    others = tuple(
        box for other in step.alternative_boxes_px if (box := _cut(other, area)) is not None
    )
    target = None if step.target_box_px is None else _cut(step.target_box_px, area, 0.0)
    return replace(
        step,
        screenshot=replace(step.screenshot, image_hash=image_hash, size=Size(x1 - x0, y1 - y0)),
        target_box_px=target,
        alternative_boxes_px=others,
        target_point_px=_move(step.target_point_px, area),
        end_point_px=_move(step.end_point_px, area),
        screen_text=texts,
        tags=tags,
    )


def _move(point: Point | None, area: Box) -> Point | None:
    return None if point is None else Point(point.x - area.x0, point.y - area.y0)


def _cut(box: Box, area: Box, min_share: float = MIN_VISIBLE_SHARE) -> Box | None:
    """The visible part of a box in the cut's coordinates, or None if too little is visible."""
    x0, x1 = max(box.x0, area.x0), min(box.x1, area.x1)
    y0, y1 = max(box.y0, area.y0), min(box.y1, area.y1)
    if x0 > x1 or y0 > y1 or (x1 - x0) * (y1 - y0) < min_share * box.area:
        return None
    return Box(x0 - area.x0, y0 - area.y0, x1 - area.x0, y1 - area.y0)


def crop_imported(row: Imported, crop: Crop) -> list[Imported]:
    """The step with its picture cut, if it is larger than a block.

    Raises:
        DataError: the target is not in the picture.
    """
    step = row.step
    window = crop.window(step.screenshot.size, step.target_box_px)
    if window is None:
        return [row]
    with Image.open(io.BytesIO(row.image)) as picture:
        part = picture.convert("RGB").crop(window)
    buffer = io.BytesIO()
    part.save(buffer, "PNG")
    data = buffer.getvalue()
    cut = crop_step(step, window, content_hash(data))
    if step.target_box_px is not None and cut.target_box_px is None:
        raise DataError(
            f"step {step.step_id}: target_box_px",
            found=str(step.target_box_px.as_tuple()),
            expected=f"a box in the picture of {step.screenshot.size}",
            fix="check the source's unit and order of boxes",
        )
    return [Imported(cut, data)]


def screenshot_of(data: bytes, where: str) -> Screenshot:
    """The `Screenshot` of encoded bytes.

    Raises:
        DataError: Pillow cannot open them.
    """
    try:
        with Image.open(io.BytesIO(data)) as picture:
            size = Size(*picture.size)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise DataError(
            f"{where}: picture",
            found=str(error),
            expected="a picture that Pillow can open",
            fix="copy the picture again, or leave the row out",
        ) from error
    return Screenshot(content_hash(data), size)
