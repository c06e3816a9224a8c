"""Page family: shapes, colours, grids and free mixtures."""

from __future__ import annotations

from collections.abc import Callable

from coepg.synth import widgets as w
from coepg.synth.drawing import COLORS, FRIENDLY_COLORS, SHAPES
from coepg.synth.pages_forms import submit_button
from coepg.synth.pages_lists import scatter_slots
from coepg.synth.stage import Node, Stage, Step


def _plural(count_of: str) -> str:
    return count_of + ("es" if count_of.endswith(("s", "x")) else "s")


def _random_shapes(stage: Stage, count: int) -> list[Node]:
    """Shapes of few colours and forms, so that references need both."""
    rng = stage.rng
    forms = rng.sample(SHAPES, rng.randint(2, 4))
    colors = rng.sample(sorted(COLORS), rng.randint(2, 4))
    two_sizes = rng.random() < 0.5
    letters = rng.random() < 0.4
    nodes = []
    for _ in range(count):
        size = rng.choice(("small", "large")) if two_sizes else ""
        size_px = {"small": rng.randint(11, 15), "large": rng.randint(26, 34), "": 20}[size]
        letter = ""
        if letters and rng.random() < 0.7:
            letter = rng.choice("abcdefghijkmnpqrstuvwxyzABCDEFGHKLMNPRSTUVXYZ123456789")
        nodes.append(w.shape(stage, rng.choice(forms), rng.choice(colors), size_px, size, letter))
    return nodes


def shapes(stage: Stage) -> None:
    """Coloured shapes scattered over the area."""
    rng = stage.rng
    nodes = _random_shapes(stage, rng.randint(3, 12))
    stage.body = scatter_slots(stage, [node.slot for node in nodes], 38, 38)


def count_shapes(stage: Stage) -> None:
    """Shapes with a row of number buttons to answer how many there are."""
    rng = stage.rng
    nodes = _random_shapes(stage, rng.randint(3, 9))
    kind = rng.choice(("form", "color", "both"))
    sample = rng.choice(nodes)
    chosen = [
        node
        for node in nodes
        if (kind == "color" or node.shape == sample.shape)
        and (kind == "form" or node.color == sample.color)
    ]
    single = {
        "form": sample.shape,
        "color": f"{sample.color} item",
        "both": f"{sample.color} {sample.shape}",
    }[kind]
    drawn = scatter_slots(stage, [node.slot for node in nodes], 38, 38, 120)
    names = {"x": _plural(single), "x1": single}
    foot = "<div style='position:absolute;top:128px;left:4px'>"
    if rng.random() < 0.3:
        field, send = w.field(stage, "", 50), submit_button(stage)
        stage.body = f"{drawn}{foot}{field.slot} {send.slot}</div>"
        text = stage.phrases.say("count_type", qb=send.name, **names)
        stage.script("count", text, [Step(field, "type", str(len(chosen))), Step(send)])
        return
    first = max(0, len(chosen) - rng.randint(0, 3))
    answers = [w.button(stage, str(number)) for number in range(first, first + 4)]
    right = next(node for node in answers if node.name == str(len(chosen)))
    stage.body = f"{drawn}{foot}{' '.join(node.slot for node in answers)}</div>"
    stage.script("count", stage.phrases.say("count", **names), [Step(right)])


def plane(stage: Stage) -> None:
    """Dots at whole-number places of a plane with two axes."""
    rng = stage.rng
    reach = rng.choice((2, 3, 4))
    unit = 64 // reach
    lines = ""
    for value in range(-reach, reach + 1):
        at = 72 + value * unit
        ink = "#000" if value == 0 else "#ddd"
        lines += f'<path d="M{at} 4V140M4 {144 - at}H140" stroke="{ink}"/>'
        if value:
            lines += f'<text x="{at - 3}" y="82" font-size="8">{value}</text>'
            lines += f'<text x="75" y="{147 - at}" font-size="8">{value}</text>'
    places = [(x, y) for x in range(-reach, reach + 1) for y in range(-reach, reach + 1)]
    dots = {}

    def painter(x: int, y: int) -> Callable[[Node], str]:
        spot = f'cx="{72 + x * unit}" cy="{72 - y * unit}"'
        return lambda n: f'<circle {n.mark} {spot} r="4" fill="{COLORS[n.color]}"/>'

    color = rng.choice(("blue", "black", "red", "green"))
    for x, y in rng.sample(places, rng.randint(4, 12)):
        dots[x, y] = stage.add("point", f"({x}, {y})", painter(x, y), color=color)
    inner = "".join(dot.slot for dot in dots.values())
    stage.body = f'<svg width="146" height="146">{lines}{inner}</svg>'
    for x, y in rng.sample(sorted(dots), 2):
        text = stage.phrases.say("plane", x=str(x), y=str(y))
        stage.script("plane", text, [Step(dots[x, y])])


