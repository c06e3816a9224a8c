"""Where the time of a run went: one row a stage, from the rows of metrics.jsonl."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

_SPEEDS = ("tokens_per_s", "useful_tokens_per_s", "padding_share", "idle_share")
_TIMES = ("sample_s", "update_s")
STAGE_COLUMNS = ("iteration", "stage", "seconds", "share", "num_updates", *_SPEEDS, *_TIMES)
"""Columns of stages.csv: means over the updates for speeds, sums for times."""


def stage_rows(log: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Time, share of all time, and speed of each stage; speeds are empty where none was logged.

    Example:
        >>> rows = stage_rows([
        ...     {"iteration": 1, "stage": "grpo", "sample_s": 3.0, "tokens_per_s": 10.0},
        ...     {"iteration": 1, "stage": "grpo", "sample_s": 1.0, "tokens_per_s": 20.0},
        ...     {"iteration": 1, "stage": "grpo", "stage_seconds": 8.0},
        ... ])
        >>> rows[0]["sample_s"], rows[0]["tokens_per_s"], rows[0]["share"]
        (4.0, 15.0, 1.0)
    """
    updates: dict[tuple[int, str], list[Mapping[str, Any]]] = defaultdict(list)
    seconds: dict[tuple[int, str], float] = {}
    for row in log:
        key = row["iteration"], row["stage"]
        if "stage_seconds" in row:
            seconds[key] = row["stage_seconds"]
        else:
            updates[key].append(row)
    total_s = sum(seconds.values()) or 1.0
    rows = []
    for (iteration, stage), stage_s in seconds.items():
        found = updates[iteration, stage]
        row = {"iteration": iteration, "stage": stage, "seconds": stage_s,
               "share": stage_s / total_s, "num_updates": len(found) or ""}  # fmt: skip
        for name in (*_SPEEDS, *_TIMES):
            values = [r[name] for r in found if name in r]
            total = sum(values)
            row[name] = (total if name in _TIMES else total / len(values)) if values else ""
        rows.append(row)
    return rows


def stage_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows as text, the slowest stage first."""
    table = Table(title="Where the time went")
    for name in STAGE_COLUMNS:
        table.add_column(name.replace("_", " "), justify="left" if name == "stage" else "right")
    for row in sorted(rows, key=lambda r: -r["seconds"]):
        table.add_row(*(_cell(name, row[name]) for name in STAGE_COLUMNS))
    text = io.StringIO()
    Console(file=text, width=150).print(table)
    return text.getvalue()


def _cell(name: str, value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{100 * value:.1f} %" if name.endswith("share") else f"{value:,.1f}"
