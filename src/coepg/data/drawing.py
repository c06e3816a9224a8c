"""A screenshot with its labels drawn on it."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from coepg.types import Box, Point, Step

TARGET, OTHER, POINT = (230, 25, 60), (245, 150, 20), (20, 110, 245)


def draw_labels(picture: Image.Image, step: Step, *, width_px: int = 2) -> Image.Image:
    """A copy of a picture of any size with the step's target, other boxes and points.

    Red: the target. Orange: boxes that are as right. Blue: where the annotator acted, with a line
    to the end of a stroke.

    Args:
        picture: the screenshot, resized or not; labels are scaled to it.
        step: its labels are in pixels of the stored screenshot.
        width_px: of the lines.
    """
    size = step.screenshot.size
    scale = (picture.width / size.width, picture.height / size.height)
    drawn = picture.convert("RGB")
    pen = ImageDraw.Draw(drawn)
    _boxes(pen, step.alternative_boxes_px, scale, OTHER, width_px)
    if step.target_box_px is not None:
        _boxes(pen, [step.target_box_px], scale, TARGET, width_px)
    if step.target_point_px is not None:
        x, y = _scaled(step.target_point_px, scale)
        reach = 4 * width_px
        pen.line([x - reach, y, x + reach, y], POINT, width_px)
        pen.line([x, y - reach, x, y + reach], POINT, width_px)
        if step.end_point_px is not None:
            pen.line([(x, y), _scaled(step.end_point_px, scale)], POINT, width_px)
    return drawn


def _boxes(
    pen: ImageDraw.ImageDraw, boxes: Sequence[Box], scale: tuple[float, float],
    colour: tuple[int, int, int], width_px: int,
) -> None:  # fmt: skip
    for box in boxes:
        x0, y0 = _scaled(Point(box.x0, box.y0), scale)
        x1, y1 = _scaled(Point(box.x1, box.y1), scale)
        pen.rectangle([x0, y0, x1, y1], outline=colour, width=width_px)


def _scaled(point: Point, scale: tuple[float, float]) -> tuple[float, float]:
    return point.x * scale[0], point.y * scale[1]
