"""One self-contained page: results, curves, tasks, and screens with what was said of them.

The page loads nothing from anywhere (a content policy in it forbids that), follows the reader's
light or dark setting, and fits a phone.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coepg.evaluate.definitions import METRICS, MetricDefinition
from coepg.evaluate.results import ResultRow
from coepg.view.curves import curves_from_results
from coepg.view.data import Curve, ExampleCard, MemberMark, ReportData, StageTime, TaskRow
from coepg.view.images import png_data_uri
from coepg.view.pivot import format_value, main_arm, metric_label, pivot
from coepg.view.svg import NUM_COLOURS, line_chart

IMAGE_BUDGET_BYTES = 1_800_000
"""All pictures of a report together, before base64."""

SHOWN_WIDTH_PX = 320
"""Small screens are enlarged to about this width, by a whole number."""

MAX_SHOWN_WIDTH_PX = 640


def write_report(path: Path, data: ReportData) -> Path:
    """Write the page; an existing one is replaced only once the new one is whole.

    Args:
        path: of the ``.html`` file; its folder is made if needed.
        data: what to show.

    Returns:
        The path.

    Raises:
        DataError: an example's picture is not an image.
        OSError: the file cannot be written (disk full, no permission); nothing is left behind.
    """
    text = render_report(data)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(draft, 0o644)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    return path


def render_report(data: ReportData) -> str:
    """The page as text."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("coepg.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "value": lambda value, metric: format_value(metric, value, missing="–"),
        "percent": lambda value: "–" if math.isnan(value) else f"{100 * value:.0f}",
        "clock": format_duration,
        "is_nan": math.isnan,
    }
    environment.globals |= {"metric_label": metric_label, "shapes": SHAPES}
    members = dict.fromkeys(mark.name for card in data.examples for mark in card.members)
    colours = {name: i % NUM_COLOURS for i, name in enumerate(members)}
    template = environment.get_template("report.html")
    return template.render(
        data=data,
        headlines=_headlines(data.results),
        tables=pivot(data.results),
        all_rows=data.results,
        definitions=_definitions(data.results),
        charts=[_chart(curve, colours) for curve in _all_curves(data)],
        times=_times(data.stage_times),
        task_tables=_task_tables(data.tasks),
        cards=_cards(data.examples, colours),
        colours=colours,
        filters=_filters(data.examples),
    )


def format_duration(seconds: float) -> str:
    """A duration as people read it.

    Example:
        >>> format_duration(7.25), format_duration(192), format_duration(4000)
        ('7.2 s', '3 min 12 s', '1 h 06 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


@dataclass(frozen=True, slots=True)
class _Headline:
    """Step SR of the main arm after the last iteration on one split, and the gain."""

    split: str
    arm: str
    last: ResultRow
    first: ResultRow | None

    @property
    def gain(self) -> float:
        return self.last.value - self.first.value if self.first else math.nan


@dataclass(frozen=True, slots=True)
class _Overlay:
    """A member's mark on a picture, in pixels of the screenshot."""

    mark: MemberMark
    colour: int
    shape: str
    radius_px: float
    halo_px: float


@dataclass(frozen=True, slots=True)
class _Card:
    """A card with what is needed to draw it."""

    card: ExampleCard
    uri: str
    shown_width_px: int
    is_pixelated: bool
    stroke_px: float
    overlays: Sequence[_Overlay]


SHAPES = (
    "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
    "M-.8-.8H.8V.8H-.8Z",
    "M0-1.15 1.15 0 0 1.15-1.15 0Z",
    "M0-1.2 1.1.8H-1.1Z",
    "M0 1.2 1.1-.8H-1.1Z",
    "M-.4-1.1H.4V-.4H1.1V.4H.4V1.1H-.4V.4H-1.1V-.4H-.4Z",
    "M-.6-1H.6L1.15 0 .6 1H-.6L-1.15 0Z",
    "M0-1.2 1.15-.35.7 1H-.7L-1.15-.35Z",
)
"""Outlines of unit size around 0,0: members differ by shape as well as by colour."""


