"""Instructions and values that are empty."""

from __future__ import annotations

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Row

NEEDS_VALUE = ("type", "select", "press", "open_app", "scroll", "swipe")
"""Kinds that say nothing without a value."""


class Texts:
    """Empty instructions, and actions that lack their text."""

    def __init__(self) -> None:
        self.total = 0
        self.no_instruction, self.no_value = Tally(), Tally()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None:
            return
        self.total += 1
        if not step.instruction.strip():
            self.no_instruction.add(row, step.action_type)
        if step.action_type in NEEDS_VALUE and not (step.value or "").strip():
            self.no_value.add(row, step.action_type)

    def findings(self) -> list[Finding]:
        """How many are empty."""
        return [
            *self.no_instruction.finding(
                "empty_instruction", "error", "Instructions are empty: there is nothing to do.",
                self.total, "leave these steps out, or write the tasks",
            ),
            *self.no_value.finding(
                "empty_value", "warning",
                "Actions lack their value (text, option, key, app or direction).", self.total,
                "check which field of the source holds it",
            ),
        ]  # fmt: skip
