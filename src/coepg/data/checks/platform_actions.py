"""Actions that the target platform does not have."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Row

Platform = Literal["web", "mobile", "desktop"]
_EVERYWHERE = {"click", "drag", "type", "scroll", "press", "wait", "finish", "take_over"}
_POINTER = {"double_click", "right_click", "hover"}
PLATFORM_ACTIONS: dict[str, frozenset[str]] = {
    "web": frozenset(_EVERYWHERE | _POINTER | {"select", "navigate_back", "navigate_home"}),
    "mobile": frozenset(
        _EVERYWHERE | {"long_press", "swipe", "open_app", "navigate_back", "navigate_home"}
    ),
    "desktop": frozenset(_EVERYWHERE | _POINTER | {"open_app"}),
}
"""The kinds of `coepg.types.ACTION_CLASSES` that exist there."""


class PlatformActions:
    """Kinds that the platform lacks: the one asked for, else each step's tag ``platform``."""

    def __init__(self, platform: Platform | None) -> None:
        self.platform = platform
        self.total = 0
        self.lacking = Tally()
        self.kinds: Counter[str] = Counter()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None:
            return
        platform = self.platform or step.tags.get("platform", "")
        if platform not in PLATFORM_ACTIONS:
            return
        self.total += 1
        if step.action_type not in PLATFORM_ACTIONS[platform]:
            self.kinds[step.action_type] += 1
            self.lacking.add(row, f"{step.action_type} on {platform}")

    def findings(self) -> list[Finding]:
        """Which kinds, how often."""
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.kinds.most_common())
        return self.lacking.finding(
            "action_not_on_platform", "error",
            f"The platform does not have these actions: {kinds}.", self.total,
            "map them to actions that it has, or leave the steps out",
        )  # fmt: skip
