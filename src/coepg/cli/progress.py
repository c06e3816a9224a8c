"""A progress bar with time left on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LINE_EVERY_S = 10.0


@contextmanager
def counted(label: str) -> Iterator[Callable[[int, int], None]]:
    """A callback ``(done, total)`` that shows how far a job is, on stderr.

    Example:
        >>> with counted("screens") as show:
        ...     show(1, 2)
        ...     show(2, 2)
    """
    if not sys.stderr.isatty():
        yield _plain(label)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeLeft())
    with Progress(*columns, console=Console(stderr=True)) as bars:
        bar = bars.add_task(label, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


def _plain(label: str) -> Callable[[int, int], None]:
    started = last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last < LINE_EVERY_S:
            return
        last = now
        left_s = (now - started) / done * (total - done) if done else float("nan")
        print(f"{label}: {done}/{total}, {left_s:.0f} s left", file=sys.stderr, flush=True)

    return show
