"""Page family: tabs, collapsible sections, menus, trees, dialogs, tool bars."""

from __future__ import annotations

from collections.abc import Callable

from coepg.synth import widgets as w
from coepg.synth.icons import ICONS
from coepg.synth.pages_lists import scatter_slots
from coepg.synth.stage import Node, Stage, Step


def _panel(stage: Stage) -> tuple[str, list[Node]]:
    """Text with links, or some boxes; returns the HTML and what can be clicked."""
    rng, words = stage.rng, stage.words
    if rng.random() < 0.75:
        parts: list[str] = []
        links = [w.link(stage, name) for name in words.distinct(rng.randint(1, 4))]
        for node in links:
            parts += [words.lower_word() for _ in range(rng.randint(1, 5))] + [node.slot]
        return " ".join([*parts, words.lower_word()]), links
    boxes = [w.button(stage, name[:10]) for name in words.distinct(rng.randint(1, 3))]
    return " ".join(node.slot for node in boxes), boxes


def tabs(stage: Stage) -> None:
    """Strip of tabs with one panel showing."""
    rng, words = stage.rng, stage.words
    count = rng.randint(2, 4)
    if rng.random() < 0.3:
        names = [f"{rng.choice(('Tab', 'Part', 'Page'))} {n}" for n in range(1, count + 1)]
        names = [names[0].split()[0] + f" {n}" for n in range(1, count + 1)]
    else:
        names = [name[:8] for name in words.distinct(count)]
    radius, accent, bar = rng.choice((0, 3, 3, 5)), stage.theme.accent, stage.theme.bar
    filled = rng.random() < 0.5
    pad = f"{rng.randint(2, 5)}px {rng.randint(4, 8)}px"

    def paint(n: Node) -> str:
        on = f"background:{accent};color:#fff;" if filled else "background:#fff;font-weight:bold;"
        look = on if n.checked else f"background:{bar};color:#454545;"
        return (
            f'<div {n.mark} style="display:inline-block;border:1px solid #c5c5c5;border-bottom:0;'
            f"border-radius:{radius}px {radius}px 0 0;padding:{pad};margin-right:2px;"
            f'cursor:pointer;{look}">{n.name}</div>'
        )

    heads = [stage.add("tab", name, paint, group="tabs") for name in names]
    heads[rng.choice((0, 0, rng.randrange(count)))].checked = True
    panels = [_panel(stage) for _ in heads]

    def paint_panel(_: Node) -> str:
        active = next(index for index, head in enumerate(heads) if head.checked)
        return panels[active][0]

    panel = stage.add("", "", paint_panel, clickable=False)
    strip = "".join(head.slot for head in heads)
    stage.body = (
        f"<div style='border:1px solid #c5c5c5;border-radius:{radius}px;padding:2px'>"
        f"<div style='background:{bar};padding:2px 2px 0;border-radius:{radius}px;"
        f"white-space:nowrap'>{strip}</div><div style='padding:5px'>{panel.slot}</div></div>"
    )
    closed = [index for index, head in enumerate(heads) if not head.checked]
    index = rng.choice(closed)
    target = rng.choice(panels[index][1])
    if rng.random() < 0.7:
        text = stage.phrases.say("tab_target", qx=heads[index].name, qy=target.name)
        stage.script("tab_target", text, [Step(heads[index]), Step(target)])
    else:
        place = rng.choice(("tabs", "different tabs"))
        text = stage.phrases.say("hunt", place=place, qy=target.name)
        path = [Step(heads[i]) for i in closed[: closed.index(index) + 1]]
        stage.script("hunt", text, [*path, Step(target)])
    other = rng.choice(closed)
    text = stage.phrases.say("open_tab", qx=heads[other].name)
    stage.script("open_tab", text, [Step(heads[other])])


