"""Points at which the annotator acted, beside the box that says where to act."""

from __future__ import annotations

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Row

MAX_WARNED_SHARE = 0.05
"""More misses than this are an error: then the boxes and points belong to different pictures."""


class PointsInBoxes:
    """Steps whose own point would be a miss."""

    def __init__(self) -> None:
        self.total = 0
        self.missed = Tally()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None or step.target_point_px is None or step.target_box_px is None:
            return
        self.total += 1
        if not step.is_hit(step.target_point_px):
            point, box = step.target_point_px, step.target_box_px
            self.missed.add(
                row, f"({point.x:g}, {point.y:g}) not in {[round(v, 1) for v in box.as_tuple()]}"
            )

    def findings(self) -> list[Finding]:
        """How many points miss."""
        is_many = self.missed.count > MAX_WARNED_SHARE * self.total
        return self.missed.finding(
            "point_outside_box",
            "error" if is_many else "warning",
            "The point at which the annotator acted is outside the target's boxes.",
            self.total,
            "check the order of x and y, and that boxes and points mean the same picture",
        )
