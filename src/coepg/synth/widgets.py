"""Single widgets: each function adds one node to a stage and returns it."""

from __future__ import annotations

from coepg.synth.drawing import COLORS, shape_svg
from coepg.synth.icons import icon_svg
from coepg.synth.stage import Node, Stage, esc

_RING = "outline:-webkit-focus-ring-color auto 1px;"


def _ring(node: Node) -> str:
    return _RING if node.focused else ""


def button(stage: Stage, name: str, style: str = "") -> Node:
    """Push button: native, input type=button or a drawn box."""
    theme = stage.theme
    look = f"font-size:{theme.button_font_px}px;{style}"
    if theme.button_look == "bordered":
        look += f"border:1px solid #aaa;border-radius:3px;background:{theme.bar};"
    elif theme.button_look == "filled":
        look += f"border:none;border-radius:3px;background:{theme.accent};color:#fff;"
    if theme.button_tag == "input":
        return stage.add(
            "button",
            name,
            lambda n: f'<input type="button" value="{esc(n.name)}" {n.mark} style="{look}">',
        )
    return stage.add(
        "button",
        name,
        lambda n: f'<button {n.mark} style="{look}">{esc(n.name)}</button>',
    )


def link(stage: Stage, name: str, role: str = "link") -> Node:
    """Underlined coloured text."""
    color = stage.rng.choice(("#0000ee", "#0000ee", "blue", stage.theme.accent))
    line = stage.rng.choice(("underline", "underline", "none"))
    return stage.add(
        role,
        name,
        lambda n: (
            f'<span {n.mark} style="color:{color};text-decoration:{line};cursor:pointer">'
            f"{esc(n.name)}</span>"
        ),
    )


def text(stage: Stage, name: str, role: str = "text", style: str = "") -> Node:
    """Plain readable text that does nothing."""
    return stage.add(
        role,
        name,
        lambda n: f'<span {n.mark} style="{style}">{esc(n.name)}</span>',
        clickable=False,
    )


def heading(stage: Stage, name: str) -> Node:
    """Bold, slightly larger line."""
    size = stage.theme.font_px + stage.rng.choice((0, 1, 2, 3))
    return text(stage, name, "heading", f"font-weight:bold;font-size:{size}px")


def field(
    stage: Stage,
    label: str,
    width_px: int,
    *,
    secret: bool = False,
    value: str = "",
    kind: str = "",
) -> Node:
    """One-line text or password field, without its label."""
    role = "password field" if secret else "text field"
    own_font = stage.rng.choice((f"font-size:{stage.theme.font_px}px;",) * 3 + ("",))
    look = own_font + f"width:{width_px}px;box-sizing:border-box;"
    if stage.rng.random() < 0.25:
        look += "border:1px solid #aaa;border-radius:2px;"
    hint = ""
    if not kind:
        kind = "password" if secret else "text"

    def paint(n: Node) -> str:
        return (
            f'<input type="{kind}" {n.mark} value="{esc(n.value)}" {hint} style="{look}{_ring(n)}">'
        )

    return stage.add(role, label, paint, value=value)


def area(stage: Stage, label: str, width_px: int, height_px: int, value: str = "") -> Node:
    """Text area of several lines."""
    font = stage.rng.choice((f"font:{stage.theme.font_px}px Arial;", ""))

    def paint(n: Node) -> str:
        return (
            f'<textarea {n.mark} style="{font}width:{width_px}px;height:{height_px}px;'
            f'box-sizing:border-box;{_ring(n)}">{esc(n.value)}</textarea>'
        )

    return stage.add("text area", label, paint, value=value)


