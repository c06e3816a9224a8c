"""The results table for the terminal."""

from __future__ import annotations

import io
import math
import shutil
import sys
from collections.abc import Iterable, Mapping

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from coepg.evaluate.results import ResultRow
from coepg.view.pivot import SplitTable, as_rows, format_value, metric_label, pivot

PLAIN_WIDTH = 120
"""Columns to use where there is no terminal to measure."""


def results_table(
    rows: Iterable[ResultRow | Mapping[str, object]], *, is_terminal: bool | None = None
) -> str:
    """The results as text, one table per split, the best value of each column marked.

    A value stands with half the width of its 95 % interval: ``81.2 ±2.1``.

    Args:
        rows: `ResultRow`, or records as read from metrics.csv.
        is_terminal: colours and frames if true, plain text if false; by default whether the
            standard output is a terminal.
    """
    tables = pivot(as_rows(rows))
    if not tables:
        return "no results\n"
    has_terminal = sys.stdout.isatty() if is_terminal is None else is_terminal
    width = shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns if has_terminal else PLAIN_WIDTH
    file = io.StringIO()
    console = Console(
        file=file,
        force_terminal=has_terminal,
        no_color=not has_terminal,
        width=width,
        highlight=False,
        legacy_windows=False,
    )
    _print_tables(console, tables, has_terminal)
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _print_tables(console: Console, tables: list[SplitTable], has_terminal: bool) -> None:
    for table in tables:
        grid = Table(
            title=Text(f"split {table.split}", style="bold"),
            title_justify="left",
            box=box.SIMPLE_HEAD if has_terminal else box.ASCII2,
            pad_edge=False,
        )
        grid.add_column("iter", justify="right")
        grid.add_column("arm", no_wrap=True)
        for metric in table.metrics:
            grid.add_column(metric_label(metric), justify="right", no_wrap=True)
        grid.add_column("n", justify="right")
        previous = table.lines[0].iteration
        for line in table.lines:
            if line.iteration != previous:
                grid.add_section()
                previous = line.iteration
            cells = [_cell(metric, line.cells.get(metric), table) for metric in table.metrics]
            grid.add_row(str(line.iteration), Text(line.arm), *cells, str(line.n))
        console.print(grid)
        console.print()
    console.print(
        Text("± is half of the 95 % interval (bootstrap by episode); * marks the best of a column")
    )


def _cell(metric: str, row: ResultRow | None, table: SplitTable) -> Text:
    if row is None or math.isnan(row.value):
        return Text("-")
    is_best = row.value == table.best[metric] and len(table.lines) > 1
    text = ("*" if is_best else "") + format_value(metric, row.value)
    if not (math.isnan(row.low) or math.isnan(row.high)):
        text += f" ±{format_value(metric, (row.high - row.low) / 2)}"
    return Text(text, style="bold green" if is_best else "")
