"""Page family: scattered widgets, running text, tables, messages, calendars."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coepg.synth import widgets as w
from coepg.synth.icons import ICON_PURPOSES
from coepg.synth.pages_forms import submit_button
from coepg.synth.stage import Node, Stage, Step
from coepg.synth.vocabulary import COUNTRIES, MONTHS


def scatter_slots(
    stage: Stage, slots: list[str], width_px: int, height_px: int, area_height_px: int = 156
) -> str:
    """Places slots at random spots that do not overlap (cells of a jittered grid)."""
    rng = stage.rng
    columns, rows = 156 // width_px, area_height_px // height_px
    cells = [(column, row) for row in range(rows) for column in range(columns)]
    parts = []
    for slot, (column, row) in zip(slots, rng.sample(cells, len(cells)), strict=False):
        left = column * width_px + rng.randint(0, 4)
        top = row * height_px + rng.randint(0, 4)
        spot = f"left:{left}px;top:{top}px;width:{width_px - 2}px"
        parts.append(f"<div style='position:absolute;{spot}'>{slot}</div>")
    return "".join(parts)


def buttons(stage: Stage) -> None:
    """Buttons, some links and texts, scattered or in a row."""
    rng, words = stage.rng, stage.words
    names = words.distinct(rng.randint(3, 7))
    nodes = [w.button(stage, name[:9]) for name in names]
    extra = [w.link(stage, words.word()) for _ in range(rng.randint(0, 3))]
    extra += [w.text(stage, words.phrase(2)) for _ in range(rng.randint(0, 2))]
    if rng.random() < 0.3:
        extra.append(w.field(stage, "", rng.randint(50, 70)))
    slots = [node.slot for node in [*nodes, *extra]]
    rng.shuffle(slots)
    if rng.random() < 0.55:
        wide = max(len(node.name) for node in stage.nodes) > 5 or stage.theme.button_font_px > 11
        stage.body = scatter_slots(stage, slots, 76 if wide else 52, rng.choice((26, 31)))
    else:
        gap = rng.choice((" ", "<br>", " &nbsp; "))
        stage.body = "".join(slot + rng.choice((" ", gap)) for slot in slots)
    first, second = rng.sample(nodes, 2)
    text = stage.phrases.say("order", qa=first.name, qb=second.name)
    stage.script("order", text, [Step(first), Step(second)])


def paragraph(stage: Stage) -> None:
    """Running text with links in it."""
    rng, words = stage.rng, stage.words
    count = rng.randint(12, 45)
    spots = sorted(rng.sample(range(count), rng.randint(1, min(6, count // 4))))
    names = words.distinct(len(spots))
    links = [w.link(stage, name) for name in names]
    taken = {name.casefold() for name in names}
    pieces = [words.lower_word() for _ in range(count)]
    pieces = [words.made_up() + "s" if piece in taken else piece for piece in pieces]
    marked = []
    for index, piece in enumerate(pieces):
        if index in spots:
            marked.append(links[spots.index(index)].slot)
        elif rng.random() < 0.06:
            marked.append(w.text(stage, piece, "text", "font-weight:bold").slot)
        else:
            marked.append(piece + ("." if rng.random() < 0.08 else ""))
    head = f"<div>{w.heading(stage, words.phrase(2)).slot}</div>" if rng.random() < 0.3 else ""
    align = rng.choice(("left", "left", "justify", "center"))
    stage.body = f"{head}<div style='text-align:{align}'>{' '.join(marked)}</div>"
    target = rng.choice(links)
    text = stage.phrases.say("click_link", qx=target.name)
    stage.script("click_link", text, [Step(target)])


def word_list(stage: Stage) -> None:
    """Ordered, bulleted or boxed list of clickable items."""
    rng, words = stage.rng, stage.words
    names = words.distinct(rng.randint(3, 8), 2)
    tag = rng.choice(("ul", "ol", "div"))
    if tag == "div":
        style = f"border:1px solid #ccc;padding:{rng.randint(1, 3)}px 4px;margin-bottom:1px"
        body = "".join(w.item(stage, "list item", name, style).slot for name in names)
    else:
        nodes = [w.text(stage, name, "list item") for name in names]
        for node in nodes:
            node.clickable = True
        items = "".join(f"<li>{node.slot}</li>" for node in nodes)
        body = f"<{tag} style='margin:2px 0;padding-left:22px'>{items}</{tag}>"
    head = f"<div>{w.heading(stage, words.phrase(2)).slot}</div>" if rng.random() < 0.5 else ""
    stage.body = head + body
    node = rng.choice([node for node in stage.nodes if node.role == "list item"])
    action = rng.choice(("double_click", "right_click", "click", "click", "click"))
    kind = "click_text" if action == "click" else action
    stage.script(kind, stage.phrases.say(kind, qx=node.name), [Step(node, action)])


_COLUMNS: dict[str, Callable[[Stage], str]] = {
    "Phone": lambda s: s.words.phone(),
    "Country": lambda s: s.rng.choice(COUNTRIES),
    "Age": lambda s: str(s.rng.randint(5, 99)),
    "Color": lambda s: s.rng.choice(("red", "blue", "green", "pink", "black")),
    "Price": lambda s: s.words.number(),
    "Code": lambda s: s.words.code(),
    "City": lambda s: s.words.made_up().capitalize(),
    "Year": lambda s: str(s.rng.randint(1900, 2030)),
}


def table(stage: Stage) -> None:
    """Table with a header; look up a cell, then type it or click it."""
    rng, words = stage.rng, stage.words
    columns = rng.sample(sorted(_COLUMNS), rng.randint(1, 2))
    people = list(dict.fromkeys(words.person() for _ in range(rng.randint(3, 6))))
    grid = {name: [_COLUMNS[column](stage)[:12] for column in columns] for name in people}
    border = rng.choice((0, 1))
    headers = [w.text(stage, column, "text", "font-weight:bold") for column in ["Name", *columns]]
    rows = "<tr>" + "".join(f"<th align=left>{node.slot}</th>" for node in headers) + "</tr>"
    cells: dict[tuple[str, int], Node] = {}
    for name in people:
        rows += f"<tr><td>{w.text(stage, name, 'cell').slot}</td>"
        for index, value in enumerate(grid[name]):
            cells[name, index] = w.text(stage, value, "cell")
            rows += f"<td>{cells[name, index].slot}</td>"
        rows += "</tr>"
    pad = rng.choice((0, 1, 2))
    body = (
        f"<table border={border} cellspacing=0 cellpadding={pad} "
        f"style='border-collapse:collapse'>{rows}</table>"
    )
    name, index = rng.choice(people), rng.randrange(len(columns))
    column = columns[index].lower()
    if rng.random() < 0.75:
        node, send = w.field(stage, "", rng.randint(50, 90)), submit_button(stage)
        body += f"<div style='margin-top:4px'>{node.slot} {send.slot}</div>"
        text = stage.phrases.say("lookup", col=column, qname=name, qb=send.name)
        steps = [Step(node, "type", grid[name][index]), Step(send)]
        stage.script("lookup", text, steps)
    text = stage.phrases.say("lookup_click", col=column, qname=name)
    stage.script("lookup_click", text, [Step(cells[name, index])])
    stage.body = body


def card(stage: Stage) -> None:
    """Contact card with details and page links."""
    rng, words = stage.rng, stage.words
    name = words.person()
    details = {"Phone": words.phone(), "Email": words.email(), "Address": words.phrase(2)}
    nodes = {key: w.link(stage, value) for key, value in details.items()}
    rows = "".join(
        f"<div>{w.text(stage, key + ':', 'text', 'color:#666').slot} {node.slot}</div>"
        for key, node in nodes.items()
    )
    pages = [w.link(stage, label) for label in ("<", "1", "2", "3", ">")]
    strip = " ".join(page.slot for page in pages)
    stage.body = f"<div>{w.heading(stage, name).slot}</div>{rows}<div>{strip}</div>"
    key = rng.choice(sorted(nodes))
    text = stage.phrases.say("lookup_click", col=key.lower(), qname=name)
    stage.script("lookup_click", text, [Step(nodes[key])])
    page = rng.choice(pages[1:4])
    stage.script("page", stage.phrases.say("page", x=page.name), [Step(page)])


def messages(stage: Stage) -> None:
    """Rows with sender, subject and icons."""
    rng, words = stage.rng, stage.words
    count = rng.randint(2, 4)
    people = list(dict.fromkeys(words.person().split()[0] for _ in range(count)))
    actions = rng.sample(("trash", "star", "reply", "heart", "share", "flag", "dots"), 2)
    more = rng.sample(("repost", "speech bubble", "forward", "pencil"), rng.randint(0, 1))
    per_row, rows, senders = [], [], []
    size = rng.randint(9, 14)
    color = rng.choice(("#444", "#888", stage.theme.accent, "#000"))
    edge = rng.choice(("border-bottom:1px solid #ccc", "border:1px solid #bbb;margin-bottom:2px"))
    for person in people:
        sender = w.text(stage, person, "text", "font-weight:bold;cursor:pointer")
        sender.clickable = True
        subject = w.text(stage, words.sentence(rng.randint(2, 3)))
        icons = [w.icon(stage, name, size, color) for name in [*actions, *more]]
        strip = "".join(node.slot for node in icons)
        below = rng.random() < 0.5
        rows.append(
            f"<div style='{edge};padding:2px;position:relative'>{sender.slot}<br>{subject.slot}"
            + (
                f"<div>{strip}</div></div>"
                if below
                else f"<span style='position:absolute;right:2px;top:2px'>{strip}</span></div>"
            )
        )
        per_row.append(icons)
        senders.append(sender)
    stage.body = "".join(rows)
    row = rng.randrange(len(people))
    node = rng.choice(per_row[row])
    if node.name in ICON_PURPOSES and rng.random() < 0.5:
        purpose = rng.choice(ICON_PURPOSES[node.name])
        if purpose.endswith(" it"):
            purpose = purpose[:-3]
            text = stage.phrases.say("row_icon", x=purpose + " it", qname=people[row])
            text = text.replace(" it the message", " the message")
        else:
            text = stage.phrases.say("row_icon_name", x=node.name, qname=people[row])
    else:
        text = stage.phrases.say("row_icon_name", x=node.name, qname=people[row])
    stage.script("row_icon", text, [Step(node)])
    row = rng.randrange(len(people))
    text = stage.phrases.say("row_open", qname=people[row])
    stage.script("row_open", text, [Step(senders[row])])


def number_grid(stage: Stage) -> None:
    """Numbers in a grid or scattered; smallest, largest or a given one."""
    rng = stage.rng
    low = rng.choice((0, -50, 0))
    span = rng.choice((10, 100, 100, 1000))
    numbers = rng.sample(range(low, low + span), rng.randint(3, 8))
    role = rng.choice(("button", "text", "cell"))
    if role == "button":
        nodes = [w.button(stage, str(number)) for number in numbers]
    else:
        style = f"font-size:{rng.choice((10, 12, 14, 18))}px;cursor:pointer"
        nodes = [w.text(stage, str(number), role, style) for number in numbers]
        for node in nodes:
            node.clickable = True
    stage.body = scatter_slots(stage, [node.slot for node in nodes], 52, 26)
    which = rng.choice(("smallest", "largest", "lowest", "highest", "biggest"))
    best = (min if which in ("smallest", "lowest") else max)(numbers)
    text = stage.phrases.say("extreme", which=which)
    stage.script("extreme", text, [Step(nodes[numbers.index(best)])])
    if len(numbers) <= 6:
        ordered = [Step(nodes[numbers.index(number)]) for number in sorted(numbers)]
        stage.script("ascending", stage.phrases.say("ascending"), ordered)


@dataclass(slots=True)
class MonthView:
    """Calendar page of one month.

    Attributes:
        html: Source with the nodes' slots.
        days: One node a day.
        onward: Arrow to the next month.
        title: Node with the month's name.
        first_month: Month shown at first, from 0.
        year: Year shown at first.
        turned: Number of months turned forward.
    """

    html: str
    days: list[Node]
    onward: Node
    title: Node
    first_month: int
    year: int
    turned: int = 0

    def year_after(self, turns: int) -> int:
        """Year after some turns."""
        return self.year + (self.first_month + turns) // 12

    def name_after(self, turns: int) -> str:
        """Title after some turns."""
        return f"{MONTHS[(self.first_month + turns) % 12]} {self.year_after(turns)}"

    def turn(self) -> None:
        """Shows the next month."""
        self.turned += 1
        self.title.name = self.name_after(self.turned)


def month_view(stage: Stage) -> MonthView:
    """Adds the nodes of a calendar page with arrows, title and days."""
    rng = stage.rng
    start, length = rng.randrange(0, 7), rng.choice((28, 30, 30, 31, 31))
    back = w.icon(stage, "left arrow", 10)
    onward = w.icon(stage, "right arrow", 10)
    title = w.text(stage, "", "heading", "font-weight:bold")
    look = rng.choice(("", "border:1px solid #ccc;background:#f6f6f6;", "border:1px solid #eee;"))
    style = f"text-align:right;padding:1px;font-size:10px;{look}"
    days = [w.item(stage, "cell", str(day), style) for day in range(1, length + 1)]
    names = "".join(f"<th>{d}</th>" for d in ("Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"))
    grid = "<td></td>" * start
    for index, day in enumerate(days):
        if (index + start) % 7 == 0:
            grid += "</tr><tr>"
        grid += f"<td style='padding:0'>{day.slot}</td>"
    html = (
        f"<div style='background:{stage.theme.bar};text-align:center;padding:2px;width:146px'>"
        f"<span style='float:left'>{back.slot}</span><span style='float:right'>{onward.slot}</span>"
        f"{title.slot}</div><table cellspacing=1 style='width:150px;font-size:10px'>"
        f"<tr>{names}</tr><tr>{grid}</tr></table>"
    )
    view = MonthView(html, days, onward, title, rng.randrange(12), rng.randint(2015, 2029))
    title.name = view.name_after(0)
    return view


def calendar(stage: Stage) -> None:
    """Month view with arrows; a step to the next month redraws the title."""
    rng = stage.rng
    view = month_view(stage)
    stage.body = view.html
    day = rng.choice(view.days)
    stage.script("day", stage.phrases.say("day", x=day.name), [Step(day)])
    day = rng.choice(view.days[:28])
    month = view.name_after(1).split()[0]
    text = stage.phrases.say("month_next", x=day.name, month=month)
    stage.script("month_next", text, [Step(view.onward, effect=view.turn), Step(day)])


def scroll_text(stage: Stage) -> None:
    """Long text area or long list that has to be scrolled."""
    rng, words = stage.rng, stage.words
    stage.scrollable = True
    height = rng.randint(60, 110)
    moved = {"px": 0 if rng.random() < 0.6 else rng.randint(60, 120)}
    was_moved = moved["px"] > 0
    send = submit_button(stage)
    if rng.random() < 0.5:
        text = " ".join(words.sentence(rng.randint(5, 12)) for _ in range(12))
        node = w.area(stage, "", rng.randint(110, 150), height, text)
        plain = node.paint
        node.paint = lambda n: plain(n).replace(
            "<textarea", f'<textarea data-scroll="{moved["px"]}"'
        )
        stage.body = f"{node.slot}<br>{send.slot}"
    else:
        names = words.distinct(rng.randint(14, 20), 2)
        entries = [w.item(stage, "list item", name, "padding:1px 3px") for name in names]
        width = rng.randint(90, 150)

        def paint(_: Node) -> str:
            inner = "".join(entry.slot for entry in entries)
            return (
                f'<div data-scroll="{moved["px"]}" style="border:1px solid #888;overflow-y:scroll;'
                f'width:{width}px;height:{height}px">{inner}</div>'
            )

        holder = stage.add("", "", paint, clickable=False)
        stage.body = f"{holder.slot}<div style='margin-top:4px'>{send.slot}</div>"
        if not was_moved:
            goal = rng.choice(entries[-4:])
            text = stage.phrases.say("scroll_find", qx=goal.name)
            steps = [Step(None, "scroll", "down", lambda: moved.update(px=2000)), Step(goal)]
            stage.script("scroll_find", text, steps)
    way = "up" if was_moved and rng.random() < 0.7 else "down"
    if not (way == "down" and was_moved):
        text = stage.phrases.say(f"scroll_{way}")
        stage.script("scroll", text, [Step(None, "scroll", way)])


PAGES: tuple[tuple[float, str, Callable[[Stage], None]], ...] = (
    (5.0, "buttons", buttons),
    (3.5, "paragraph", paragraph),
    (2.5, "word_list", word_list),
    (3.0, "table", table),
    (1.0, "card", card),
    (4.0, "messages", messages),
    (2.0, "number_grid", number_grid),
    (1.8, "calendar", calendar),
    (2.2, "scroll_text", scroll_text),
)
