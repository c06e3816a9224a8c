"""Line charts as inline SVG; colours come from the page's style sheet by class."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from coepg.view.data import Curve, Series

WIDTH, HEIGHT = 520, 230
LEFT, RIGHT, TOP, BOTTOM = 50, 12, 14, 38
NUM_COLOURS = 8
"""Classes ``c0`` to ``c7`` exist in the style sheet."""


def line_chart(curve: Curve, colours: Sequence[int] | None = None) -> Markup:
    """A chart as an ``<svg>`` element.

    Args:
        curve: what to draw.
        colours: class number per series; by default 0, 1, 2, ...
    """
    series = [s for s in curve.series if s.points]
    if not series:
        return Markup('<p class="small">no data</p>')
    numbers = list(colours) if colours is not None else list(range(len(series)))
    xs = [x for s in series for x, _ in s.points]
    ys = [y for s in series for _, y in s.points] + [v for s in series for b in s.bands for v in b]
    x_ticks = _ticks(min(xs), max(xs), 6, whole=True)
    y_ticks = [0.0, 0.25, 0.5, 0.75, 1.0] if curve.is_share else _ticks(min(ys), max(ys), 5)
    plot = _Plot(
        (min(xs), max(xs)),
        (min(0.0, *ys), max(1.0, *ys)) if curve.is_share else (y_ticks[0], y_ticks[-1]),
    )
    parts = [
        _axes(plot, x_ticks, y_ticks, curve),
        *(_line(plot, s, numbers[i] % NUM_COLOURS) for i, s in enumerate(series)),
    ]
    readout = {
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "x": plot.x_range,
        "share": curve.is_share,
        "label": curve.x_label,
        "series": [
            {"name": s.name, "points": [[_short(x), _short(y)] for x, y in s.points]}
            for s in series
        ],
    }
    return Markup(
        '<svg class="chart" viewBox="0 0 {w} {h}" role="img" aria-label="{title}" '
        'data-chart="{data}">{body}<line class="cursor" y1="{top}" y2="{bottom}" '
        'visibility="hidden"/></svg>'
    ).format(
        w=WIDTH,
        h=HEIGHT,
        title=curve.title,
        data=json.dumps(readout, separators=(",", ":")),
        body=Markup("").join(parts),
        top=TOP,
        bottom=HEIGHT - BOTTOM,
    )


class _Plot:
    """Data to drawing coordinates."""

    def __init__(self, x_range: tuple[float, float], y_range: tuple[float, float]) -> None:
        self.x_range = _widened(*x_range)
        self.y_range = _widened(*y_range)

    def x(self, value: float) -> float:
        low, high = self.x_range
        return LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM)


def _axes(plot: _Plot, x_ticks: Sequence[float], y_ticks: Sequence[float], curve: Curve) -> Markup:
    bottom = HEIGHT - BOTTOM
    parts = []
    for tick in y_ticks:
        y = plot.y(tick)
        text = f"{100 * tick:.0f}%" if curve.is_share else f"{tick:g}"
        parts.append(
            f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{text}</text>'
        )
    for tick in x_ticks:
        parts.append(
            f'<text x="{plot.x(tick):.1f}" y="{bottom + 15}" text-anchor="middle">{tick:g}</text>'
        )
    for x, label in curve.marks:
        left = plot.x(x)
        parts.append(
            f'<line class="mark" x1="{left:.1f}" x2="{left:.1f}" y1="{TOP}" y2="{bottom}"/>'
            f'<text x="{left + 3:.1f}" y="{TOP - 3}">{escape(label)}</text>'
        )
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 5}" text-anchor="middle">{escape(curve.x_label)}</text>'
    )
    return Markup("".join(parts))  # numbers, and labels that are escaped above


def _line(plot: _Plot, series: Series, colour: int) -> Markup:
    points = " ".join(f"{plot.x(x):.1f},{plot.y(y):.1f}" for x, y in series.points)
    parts = [f'<polyline points="{points}"/>']
    if len(series.points) <= 12:
        parts += [
            f'<circle cx="{plot.x(x):.1f}" cy="{plot.y(y):.1f}" r="3.5"/>' for x, y in series.points
        ]
    for (x, _), (low, high) in zip(series.points, series.bands, strict=False):
        at = plot.x(x)
        parts.append(
            f'<line class="whisker" x1="{at:.1f}" x2="{at:.1f}" '
            f'y1="{plot.y(low):.1f}" y2="{plot.y(high):.1f}"/>'
        )
    return Markup(f'<g class="line c{colour}">{"".join(parts)}</g>')  # numbers only


def _ticks(low: float, high: float, count: int, *, whole: bool = False) -> list[float]:
    """Round numbers from below ``low`` to above ``high`` (for ``whole``: integers within)."""
    low, high = _widened(low, high) if not whole or high > low else (low, high)
    if high == low:
        return [low]
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    size = next((m * power for m in (1, 2, 5) if m * power >= rough), 10 * power)
    if whole:
        size = max(1.0, size)
        first, last = math.ceil(low / size), math.floor(high / size)
    else:
        first, last = math.floor(low / size + 1e-9), math.ceil(high / size - 1e-9)
    return [round(i * size, 10) for i in range(first, last + 1)]


def _widened(low: float, high: float) -> tuple[float, float]:
    """A range that is never empty."""
    if high > low:
        return (low, high)
    half = abs(low) / 2 or 0.5
    return (low - half, high + half)


def _short(value: float) -> float:
    """Four significant digits are enough for a read-out."""
    return float(f"{value:.4g}")
