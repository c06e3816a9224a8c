"""Histories that do not fit the steps before."""

from __future__ import annotations

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Row


class Histories:
    """Looks at each step beside the one before it in its episode.

    Per episode, the last index and the length and hash of the last history are kept.
    """

    def __init__(self) -> None:
        self.total = 0
        self.length, self.changed = Tally(), Tally()
        self.order, self.repeated = Tally(), Tally()
        self._last: dict[tuple[str, str], tuple[int, int, int]] = {}
        self._names: set[int] = set()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None:
            return
        self.total += 1
        name = hash(step.step_id)
        if name in self._names:
            self.repeated.add(row, "this name again")
        self._names.add(name)
        if not 0 <= step.step_index < step.num_steps:
            self.order.add(row, f"step {step.step_index} of {step.num_steps}")
        if len(step.history) != step.step_index:
            self.length.add(row, f"{len(step.history)} actions before step {step.step_index}")
        key = (step.split, step.episode_id)
        if key in self._last:
            index, length, known = self._last[key]
            if step.step_index <= index:
                self.order.add(row, f"step {step.step_index} after step {index}")
            elif len(step.history) >= length and hash(step.history[:length]) != known:
                self.changed.add(row, f"differs from the history of step {index}")
        self._last[key] = (step.step_index, len(step.history), hash(step.history))

    def findings(self) -> list[Finding]:
        """What does not fit."""
        return [
            *self.repeated.finding(
                "step_id_repeated", "error", "Steps share a name.", self.total,
                "name steps <episode_id>/<step_index>",
            ),
            *self.order.finding(
                "step_order", "warning", "Steps of an episode are out of order or beyond its end.",
                self.total, "check how the source numbers its steps",
            ),
            *self.length.finding(
                "history_length", "warning",
                "The history is not one action for each step before.", self.total,
                "nothing, if the source drops or cuts histories; the planner sees less then",
            ),
            *self.changed.finding(
                "history_changed", "warning",
                "The history of a step does not continue that of the step before.", self.total,
                "check how the source builds histories",
            ),
        ]  # fmt: skip
