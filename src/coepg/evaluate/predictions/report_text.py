"""A benchmark report as text for people and as JSON for programs."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from typing import Any

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score
from coepg.evaluate.definitions import MetricDefinition

WIDTH = 100
"""Width of printed definitions, in letters."""


def report_lines(report: BenchmarkReport) -> list[str]:
    """The report as lines: `table_lines`, then `definition_lines`."""
    return [*table_lines(report), *definition_lines(report)]


def table_lines(report: BenchmarkReport) -> list[str]:
    """Counts, a table and notes."""
    lines = [
        f"benchmark       {report.benchmark}",
        f"answers         {report.num_rows}",
        f"parse failures  {report.num_unparsed}",
        "",
    ]
    rows = [(_name(score), _value(score), _interval(score), f"{score.estimate.n}")
            for score in report.scores]  # fmt: skip
    head = ("metric", "value", "95 % interval", "n")
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(4)]
    for row in (head, *rows):
        cells = [cell.ljust(w) if i == 0 else cell.rjust(w)
                 for i, (cell, w) in enumerate(zip(row, widths, strict=True))]  # fmt: skip
        lines.append("  ".join(cells).rstrip())
    return lines + [f"note: {note}" for note in report.notes]


def definition_lines(report: BenchmarkReport) -> list[str]:
    """Every definition with its version."""
    lines: list[str] = []
    for definition in _definitions(report):
        lines += ["", f"{definition.name}, version {definition.version}"]
        lines += _wrapped(definition.text)
        lines += _wrapped(f"Source: {definition.source}") if definition.source else []
        lines += _wrapped(f"Differs: {definition.differs}") if definition.differs else []
    return lines


def report_record(report: BenchmarkReport, about: Mapping[str, Any]) -> dict[str, Any]:
    """The report as JSON values; a number that does not exist is null.

    Args:
        report: the scores.
        about: where the answers are from, such as file, format and seed.
    """
    return {
        **about,
        "benchmark": report.benchmark,
        "num_rows": report.num_rows,
        "num_unparsed": report.num_unparsed,
        "notes": list(report.notes),
        "scores": [
            {
                "metric": score.metric.name,
                "version": score.metric.version,
                "part": score.part,
                "value": _finite(score.estimate.value),
                "low": _finite(score.estimate.low),
                "high": _finite(score.estimate.high),
                "n": score.estimate.n,
            }
            for score in report.scores
        ],
        "definitions": [
            {
                "name": d.name, "version": d.version, "text": d.text, "source": d.source,
                "differs": d.differs,
            }
            for d in _definitions(report)
        ],
        "blocks": dict(report.blocks),
    }  # fmt: skip


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )


def _definitions(report: BenchmarkReport) -> list[MetricDefinition]:
    return list({score.metric.name: score.metric for score in report.scores}.values())


def _name(score: Score) -> str:
    return f"{score.metric.name} [{score.part}]" if score.part else score.metric.name


def _value(score: Score) -> str:
    return _share(score.estimate.value, score.metric.is_share)


def _interval(score: Score) -> str:
    low, high = (
        _share(v, score.metric.is_share) for v in (score.estimate.low, score.estimate.high)
    )
    return f"{low} to {high}"


def _share(value: float, is_share: bool) -> str:
    if math.isnan(value):
        return "-"
    return f"{100 * value:.2f} %" if is_share else f"{value:.3f}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
