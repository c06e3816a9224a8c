"""Progress of a run: bars with the time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

Report = Callable[[int, int], None]
"""Called with (done, total)."""

LINE_INTERVAL_S = 15.0
"""Without a terminal, at most one line in this many seconds."""


class RunConsole:
    """Says what the run does."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """One line."""
        self.console.print(text, markup=False, highlight=False)

    @contextmanager
    def stage(self, title: str) -> Iterator[Report]:
        """A stage at work; yields the function that reports its progress."""
        started = time.monotonic()
        if self.console.is_terminal:
            yield from self._bar(title)
        else:
            self.say(f"{title}: started")
            yield self._lines(title, started)
        self.say(f"{title}: done in {time.monotonic() - started:.0f} s")

    def _bar(self, title: str) -> Iterator[Report]:
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn(),
        )  # fmt: skip
        with Progress(*columns, console=self.console, transient=True) as bars:
            task = bars.add_task(title, total=None)
            yield lambda done, total: bars.update(task, completed=done, total=total)

    def _lines(self, title: str, started: float) -> Report:
        last = started

        def report(done: int, total: int) -> None:
            nonlocal last
            now = time.monotonic()
            if now - last < LINE_INTERVAL_S or done <= 0:
                return
            last = now
            left_s = (now - started) / done * (total - done)
            self.say(f"{title}: {done}/{total}, about {left_s:.0f} s left")
            sys.stdout.flush()

        return report
