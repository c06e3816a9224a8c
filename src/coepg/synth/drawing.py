"""Small SVG drawings: geometric shapes and icons."""

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

_STROKE = 'fill="none" stroke="{c}" stroke-width="1.8" stroke-linecap="round"'

ICONS = {
    "trash": '<path d="M3 4h10M6 4V2h4v2" {s}/><path d="M4 6h8l-.8 8.5H4.800z" fill="{c}"/>',
    "star": '<path d="M8 1l2.100 4.700 5 .5-3.800 3.400 1.100 5L8 12l-4.400 2.600 1.100-5L.9 6.200l5-.5z" '
    'fill="{c}"/>',
    "reply": '<path d="M7 2L1 7l6 5V9c4 0 6 1 8 4 0-5-3-8-8-8z" fill="{c}"/>',
    "forward": '<path d="M9 2l6 5-6 5V9c-4 0-6 1-8 4 0-5 3-8 8-8z" fill="{c}"/>',
    "heart": '<path d="M8 14.500L2 8.500C-1 5 3.500 0 8 4.500 12.500 0 17 5 14 8.500z" fill="{c}"/>',
    "search": '<circle cx="6.500" cy="6.500" r="4.500" {s}/><path d="M10 10l4.500 4.500" {s}/>',
    "gear": '<circle cx="8" cy="8" r="4" fill="none" stroke="{c}" stroke-width="3"/>'
    '<path d="M8 0v3M8 13v3M0 8h3M13 8h3M2.300 2.300l2 2M11.700 11.700l2 2M13.700 2.300l-2 2'
    'M4.300 11.700l-2 2" stroke="{c}" stroke-width="2.200"/>',
    "envelope": '<rect x="1" y="3" width="14" height="10" {s}/><path d="M1 4l7 5 7-5" {s}/>',
    "plus": '<path d="M8 2v12M2 8h12" stroke="{c}" stroke-width="3"/>',
    "minus": '<path d="M2 8h12" stroke="{c}" stroke-width="3"/>',
    "close": '<path d="M3 3l10 10M13 3L3 13" stroke="{c}" stroke-width="2.600"/>',
    "check": '<path d="M2 8.500l4 4.500 8-10" fill="none" stroke="{c}" stroke-width="2.800"/>',
    "home": '<path d="M8 1L1 8h2v7h4v-4h2v4h4V8h2z" fill="{c}"/>',
    "user": '<circle cx="8" cy="5" r="3.500" fill="{c}"/><path d="M1 15c0-8 14-8 14 0z" fill="{c}"/>',
    "lock": '<rect x="3" y="7" width="10" height="8" fill="{c}"/>'
    '<path d="M5 7V4.500a3 3 0 0 1 6 0V7" {s}/>',
    "bell": '<path d="M8 1c4 0 4.500 4 4.500 7L14 12H2l1.500-4C3.500 5 4 1 8 1z" fill="{c}"/>'
    '<circle cx="8" cy="13.500" r="1.800" fill="{c}"/>',
    "pencil": '<path d="M2 14l1-4 8-8 3 3-8 8z" fill="{c}"/>',
    "play": '<path d="M3 1l11 7-11 7z" fill="{c}"/>',
    "pause": '<path d="M3 2h4v12H3zM9 2h4v12H9z" fill="{c}"/>',
    "left arrow": '<path d="M14 8H4M8 3L3 8l5 5" fill="none" stroke="{c}" stroke-width="2.200"/>',
    "right arrow": '<path d="M2 8h10M8 3l5 5-5 5" fill="none" stroke="{c}" stroke-width="2.200"/>',
    "up arrow": '<path d="M8 14V4M3 8l5-5 5 5" fill="none" stroke="{c}" stroke-width="2.200"/>',
    "down arrow": '<path d="M8 2v10M3 8l5 5 5-5" fill="none" stroke="{c}" stroke-width="2.200"/>',
    "menu": '<path d="M1 3h14M1 8h14M1 13h14" stroke="{c}" stroke-width="2"/>',
    "dots": '<circle cx="3" cy="8" r="1.700" fill="{c}"/><circle cx="8" cy="8" r="1.700" fill="{c}"/>'
    '<circle cx="13" cy="8" r="1.700" fill="{c}"/>',
    "share": '<path d="M4 8l8-5M4 8l8 5" {s}/><circle cx="3.500" cy="8" r="2.200" fill="{c}"/>'
    '<circle cx="12.500" cy="3" r="2.200" fill="{c}"/><circle cx="12.500" cy="13" r="2.200" '
    'fill="{c}"/>',
    "calendar": '<rect x="1.500" y="3" width="13" height="11.500" {s}/>'
    '<path d="M1.500 3h13v3.500h-13z" fill="{c}"/><path d="M5 1v3M11 1v3" {s}/>',
    "cart": '<path d="M1 2h2.500l2 8h7l2-6H4.500" {s}/><circle cx="6.500" cy="13.500" r="1.500" '
    'fill="{c}"/><circle cx="11.500" cy="13.500" r="1.500" fill="{c}"/>',
    "flag": '<path d="M3 1v14" {s}/><path d="M4 2h10l-3 3.500L14 9H4z" fill="{c}"/>',
    "clock": '<circle cx="8" cy="8" r="6.500" {s}/><path d="M8 4v4l3 2" {s}/>',
    "folder": '<path d="M1 3h5l2 2h7v9H1z" fill="{c}"/>',
    "repost": '<path d="M4 12V5h7M12 4v7H5M2 7l2-2.500L6 7M10 9l2 2.500L14 9" {s}/>',
    "speech bubble": '<path d="M1 2h14v9H8l-4 4v-4H1z" fill="{c}"/>',
    "camera": '<path d="M1 5h3l2-2h4l2 2h3v9H1z" fill="{c}"/><circle cx="8" cy="9" r="3" '
    'fill="#fff"/>',
}


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


def icon_svg(icon: str, size_px: int, color: str) -> str:
    """One icon of ICONS as SVG source."""
    stroke = _STROKE.replace("{c}", color)
    body = ICONS[icon].replace("{s}", stroke).replace("{c}", color)
    return (
        f'<svg width="{size_px}" height="{size_px}" viewBox="0 0 16 16" '
        f'style="display:block">{body}</svg>'
    )
