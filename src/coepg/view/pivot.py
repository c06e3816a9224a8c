"""From rows of metrics.csv to tables: one per split, a line per iteration and arm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coepg.evaluate.definitions import METRICS
from coepg.evaluate.results import ResultRow

MAIN_METRICS = ("ele_acc", "op_f1", "step_sr", "plan_purity", "plan_diversity")
"""The columns of the results table, where there are numbers for them."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line: the results of one arm after one iteration. ``n`` counts steps."""

    iteration: int
    arm: str
    n: int
    cells: Mapping[str, ResultRow]


@dataclass(frozen=True, slots=True)
class SplitTable:
    """The lines of one split; ``best`` is the largest value of each metric."""

    split: str
    metrics: tuple[str, ...]
    lines: tuple[Line, ...]
    best: Mapping[str, float]


def as_rows(rows: Iterable[ResultRow | Mapping[str, object]]) -> list[ResultRow]:
    """Rows, from rows or from CSV or JSON records."""
    return [row if isinstance(row, ResultRow) else ResultRow.from_record(row) for row in rows]


def pivot(rows: Sequence[ResultRow]) -> list[SplitTable]:
    """One table per split in order of appearance; lines by iteration, then arms as they appear."""
    shown = [row for row in rows if row.metric in MAIN_METRICS]
    metrics = tuple(m for m in MAIN_METRICS if any(row.metric == m for row in shown))
    arms = list(dict.fromkeys(row.arm for row in shown))
    tables = []
    for split in dict.fromkeys(row.split for row in shown):
        cells: dict[tuple[int, int], dict[str, ResultRow]] = {}
        for row in shown:
            if row.split == split:
                cells.setdefault((row.iteration, arms.index(row.arm)), {})[row.metric] = row
        lines = tuple(
            Line(iteration, arms[arm], _num_steps(line), line)
            for (iteration, arm), line in sorted(cells.items())
        )
        tables.append(SplitTable(split, metrics, lines, _best(metrics, lines)))
    return tables


def format_value(metric: str, value: float, *, missing: str = "-") -> str:
    """A value as people read it: shares in per cent with one decimal, others with two."""
    if math.isnan(value):
        return missing
    return f"{100 * value:.1f}" if _is_share(metric) else f"{value:.2f}"


def metric_label(metric: str) -> str:
    """The short name of a metric, with its unit."""
    label = METRICS[metric].label if metric in METRICS else metric
    return f"{label} %" if _is_share(metric) else label


def main_arm(rows: Sequence[ResultRow]) -> str:
    """The arm with results for the most iterations; of several, the one that appears last."""
    iterations: dict[str, set[int]] = {}
    for row in rows:
        iterations.setdefault(row.arm, set()).add(row.iteration)
    return max(reversed(iterations), key=lambda arm: len(iterations[arm]), default="")


def _is_share(metric: str) -> bool:
    return METRICS[metric].is_share if metric in METRICS else False


def _num_steps(cells: Mapping[str, ResultRow]) -> int:
    """Steps evaluated; element accuracy counts only those with a target, purity counts plans."""
    for metric in ("step_sr", "op_f1", *MAIN_METRICS):
        if metric in cells:
            return cells[metric].n
    return 0


def _best(metrics: Sequence[str], lines: Sequence[Line]) -> dict[str, float]:
    best: dict[str, float] = {}
    for metric in metrics:
        values = [line.cells[metric].value for line in lines if metric in line.cells]
        best[metric] = max((v for v in values if not math.isnan(v)), default=math.nan)
    return best
