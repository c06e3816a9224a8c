"""Charts from the rows of metrics.jsonl and from results.

A row of metrics.jsonl is a mapping with ``stage`` (a word), ``iteration`` and ``step`` (numbers),
and any number of measured values. These are drawn where they occur:

======================================= ======================================================
key                                     chart
======================================= ======================================================
``loss``                                one per stage, a line per iteration
``reward_mean``                         one per stage, a line per iteration
``zero_variance_share``                 one per stage, a line per iteration
``member_accuracy/<name>``              one, a line per member, iterations one after the other
``member_weight/<name>``                one, a line per member, iterations one after the other
``stage_seconds``                       the time table (last row of a stage in an iteration)
======================================= ======================================================

``{"member_weight": {"ocr": 0.2}}`` is read like ``{"member_weight/ocr": 0.2}``. Values that are
missing, not numbers or not finite are skipped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from coepg.evaluate.definitions import METRICS
from coepg.evaluate.results import ResultRow
from coepg.view.data import Curve, Series, StageTime

MAX_POINTS = 150
"""Longer lines are drawn as means of neighbouring points."""

_PER_STAGE = (
    ("loss", "Loss", False),
    ("reward_mean", "Mean reward", True),
    ("zero_variance_share", "Groups without variance", True),
)
_PER_MEMBER = (
    ("member_accuracy", "Member accuracy", True),
    ("member_weight", "Member weight", True),
)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One number of one row."""

    stage: str
    iteration: int
    step: float
    key: str
    value: float


def curves_from_metrics(rows: Iterable[Mapping[str, object]]) -> tuple[Curve, ...]:
    """The training curves in rows of metrics.jsonl."""
    readings = [reading for row in rows for reading in _readings(row)]
    curves: list[Curve] = []
    for key, title, is_share in _PER_STAGE:
        found = [r for r in readings if r.key == key]
        for stage in dict.fromkeys(r.stage for r in found):
            part = [r for r in found if r.stage == stage]
            curves.append(_by_iteration(f"{title}, {stage}", part, is_share))
    for key, title, is_share in _PER_MEMBER:
        found = [r for r in readings if r.key.startswith(f"{key}/")]
        if found:
            curves.append(_by_member(title, found, is_share))
    return tuple(curves)


def stage_times_from_metrics(rows: Iterable[Mapping[str, object]]) -> tuple[StageTime, ...]:
    """How long each stage took, in order of appearance."""
    times: dict[tuple[int, str], float] = {}
    for row in rows:
        for reading in _readings(row):
            if reading.key == "stage_seconds":
                times[reading.iteration, reading.stage] = reading.value
    return tuple(StageTime(i, stage, seconds) for (i, stage), seconds in times.items())


def curves_from_results(
    rows: Sequence[ResultRow], metrics: Sequence[str] = ("step_sr",)
) -> tuple[Curve, ...]:
    """How a metric moves over the iterations: a chart per metric and split, a line per arm."""
    curves = []
    for metric in metrics:
        for split in dict.fromkeys(r.split for r in rows):
            part = [
                r
                for r in rows
                if (r.metric, r.split) == (metric, split) and not math.isnan(r.value)
            ]
            if len({r.iteration for r in part}) < 2:
                continue
            series = tuple(_result_series(arm, part) for arm in dict.fromkeys(r.arm for r in part))
            definition = METRICS.get(metric)
            curves.append(
                Curve(
                    title=f"{definition.label if definition else metric}, {split}",
                    series=series,
                    x_label="iteration",
                    is_share=bool(definition and definition.is_share),
                )
            )
    return tuple(curves)


def _result_series(arm: str, rows: Sequence[ResultRow]) -> Series:
    mine = sorted((r for r in rows if r.arm == arm), key=lambda r: r.iteration)
    has_bands = not any(math.isnan(r.low) or math.isnan(r.high) for r in mine)
    return Series(
        name=arm,
        points=tuple((float(r.iteration), r.value) for r in mine),
        bands=tuple((r.low, r.high) for r in mine) if has_bands else (),
    )


def _readings(row: Mapping[str, object]) -> list[_Reading]:
    """The finite numbers of a row, nested mappings flattened."""
    flat: dict[str, object] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            flat.update({f"{key}/{inner}": v for inner, v in value.items()})
        else:
            flat[key] = value
    stage, iteration = str(row.get("stage", "")), _finite(row.get("iteration"))
    step = _finite(row.get("step"))
    return [
        _Reading(stage, int(iteration or 0), step or 0.0, key, number)
        for key, value in flat.items()
        if key not in ("iteration", "step") and (number := _finite(value)) is not None
    ]


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def _by_iteration(title: str, readings: Sequence[_Reading], is_share: bool) -> Curve:
    iterations = sorted({r.iteration for r in readings})
    lines = [
        [(r.step, r.value) for r in readings if r.iteration == iteration]
        for iteration in iterations
    ]
    return Curve(
        title=title,
        series=tuple(
            Series(f"iteration {iteration}", thin(line))
            for iteration, line in zip(iterations, lines, strict=True)
        ),
        is_share=is_share,
        note=_thin_note(lines),
    )


def _by_member(title: str, readings: Sequence[_Reading], is_share: bool) -> Curve:
    """Iterations are laid end to end, since members are the same throughout."""
    offset, marks, shifts = 0.0, [], {}
    for iteration in sorted({r.iteration for r in readings}):
        shifts[iteration] = offset
        marks.append((offset, f"iteration {iteration}"))
        offset += max(r.step for r in readings if r.iteration == iteration) + 1
    names = list(dict.fromkeys(r.key.partition("/")[2] for r in readings))
    lines = [
        sorted(
            (shifts[r.iteration] + r.step, r.value)
            for r in readings
            if r.key.partition("/")[2] == name
        )
        for name in names
    ]
    return Curve(
        title=title,
        series=tuple(Series(n, thin(line)) for n, line in zip(names, lines, strict=True)),
        x_label="step, iterations end to end",
        is_share=is_share,
        marks=tuple(marks),
        note=_thin_note(lines),
    )


def thin(
    points: Sequence[tuple[float, float]], limit: int = MAX_POINTS
) -> tuple[tuple[float, float], ...]:
    """The points in order of x; if more than ``limit``, means of equal runs of neighbours."""
    ordered = sorted(points)
    if len(ordered) <= limit:
        return tuple(ordered)
    run = math.ceil(len(ordered) / limit)
    chunks = [ordered[i : i + run] for i in range(0, len(ordered), run)]
    return tuple(
        (math.fsum(x for x, _ in c) / len(c), math.fsum(y for _, y in c) / len(c)) for c in chunks
    )


def _thin_note(lines: Sequence[Sequence[tuple[float, float]]]) -> str:
    run = math.ceil(max(map(len, lines)) / MAX_POINTS)
    return f"each point is the mean of {run} steps" if run > 1 else ""