def sections(stage: Stage) -> None:
    """Collapsible headers, at most one of them open."""
    rng, words = stage.rng, stage.words
    count = rng.randint(1, 5)
    names = words.distinct(count, 2)
    accent, bar = stage.theme.accent, stage.theme.bar
    sign = rng.choice((("\u25b8", "\u25be"), ("+", "-"), ("\u25b6", "\u25bc")))
    pad = rng.randint(2, 5)
    filled = rng.random() < 0.4

    def paint(n: Node) -> str:
        look = f"background:{accent};color:#fff;" if n.checked and filled else f"background:{bar};"
        return (
            f'<div {n.mark} style="border:1px solid #c5c5c5;border-radius:3px;padding:{pad}px;'
            f'margin-top:2px;cursor:pointer;{look}">{sign[1] if n.checked else sign[0]} '
            f"{n.name}</div>"
        )

    heads = [stage.add("section header", name, paint) for name in names]
    panels = [_panel(stage) for _ in heads]
    if count > 1 and rng.random() < 0.4:
        heads[0].checked = True

    def paint_all(_: Node) -> str:
        parts = []
        for head, panel in zip(heads, panels, strict=True):
            parts.append(head.slot)
            if head.checked:
                parts.append(f"<div style='border:1px solid #ddd;padding:4px'>{panel[0]}</div>")
        return "".join(parts)

    holder = stage.add("", "", paint_all, clickable=False)
    stage.body = holder.slot

    def opener(head: Node) -> Callable[[], None]:
        def change() -> None:
            for other in heads:
                other.checked = other is head

        return change

    closed = [index for index, head in enumerate(heads) if not head.checked]
    index = rng.choice(closed)
    target = rng.choice(panels[index][1])
    first = Step(heads[index], effect=opener(heads[index]))
    if rng.random() < 0.7:
        text = stage.phrases.say("section_target", qx=heads[index].name, qy=target.name)
        stage.script("section_target", text, [first, Step(target)])
    else:
        text = stage.phrases.say("hunt", place=rng.choice(("sections", "folds")), qy=target.name)
        path = [Step(heads[i], effect=opener(heads[i])) for i in closed[: closed.index(index) + 1]]
        stage.script("hunt", text, [*path, Step(target)])
    other = rng.choice(closed)
    text = stage.phrases.say("open_section", qx=heads[other].name)
    stage.script("open_section", text, [Step(heads[other], effect=opener(heads[other]))])


def menu(stage: Stage) -> None:
    """Vertical menu; one entry can open a submenu beside it."""
    rng, words = stage.rng, stage.words
    names = [name[:11] for name in words.distinct(rng.randint(3, 6))]
    width = rng.randint(55, 75)
    accent = stage.theme.accent

    def painter(arrow: bool) -> Callable[[Node], str]:
        def paint(n: Node) -> str:
            look = f"background:{accent};color:#fff;" if n.checked else "background:#fff;"
            tip = "<span style='float:right'>\u25b8</span>" if arrow else ""
            return (
                f'<div {n.mark} style="padding:3px 4px;cursor:pointer;{look}">{tip}{n.name}</div>'
            )

        return paint

    parents = rng.sample(range(len(names)), rng.randint(1, 2))
    entries = [
        stage.add("menu item", name, painter(index in parents), group="menu")
        for index, name in enumerate(names)
    ]
    subs = {
        index: [
            stage.add("menu item", name[:11], painter(False), group="sub")
            for name in words.distinct(rng.randint(2, 4))
        ]
        for index in parents
    }
    box = "border:1px solid #c5c5c5;border-radius:2px;background:#fff;position:absolute;"

    def paint_all(_: Node) -> str:
        inner = "".join(entry.slot for entry in entries)
        html = f'<div style="{box}left:3px;top:3px;width:{width}px">{inner}</div>'
        for index in parents:
            if entries[index].checked:
                rows = "".join(node.slot for node in subs[index])
                top = 3 + index * (stage.theme.font_px + 8)
                html += (
                    f'<div style="{box}left:{width + 6}px;top:{top}px;width:{width}px">{rows}</div>'
                )
        return html

    stage.body = stage.add("", "", paint_all, clickable=False).slot
    parent = rng.choice(parents)
    child = rng.choice(subs[parent])
    a, b = entries[parent].name, child.name
    text = stage.phrases.say("menu_path", x=a, y=b, qx=a, qy=b)
    stage.script("menu_path", text, [Step(entries[parent]), Step(child)])
    entry = rng.choice(entries)
    stage.script("menu", stage.phrases.say("menu", qx=entry.name), [Step(entry)])


