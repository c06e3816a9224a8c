"""Geometric shapes as SVG, and the colours that have names."""

from __future__ import annotations

import math

COLORS = {
    "red": "#ff0000",
    "blue": "#0000ff",
    "green": "#008000",
    "lime": "#00ff00",
    "yellow": "#ffff00",
    "orange": "#ffa500",
    "purple": "#800080",
    "magenta": "#ff00ff",
    "cyan": "#00ffff",
    "pink": "#ffc0cb",
    "brown": "#a0522d",
    "black": "#000000",
    "gray": "#808080",
    "white": "#ffffff",
    "olive": "#808000",
    "teal": "#008080",
    "navy": "#000080",
}

FRIENDLY_COLORS = ("red", "blue", "green", "yellow", "orange", "purple", "black", "pink", "brown")
"""Colours that everybody tells apart and names alike."""

DARK_COLORS = frozenset(
    {"red", "blue", "green", "purple", "brown", "black", "teal", "navy", "gray", "olive"}
)

SHAPES = (
    "circle",
    "square",
    "rectangle",
    "triangle",
    "ellipse",
    "star",
    "pentagon",
    "hexagon",
    "diamond",
    "cross",
)


def _polygon_points(corners: int, radius: float, center: float, inner: float = 0.0) -> str:
    """Corner list of a regular polygon, or of a star if inner is positive."""
    count = corners * 2 if inner else corners
    points = []
    for index in range(count):
        reach = inner if inner and index % 2 else radius
        angle = -math.pi / 2 + 2 * math.pi * index / count
        x_px, y_px = center + reach * math.cos(angle), center + reach * math.sin(angle)
        points.append(f"{x_px:.1f},{y_px:.1f}")
    return " ".join(points)


def shape_svg(shape: str, size_px: int, fill: str, attributes: str, text: str = "") -> str:
    """One shape inside its own SVG tag; the attributes go on the drawn form.

    Args:
        shape: One of SHAPES.
        size_px: Side of the square that holds the shape.
        fill: CSS colour.
        attributes: HTML attributes to put on the form, such as a marker.
        text: Letter or digit to write on the shape.

    Returns:
        SVG source with the given size.
    """
    half, edge = size_px / 2, size_px - 1
    paint = f'fill="{fill}" stroke="black" stroke-width="1" {attributes}'
    if fill == "#000000":
        paint = f'fill="{fill}" {attributes}'
    forms = {
        "circle": f'<circle cx="{half}" cy="{half}" r="{half - 1}" {paint}/>',
        "square": f'<rect x="1" y="1" width="{edge - 1}" height="{edge - 1}" {paint}/>',
        "rectangle": f'<rect x="1" y="{size_px * 0.25:.1f}" width="{edge - 1}" '
        f'height="{size_px * 0.5:.1f}" {paint}/>',
        "ellipse": f'<ellipse cx="{half}" cy="{half}" rx="{half - 1}" ry="{half * 0.55:.1f}" '
        f"{paint}/>",
        "triangle": f'<polygon points="{half},1 {edge},{edge} 1,{edge}" {paint}/>',
        "diamond": f'<polygon points="{half},1 {edge},{half} {half},{edge} 1,{half}" {paint}/>',
    }
    if shape in forms:
        form = forms[shape]
    elif shape == "cross":
        a, b = size_px * 0.35, size_px * 0.65
        points = f"{a},1 {b},1 {b},{a} {edge},{a} {edge},{b} {b},{b} {b},{edge} {a},{edge} "
        form = f'<polygon points="{points}{a},{b} 1,{b} 1,{a} {a},{a}" {paint}/>'
    else:
        corners = {"star": 5, "pentagon": 5, "hexagon": 6}[shape]
        inner = (half - 1) * 0.42 if shape == "star" else 0.0
        form = f'<polygon points="{_polygon_points(corners, half - 1, half, inner)}" {paint}/>'
    label = ""
    if text:
        ink = "white" if fill in {COLORS[name] for name in DARK_COLORS} else "black"
        label = (
            f'<text x="{half}" y="{half + size_px * 0.16 + 2:.1f}" text-anchor="middle" '
            f'font-size="{max(9, int(size_px * 0.5))}" fill="{ink}" '
            f'style="pointer-events:none">{text}</text>'
        )
    return f'<svg width="{size_px}" height="{size_px}" style="display:block">{form}{label}</svg>'