def tick(
    stage: Stage, name: str, *, checked: bool = False, radio_group: str = "", side: str = "right"
) -> Node:
    """Checkbox or radio button with its label text; the box alone is the element."""
    kind = "radio" if radio_group else "checkbox"
    role = "radio button" if radio_group else "checkbox"
    margin = stage.rng.choice(("", "", "margin:1px 3px;", "vertical-align:middle;"))

    def paint(n: Node) -> str:
        state = "checked" if n.checked else ""
        mark = f'<input type="{kind}" {n.mark} {state} style="{margin}">'
        label = f'<span data-l="{n.key}">{esc(n.name)}</span>'
        inner = f"{mark} {label}" if side == "right" else f"{label} {mark}"
        return f'<label style="white-space:nowrap">{inner}</label>'

    return stage.add(role, name, paint, checked=checked, group=radio_group)


def drop_down(stage: Stage, label: str, options: list[str], width_px: int) -> Node:
    """Closed native select that shows the chosen option."""
    size = stage.rng.choice((f"font-size:{stage.theme.font_px}px;",) * 3 + ("",))

    def paint(n: Node) -> str:
        items = "".join(
            f"<option {'selected' if option == n.value else ''}>{esc(option)}</option>"
            for option in n.options
        )
        return f'<select {n.mark} style="{size}width:{width_px}px">{items}</select>'

    return stage.add(
        "drop-down",
        label,
        paint,
        value=stage.rng.choice(options[:1] * 3 + options),
        options=tuple(options),
    )


def list_box(stage: Stage, options: list[str], width_px: int, rows: int) -> tuple[str, list[Node]]:
    """Native multi-line select whose options can be clicked."""
    group = f"box{len(stage.nodes)}"

    def paint(n: Node) -> str:
        state = "selected" if n.checked else ""
        return f"<option {n.mark} {state}>{esc(n.name)}</option>"

    nodes = [stage.add("option", option, paint, group=group) for option in options]
    inner = "".join(node.slot for node in nodes)
    size = stage.theme.font_px
    html = f'<select size="{rows}" style="width:{width_px}px;font-size:{size}px">{inner}</select>'
    return html, nodes


def shape(stage: Stage, form: str, color: str, size_px: int, size: str, letter: str = "") -> Node:
    """Filled SVG shape."""
    return stage.add(
        "shape",
        letter,
        lambda n: shape_svg(n.shape, size_px, COLORS[n.color], n.mark, n.name),
        color=color,
        shape=form,
        size=size,
    )


def swatch(stage: Stage, color: str, width_px: int, height_px: int) -> Node:
    """Plain box filled with one colour."""
    edge = stage.rng.choice(("1px solid black", "1px solid #999", "none"))
    if color == "white":
        edge = "1px solid black"
    return stage.add(
        "swatch",
        "",
        lambda n: (
            f'<div {n.mark} style="width:{width_px}px;height:{height_px}px;border:{edge};'
            f'box-sizing:border-box;background:{COLORS[n.color]};display:inline-block"></div>'
        ),
        color=color,
    )


def icon(stage: Stage, name: str, size_px: int, color: str = "#444", style: str = "") -> Node:
    """Icon of our own drawing."""
    return stage.add(
        "icon",
        name,
        lambda n: (
            f'<span {n.mark} style="display:inline-block;padding:1px;cursor:pointer;{style}">'
            f"{icon_svg(n.name, size_px, color)}</span>"
        ),
    )


def item(stage: Stage, role: str, name: str, style: str, *, clickable: bool = True) -> Node:
    """Text block with its own style, such as a menu entry or a cell."""
    return stage.add(
        role,
        name,
        lambda n: f'<div {n.mark} style="{style}">{esc(n.name)}</div>',
        clickable=clickable,
    )


def labelled(stage: Stage, node: Node, way: str) -> str:
    """A field with its label text before, above or below it."""
    colon = stage.rng.choice((":", ":", ""))
    label = f'<span data-l="{node.key}">{esc(node.name)}{colon}</span>'
    if way == "above":
        return f"<div>{label}</div><div>{node.slot}</div>"
    if way == "table":
        return f"<tr><td>{label}</td><td>{node.slot}</td></tr>"
    return f'<div style="margin-bottom:2px">{label} {node.slot}</div>'
