"""Boxes in another unit or order than the table's, told by statistics.

A single box cannot tell its unit; many can. Boxes inside the first pixel are fractions. Boxes of
tall pictures that never pass 1000 are probably in 0..1000. And where boxes are outside, turned
round, or miss their own point, the reading that mends nearly all of them is probably the source's.
"""

from __future__ import annotations

from collections.abc import Callable

from coepg.data.checks.boxes import is_inside, is_ordered
from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Corners, Row
from coepg.types import Size

MIN_BOXES = 30
"""Boxes of tall or wide pictures below which nothing is said of 0..1000."""
LARGE_SIDE_PX = 1500
"""A side of a picture, of which a third lies beyond 1000."""
MIN_EXPLAINED = 0.8
"""Share of the bad boxes that another reading must mend."""

READINGS: dict[str, Callable[[Corners], Corners]] = {
    "y0, x0, y1, x1": lambda c: (c[1], c[0], c[3], c[2]),
    "x, y, width, height": lambda c: (c[0], c[1], c[0] + c[2], c[1] + c[3]),
    "y, x, height, width": lambda c: (c[1], c[0], c[1] + c[3], c[0] + c[2]),
}


def is_plausible(corners: Corners, size: Size, point: tuple[float, float] | None) -> bool:
    """Whether a box is in order, inside its picture, and holds its point if there is one."""
    if not is_ordered(corners) or not is_inside(corners, size):
        return False
    if point is None:
        return True
    x0, y0, x1, y1 = corners
    # Points and boxes may be rounded apart.
    return x0 - 1 <= point[0] <= x1 + 1 and y0 - 1 <= point[1] <= y1 + 1


def _is_whole_screen(row: Row) -> bool:
    return row.step is not None and row.step.tags.get("target_box_source") == "screen"


class UnitAndOrder:
    """Fractions, 0..1000, width and height for corners, and x and y exchanged."""

    def __init__(self) -> None:
        self.num_boxes = self.num_large = self.num_past_1000 = 0
        self.fractions, self.large, self.implausible = Tally(), Tally(), Tally()
        self.mended = dict.fromkeys(READINGS, 0)

    def see(self, row: Row) -> None:
        """Take note of a row."""
        corners, size = row.corners, row.size
        if corners is None or size is None or _is_whole_screen(row):
            return
        self.num_boxes += 1
        if max(corners) <= 1 and min(size.width, size.height) > 4:
            self.fractions.add(row, f"{list(corners)}")
            return
        if max(size.width, size.height) >= LARGE_SIDE_PX:
            self.large.add(row, f"{list(corners)} in {size.width} x {size.height} px")
            self.num_past_1000 += max(corners) > 1000
        if not is_plausible(corners, size, row.point):
            self.implausible.add(row, f"{list(corners)}, point {row.point}")
            for name, reading in READINGS.items():
                self.mended[name] += is_plausible(reading(corners), size, row.point)

    def findings(self) -> list[Finding]:
        """Which unit or order the boxes seem to be in, if not the table's."""
        found = self.fractions.finding(
            "box_unit_norm1", "error",
            "Target boxes lie within the first pixel: they seem to be fractions (0..1).",
            self.num_boxes, "multiply by the picture's width and height",
        )  # fmt: skip
        if self.large.count >= MIN_BOXES and not self.num_past_1000:
            found += self.large.finding(
                "box_unit_norm1000", "warning",
                f"No box of the pictures with a side of {LARGE_SIDE_PX} px or more passes 1000: "
                "they seem to be in 0..1000.",
                self.num_boxes, "check the unit of the source's boxes",
            )  # fmt: skip
        best = max(self.mended, key=lambda name: self.mended[name])
        bad = self.implausible.count
        if bad and self.mended[best] >= MIN_EXPLAINED * bad:
            found += self.implausible.finding(
                "box_order", "error",
                "Boxes that are turned round, outside, or miss their point would be right as "
                f"{best}.",
                self.num_boxes, "check the order of the source's boxes",
                mended=self.mended[best],
            )  # fmt: skip
        return found
