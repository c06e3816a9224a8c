"""Rows that no reader takes, boxes outside their pictures, and boxes without area."""

from __future__ import annotations

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Corners, Row
from coepg.types import Size

TOLERANCE_PX = 0.01
"""Boxes are stored in 32 bits; this is more than their rounding."""


def is_inside(corners: Corners, size: Size) -> bool:
    """Whether a box lies in its picture, edges included."""
    x0, y0, x1, y1 = corners
    low, high_x, high_y = -TOLERANCE_PX, size.width + TOLERANCE_PX, size.height + TOLERANCE_PX
    return low <= x0 and low <= y0 and x1 <= high_x and y1 <= high_y


def is_ordered(corners: Corners) -> bool:
    """Whether left <= right and top <= bottom."""
    x0, y0, x1, y1 = corners
    return x0 <= x1 and y0 <= y1


class Boxes:
    """Boxes that are outside, empty, or the whole screen, and rows that cannot be read."""

    def __init__(self) -> None:
        self.total = self.num_boxes = 0
        self.refused, self.outside = Tally(), Tally()
        self.empty, self.whole = Tally(), Tally()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        self.total += 1
        corners, size = row.corners, row.size
        is_outside = corners is not None and size is not None and not is_inside(corners, size)
        if row.error is not None and not is_outside:
            what = row.error.what.rpartition(": ")[2]
            self.refused.add(row, f"{what}: {row.error.found}")
        if corners is None or size is None:
            return
        self.num_boxes += 1
        if is_outside:
            self.outside.add(row, f"{list(corners)} in {size.width} x {size.height} px")
            return
        area = (corners[2] - corners[0]) * (corners[3] - corners[1])
        if area <= 0:
            self.empty.add(row, f"{list(corners)}")
        elif area >= 0.98 * size.width * size.height:
            self.whole.add(row, str(row.values.get("action_type")))

    def findings(self) -> list[Finding]:
        """What is wrong with the boxes."""
        return [
            *self.refused.finding(
                "unreadable_step", "error", "Rows that cannot be read as steps.", self.total,
                "mend or remove these rows; no command will take the dataset with them",
            ),
            *self.outside.finding(
                "box_outside", "error", "Target boxes leave their pictures.", self.num_boxes,
                "check the unit and order of the source's boxes, and the size of the pictures",
            ),
            *self.empty.finding(
                "box_empty", "warning", "Target boxes have no area: hardly any point hits them.",
                self.num_boxes, "give the element's box",
            ),
            *self.whole.finding(
                "box_whole_screen", "info",
                "Target boxes cover the whole picture: any point hits them.", self.num_boxes,
                "nothing, if the source does not say where; leave them out of grounder training",
            ),
        ]  # fmt: skip
