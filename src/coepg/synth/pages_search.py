"""Page family: proposals while typing, searches with results, mixed settings."""

from __future__ import annotations

from collections.abc import Callable

from coepg.synth import widgets as w
from coepg.synth.pages_forms import submit_button
from coepg.synth.stage import Node, Stage, Step, esc
from coepg.synth.vocabulary import CITIES, COUNTRIES


def suggestions(stage: Stage) -> None:
    """Field that opens a list of proposals once a part is typed."""
    rng, words = stage.rng, stage.words
    pool = rng.choice((COUNTRIES, CITIES))
    target = rng.choice(pool)
    part = target[: rng.randint(2, 4)]
    label = rng.choice(("Country", "From", "To", "Place", "Search"))
    node = w.field(stage, label, rng.randint(80, 110))
    others = [name for name in rng.sample(pool, 6) if name != target][: rng.randint(1, 4)]
    names = sorted({target, *others})
    style = "padding:2px 4px;cursor:pointer;"
    entries = [w.item(stage, "menu item", name, style) for name in names]
    chosen = next(entry for entry in entries if entry.name == target)
    send = submit_button(stage)
    state = {"open": False}

    def paint(_: Node) -> str:
        if not state["open"]:
            return ""
        inner = "".join(entry.slot for entry in entries)
        return (
            f'<div style="position:absolute;background:#fff;border:1px solid #aaa;width:100px;'
            f'z-index:5">{inner}</div>'
        )

    popup = stage.add("", "", paint, clickable=False)
    stage.body = (
        f"<div>{w.heading(stage, words.phrase(2)).slot}</div>{w.labelled(stage, node, 'inline')}"
        f"{popup.slot}<div style='margin-top:{rng.randint(4, 40)}px'>{send.slot}</div>"
    )

    def set_open(value: bool) -> Callable[[], None]:
        def change() -> None:
            state["open"] = value
            if not value:
                node.value = target

        return change

    text = stage.phrases.say("suggest", qv=part, qx=target)
    steps = [Step(node, "type", part, set_open(True)), Step(chosen, effect=set_open(False))]
    stage.script("suggest", text, steps)


def search_page(stage: Stage) -> None:
    """Search field whose button brings a list of result links and page numbers."""
    rng, words = stage.rng, stage.words
    node = w.field(stage, "", rng.randint(70, 100))
    send = w.button(stage, rng.choice(("Search", "Find", "Go", "Look up")))
    titles = words.distinct(rng.randint(2, 3), 2)
    results = [w.link(stage, title) for title in titles]
    notes = [w.text(stage, words.sentence(rng.randint(4, 7))) for _ in titles]
    pages = [w.link(stage, str(number)) for number in range(1, rng.randint(3, 5))]
    state = {"open": rng.random() < 0.3}

    def paint(_: Node) -> str:
        if not state["open"]:
            return ""
        rows = "".join(
            f"<div style='margin-top:3px'><div>{result.slot}</div>{note.slot}</div>"
            for result, note in zip(results, notes, strict=True)
        )
        return f"{rows}<div style='margin-top:3px'>{' '.join(page.slot for page in pages)}</div>"

    listing = stage.add("", "", paint, clickable=False)
    stage.body = f"<div>{node.slot} {send.slot}</div>{listing.slot}"
    index = rng.randrange(len(results))
    if state["open"]:
        page = rng.choice(pages)
        stage.script("page", stage.phrases.say("page", x=page.name), [Step(page)])
        return
    query = words.phrase(2)
    text = stage.phrases.say(
        "search_result",
        v=query,
        qv=query,
        qb=send.name,
        n=("first", "second", "third")[index],
        m=str(index + 1),
    )
    opens = Step(send, effect=lambda: state.update(open=True))
    stage.script("search", text, [Step(node, "type", query), opens, Step(results[index])])


def settings(stage: Stage) -> None:
    """Mixed controls: boxes, a drop-down, a slider, date or number inputs."""
    rng, words = stage.rng, stage.words
    rows = []
    for _ in range(rng.randint(2, 3)):
        rows.append(w.tick(stage, words.phrase(2), checked=rng.random() < 0.4).slot)
    label = rng.choice(("Volume", "Speed", "Zoom", "Level", "Brightness"))
    percent = rng.randint(0, 100)
    width = rng.randint(60, 90)
    slider = stage.add(
        "slider",
        label,
        lambda n: (
            f'<input type="range" {n.mark} value="{percent}" style="width:{width}px;'
            f'vertical-align:middle">'
        ),
        value=str(percent),
    )
    number = stage.add(
        "text field",
        rng.choice(("Count", "Copies", "Guests")),
        lambda n: f'<input type="number" {n.mark} value="{esc(n.value)}" style="width:48px">',
        value=str(rng.randint(0, 20)),
    )
    day = stage.add(
        "text field",
        rng.choice(("Day", "Date", "Start")),
        lambda n: f'<input type="{rng_kind}" {n.mark} style="font-size:10px">',
    )
    rng_kind = rng.choice(("date", "time", "text"))
    rows += [w.labelled(stage, node, "inline") for node in (slider, number, day)]
    rng.shuffle(rows)
    kept = rows[: rng.randint(3, 6)]
    send = submit_button(stage)
    used = "".join(kept)
    stage.body = "".join(f"<div style='margin-bottom:3px'>{row}</div>" for row in kept) + send.slot
    if number.slot in used:
        value = str(rng.randint(0, 99))
        slots = {"f": number.name, "qf": number.name, "v": value, "qv": value}
        text = stage.phrases.say("type_field", **slots)
        stage.script("type_field", text, [Step(number, "type", value)])


PAGES: tuple[tuple[float, str, Callable[[Stage], None]], ...] = (
    (2.5, "suggestions", suggestions),
    (3.5, "search_page", search_page),
    (1.8, "settings", settings),
)