def _headlines(rows: Sequence[ResultRow]) -> list[_Headline]:
    arm = main_arm(rows)
    mine = [r for r in rows if (r.metric, r.arm) == ("step_sr", arm) and not math.isnan(r.value)]
    headlines = []
    for split in dict.fromkeys(r.split for r in mine):
        part = sorted((r for r in mine if r.split == split), key=lambda r: r.iteration)
        first = part[0] if part[0].iteration < part[-1].iteration else None
        headlines.append(_Headline(split, arm, part[-1], first))
    return headlines


def _definitions(rows: Iterable[ResultRow]) -> list[MetricDefinition]:
    names = {row.metric for row in rows}
    return [definition for name, definition in METRICS.items() if name in names]


def _all_curves(data: ReportData) -> tuple[Curve, ...]:
    return (*curves_from_results(data.results), *data.curves)


def _chart(curve: Curve, colours: dict[str, int]) -> dict[str, Any]:
    """A chart with its legend; members keep their colour of the examples."""
    series = [s for s in curve.series if s.points]
    known = all(s.name in colours for s in series)
    numbers = [colours[s.name] if known else i % NUM_COLOURS for i, s in enumerate(series)]
    return {
        "title": curve.title,
        "note": curve.note,
        "legend": [(s.name, n) for s, n in zip(series, numbers, strict=True)],
        "svg": line_chart(curve, numbers),
    }


def _times(times: Sequence[StageTime]) -> dict[str, Any]:
    """Stages as columns, iterations as rows, and each cell's share of the longest iteration."""
    stages = list(dict.fromkeys(t.stage for t in times))
    cells = {(t.iteration, t.stage): t.seconds for t in times}
    iterations = sorted({t.iteration for t in times})
    totals = {i: math.fsum(cells.get((i, s), 0.0) for s in stages) for i in iterations}
    longest = max(totals.values(), default=0.0) or 1.0
    return {
        "stages": [(s, i % NUM_COLOURS) for i, s in enumerate(stages)],
        "cells": cells,
        "totals": totals,
        "longest": longest,
    }


def _task_tables(rows: Sequence[TaskRow]) -> list[dict[str, Any]]:
    """Per split: a column per iteration and arm; worst in the last column first."""
    tables = []
    for split in dict.fromkeys(r.split for r in rows):
        part = [r for r in rows if r.split == split]
        columns = list(dict.fromkeys((r.iteration, r.arm) for r in part))
        cells = {(r.task_name, (r.iteration, r.arm)): r for r in part}
        names = sorted(
            {r.task_name for r in part},
            key=lambda name: (
                (cells[name, columns[-1]].step_sr, name)
                if (name, columns[-1]) in cells
                else (math.inf, name)
            ),
        )
        tables.append({"split": split, "columns": columns, "names": names, "cells": cells})
    return tables


def _cards(examples: Sequence[ExampleCard], colours: dict[str, int]) -> list[_Card]:
    max_bytes = IMAGE_BUDGET_BYTES // max(1, len(examples))
    uris = {card.png: "" for card in examples}  # the same screen may stand in several cards
    for card in examples:
        if card.png and not uris[card.png]:
            uris[card.png] = png_data_uri(card.png, max_bytes, f"step {card.step_id}")
    return [_card(card, colours, uris[card.png]) for card in examples]


def _card(card: ExampleCard, colours: dict[str, int], uri: str) -> _Card:
    scale = max(1, SHOWN_WIDTH_PX // card.width)
    shown_width_px = min(card.width * scale, MAX_SHOWN_WIDTH_PX)
    unit_px = card.width / shown_width_px  # screenshot pixels per shown pixel
    overlays = [
        _Overlay(
            mark=mark,
            colour=colours[mark.name],
            shape=SHAPES[colours[mark.name]],
            radius_px=unit_px * (7 if mark.weight is None else 3 + 9 * mark.weight),
            halo_px=unit_px,
        )
        for mark in card.members
    ]
    return _Card(
        card=card,
        uri=uri,
        shown_width_px=shown_width_px,
        is_pixelated=scale > 1,
        stroke_px=unit_px,
        overlays=sorted(overlays, key=lambda o: -o.radius_px),
    )


def _filters(examples: Sequence[ExampleCard]) -> dict[str, list[str]]:
    """What the examples can be filtered by."""
    return {
        "split": list(dict.fromkeys(c.split for c in examples)),
        "run": list(dict.fromkeys(f"iteration {c.iteration}, {c.arm}" for c in examples)),
        "task": sorted({c.task_name for c in examples}),
    }
