"""Pictures that a source names by path."""

from __future__ import annotations

from pathlib import Path

from coepg.errors import DataError
from coepg.types import Box, Size


def read_picture(folder: Path, name: str, where: str) -> bytes:
    """The bytes of a picture file.

    Args:
        folder: where relative names start.
        name: as in the source; absolute paths are taken as they are.
        where: file and row, for messages.

    Raises:
        DataError: no such file.
    """
    path = folder / name
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        raise DataError(
            f"{where}: picture {name!r}",
            found=f"{path}: {getattr(error, 'strerror', None) or error}",
            expected="a picture file",
            fix="give the folder of the pictures with --images, or copy the missing ones",
        ) from error


def clipped_box(box: Box, size: Size, where: str, *, tolerance_px: float = 2.0) -> Box:
    """A box moved inside its picture if it leaves it by rounding only.

    Raises:
        DataError: it leaves the picture by more than ``tolerance_px``, or lies beside it.
    """
    excess = max(-box.x0, -box.y0, box.x1 - size.width, box.y1 - size.height)
    beside = box.x0 > size.width or box.y0 > size.height or box.x1 < 0 or box.y1 < 0
    if excess > tolerance_px or (beside and box.area > 0):
        raise DataError(
            f"{where}: box",
            found=f"{list(box.as_tuple())}, {excess:g} px outside",
            expected=f"a box inside the picture of {size.width} x {size.height} px",
            fix="check the unit (pixels, 0..1, 0..1000) and order (x0 y0 x1 y1, x y w h) of boxes, "
            "and that the picture has the size that was annotated",
        )
    width, height = float(size.width), float(size.height)
    return Box(
        min(max(0.0, box.x0), width), min(max(0.0, box.y0), height),
        max(0.0, min(width, box.x1)), max(0.0, min(height, box.y1)),
    )  # fmt: skip