def identify(stage: Stage) -> None:
    """One drawing or colour and buttons that name the choices."""
    rng = stage.rng
    if rng.random() < 0.5:
        form, color = rng.choice(SHAPES), rng.choice(sorted(COLORS))
        node = w.shape(stage, form, color, rng.randint(24, 44), "")
        names, truth, kind = rng.sample(SHAPES, 4), form, "identify"
    else:
        color = rng.choice(FRIENDLY_COLORS)
        node = w.swatch(stage, color, rng.randint(24, 60), rng.randint(24, 44))
        names, truth, kind = rng.sample(FRIENDLY_COLORS, 4), color, "match_color"
    names = list(dict.fromkeys([truth, *names]))[:4]
    rng.shuffle(names)
    answers = [w.button(stage, name) for name in names]
    joint = rng.choice((" ", "<br>"))
    stage.body = (
        f"<div style='margin:4px {rng.randint(0, 60)}px 10px'>{node.slot}</div>"
        + joint.join(answer.slot for answer in answers)
    )
    right = next(answer for answer in answers if answer.name == truth)
    stage.script(kind, stage.phrases.say(kind), [Step(right)])


def palette(stage: Stage) -> None:
    """Swatches in a grid or scattered, with or without names."""
    rng = stage.rng
    colors = rng.sample(sorted(COLORS), rng.randint(3, 9))
    width, height = rng.randint(16, 40), rng.randint(14, 32)
    nodes = [w.swatch(stage, color, width, height) for color in colors]
    slots = [node.slot for node in nodes]
    tail = f"<div style='margin-top:6px'>{submit_button(stage).slot}</div>"
    if rng.random() < 0.4:
        stage.body = scatter_slots(stage, slots, 48, 36)
        stage.nodes.pop()
    else:
        stage.body = " ".join(slots) + tail
    node = rng.choice(nodes)
    stage.script("swatch", stage.phrases.say("swatch", x=node.color), [Step(node)])


def cells(stage: Stage) -> None:
    """Square board; a cell is told by row and column or by its text."""
    rng, words = stage.rng, stage.words
    rows, columns = rng.randint(2, 5), rng.randint(2, 5)
    side = min(28, 140 // max(rows, columns))
    filled = rng.choice((0.0, 0.3, 1.0))
    grid, nodes = "", {}
    for row in range(rows):
        grid += "<tr>"
        for column in range(columns):
            shown = words.code()[:2] if rng.random() < filled else ""
            style = f"width:{side}px;height:{side - 4}px;text-align:center;padding-top:4px"
            nodes[row, column] = w.item(stage, "cell", shown, style)
            grid += f"<td style='padding:0'>{nodes[row, column].slot}</td>"
        grid += "</tr>"
    color = rng.choice(("#000", "#888", "#ccc"))
    stage.body = (
        f"<table border=1 bordercolor='{color}' style='border-collapse:collapse'>{grid}</table>"
    )
    row, column = rng.randrange(rows), rng.randrange(columns)
    text = stage.phrases.say("coordinate", r=str(row + 1), c=str(column + 1))
    stage.script("coordinate", text, [Step(nodes[row, column])])


def mixture(stage: Stage) -> None:
    """Any widgets together: flow, two columns or scattered."""
    rng, words = stage.rng, stage.words
    makers: list[Callable[[], str]] = [
        lambda: w.button(stage, words.word()).slot,
        lambda: w.button(stage, words.word()).slot,
        lambda: w.link(stage, words.word()).slot,
        lambda: w.text(stage, words.phrase(2)).slot,
        lambda: w.tick(stage, words.word(), checked=rng.random() < 0.3).slot,
        lambda: w.tick(stage, words.word(), radio_group=f"mix{len(stage.nodes) // 4}").slot,
        lambda: w.labelled(
            stage, w.field(stage, rng.choice(("Name", "Code", "City")), 60), "above"
        ),
        lambda: w.field(stage, "", 60, value=words.word() if rng.random() < 0.5 else "").slot,
        lambda: w.drop_down(stage, "", words.distinct(4), 62).slot,
        lambda: w.icon(stage, rng.choice(("trash", "star", "gear", "home", "bell")), 14).slot,
        lambda: w.shape(stage, rng.choice(SHAPES), rng.choice(FRIENDLY_COLORS), 18, "").slot,
        lambda: w.swatch(stage, rng.choice(FRIENDLY_COLORS), 20, 16).slot,
        lambda: w.heading(stage, words.word()).slot,
    ]
    slots = [rng.choice(makers)() for _ in range(rng.randint(4, 11))]
    pick = rng.random()
    if pick < 0.4:
        stage.body = scatter_slots(stage, slots, 78, 30)
    elif pick < 0.7:
        half = len(slots) // 2
        columns = (
            "".join(f"<div style='margin-bottom:3px'>{s}</div>" for s in part)
            for part in (slots[:half], slots[half:])
        )
        stage.body = "".join(
            f"<div style='float:left;width:76px;overflow:hidden'>{column}</div>"
            for column in columns
        )
    else:
        stage.body = " ".join(slots)


PAGES: tuple[tuple[float, str, Callable[[Stage], None]], ...] = (
    (4.5, "shapes", shapes),
    (1.8, "count_shapes", count_shapes),
    (1.5, "identify", identify),
    (1.5, "plane", plane),
    (2.0, "palette", palette),
    (1.5, "cells", cells),
    (5.0, "mixture", mixture),
)