def tree(stage: Stage) -> None:
    """Folders that unfold to files."""
    rng, words = stage.rng, stage.words
    names = words.distinct(rng.randint(2, 4))
    folders, files = [], {}

    def paint_folder(n: Node) -> str:
        sign = "\u25be" if n.checked else "\u25b8"
        return f'<span {n.mark} style="cursor:pointer">{sign} {n.name}</span>'

    for index, name in enumerate(names):
        folders.append(stage.add("folder", name, paint_folder))
        files[index] = [
            w.text(stage, name, "list item", "cursor:pointer")
            for name in words.distinct(rng.randint(1, 4))
        ]
        for node in files[index]:
            node.clickable = True
    if rng.random() < 0.3:
        folders[0].checked = True

    def paint_all(_: Node) -> str:
        html = ""
        for index, folder in enumerate(folders):
            html += f"<div>{folder.slot}</div>"
            if folder.checked:
                html += "".join(
                    f"<div style='padding-left:18px'>{node.slot}</div>" for node in files[index]
                )
        return html

    stage.body = stage.add("", "", paint_all, clickable=False).slot

    def unfold(folder: Node) -> Callable[[], None]:
        def change() -> None:
            folder.checked = True

        return change

    closed = [index for index, folder in enumerate(folders) if not folder.checked]
    index = rng.choice(closed)
    target = rng.choice(files[index])
    path = [Step(folders[i], effect=unfold(folders[i])) for i in closed[: closed.index(index) + 1]]
    text = stage.phrases.say("tree", qy=target.name)
    stage.script("tree", text, [*path, Step(target)])


def dialog(stage: Stage) -> None:
    """Box with title bar, close x, message and buttons, over a quiet page."""
    rng, words = stage.rng, stage.words
    title = w.text(stage, words.phrase(2)[:16], "heading", "font-weight:bold")
    size = rng.randint(9, 13)
    shut = w.icon(stage, "close", size, rng.choice(("#444", "#000", "#888")))
    message = w.text(stage, words.sentence(rng.randint(4, 12)))
    yes_no = rng.choice((("OK", "Cancel"), ("Yes", "No"), ("Accept", "Decline"), ("Keep", "Drop")))
    left, right = w.button(stage, yes_no[0]), w.button(stage, yes_no[1])
    row = [left.slot, right.slot]
    if rng.random() < 0.3:
        row.reverse()
    top, side = rng.randint(5, 45), rng.randint(3, 25)
    width = rng.randint(105, 150 - side)
    bar = rng.choice((stage.theme.bar, stage.theme.accent))
    ink = "#fff" if bar == stage.theme.accent else "#222"
    behind = w.text(stage, words.sentence(6), style="color:#777").slot
    field = ""
    if rng.random() < 0.2:
        field = "<br>" + w.field(stage, "", 80).slot
    stage.body = (
        f"{behind}<div style='position:absolute;left:{side}px;top:{top}px;width:{width}px;"
        f"border:1px solid #999;border-radius:3px;background:#fff;padding:2px;"
        f"box-shadow:1px 1px 3px #bbb'><div style='background:{bar};color:{ink};padding:2px 4px'>"
        f"<span style='float:right;background:#fff'>{shut.slot}</span>{title.slot}</div>"
        f"<div style='padding:5px 4px'>{message.slot}{field}</div>"
        f"<div style='text-align:right;border-top:1px solid #ddd;padding-top:3px'>"
        f"{' '.join(row)}</div></div>"
    )
    text = stage.phrases.say("dialog_ok", qx=left.name)
    stage.script("dialog", text, [Step(left)])
    stage.script("dialog", stage.phrases.say("dialog_cancel", qx=right.name), [Step(right)])
    stage.script("dialog", stage.phrases.say("dialog_close"), [Step(shut)])


def tool_bar(stage: Stage) -> None:
    """Icons in a row, a grid or scattered, some with a caption."""
    rng, words = stage.rng, stage.words
    names = rng.sample(sorted(ICONS), rng.randint(4, 10))
    color = rng.choice(("#444", "#000", stage.theme.accent, "#888"))
    size = rng.randint(10, 22)
    look = rng.choice(("", "", "border:1px solid #ccc;border-radius:2px;", "background:#eee;"))
    nodes = [w.icon(stage, name, size, color, look) for name in names]
    slots = [node.slot for node in nodes]
    if rng.random() < 0.3:
        slots = [f"{slot} {w.text(stage, words.word()).slot}" for slot in slots[:6]]
    if rng.random() < 0.5:
        stage.body = scatter_slots(stage, slots, 50 if len(slots) > 6 else 70, 28)
    else:
        stage.body = rng.choice((" ", " &nbsp; ")).join(slots)


PAGES: tuple[tuple[float, str, Callable[[Stage], None]], ...] = (
    (4.0, "tabs", tabs),
    (3.0, "sections", sections),
    (2.5, "menu", menu),
    (1.8, "tree", tree),
    (2.5, "dialog", dialog),
    (2.5, "tool_bar", tool_bar),
)
