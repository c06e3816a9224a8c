"""Page family: tasks over several views, such as mail, date choice, offers and counters."""

from __future__ import annotations

from collections.abc import Callable

from coepg.synth import widgets as w
from coepg.synth.pages_forms import submit_button
from coepg.synth.pages_lists import month_view
from coepg.synth.stage import Node, Stage, Step
from coepg.synth.vocabulary import CITIES, FIRST_NAMES


def _views(stage: Stage, views: dict[str, str], first: str) -> Callable[[str], Callable[[], None]]:
    """Body that shows one of several views; returns a maker of view changes."""
    state = {"view": first}
    stage.body = stage.add("", "", lambda _: views[state["view"]], clickable=False).slot

    def show(view: str) -> Callable[[], None]:
        return lambda: state.update(view=view)

    return show


def _compose_view(stage: Stage) -> tuple[str, Node, Node, Node]:
    """Mail being written: HTML, address field, text area, send control."""
    rng, bar = stage.rng, stage.theme.bar
    address = w.field(stage, "To", rng.randint(90, 115))
    text = w.area(stage, rng.choice(("Message", "Text", "")), 140, rng.randint(40, 60))
    if rng.random() < 0.5:
        send = w.button(stage, rng.choice(("Send", "Send it", "Submit")))
    else:
        send = w.icon(stage, rng.choice(("envelope", "right arrow")), 13)
    label = f'<span data-l="{text.key}">{text.name}</span>'
    html = (
        f"<div style='background:{bar};padding:2px;text-align:right'>{send.slot}</div>"
        f"{w.labelled(stage, address, 'inline')}{label}<div>{text.slot}</div>"
    )
    return html, address, text, send


def mail(stage: Stage) -> None:
    """In-box, reading view and writing view; delete, answer or pass on a message."""
    rng, words = stage.rng, stage.words
    people = rng.sample(FIRST_NAMES, rng.randint(3, 5))
    edge = "border-bottom:1px solid #ccc;padding:2px 3px;cursor:pointer"
    senders, stars, rows = [], [], ""
    for person in people:
        sender = w.text(stage, person, "text", "font-weight:bold;cursor:pointer")
        sender.clickable = True
        senders.append(sender)
        stars.append(w.icon(stage, "star", 10, rng.choice(("#bbb", "#e0a800"))))
        subject = w.text(stage, words.sentence(2))
        rows += (
            f"<div style='{edge}'><span style='float:right'>{stars[-1].slot}</span>"
            f"{sender.slot}<br>{subject.slot}</div>"
        )
    title = w.heading(stage, rng.choice(("Inbox", "Mail", "Messages", "Primary")))
    index = rng.randrange(len(people))
    back, trash = w.icon(stage, "left arrow", 12), w.icon(stage, "trash", 12)
    reply, forward = w.icon(stage, "reply", 12), w.icon(stage, "forward", 12)
    tools = "".join(node.slot for node in (reply, forward, trash))
    bar = f"background:{stage.theme.bar};padding:2px"
    read = (
        f"<div style='{bar}'>{back.slot}<span style='float:right'>{tools}</span></div>"
        f"<div><b>{people[index]}</b></div><div>{words.sentence(12)}</div>"
    )
    compose, address, text, send = _compose_view(stage)
    views = {"list": f"<div style='{bar}'>{title.slot}</div>{rows}", "read": read, "write": compose}
    show = _views(stage, views, "list")
    name, said = people[index], words.phrase()
    opens = Step(senders[index], effect=show("read"))
    answer = [
        opens,
        Step(reply, effect=show("write")),
        Step(text, "type", said),
        Step(send),
    ]
    other = rng.choice([person for person in FIRST_NAMES if person != name])
    passed = [
        opens,
        Step(forward, effect=show("write")),
        Step(address, "type", other),
        Step(send),
    ]
    say = stage.phrases.say
    stage.script("mail_reply", say("mail_reply", qname=name, qv=said), answer)
    stage.script("mail_forward", say("mail_forward", qname=name, qv=other), passed)
    stage.script("mail_delete", say("mail_delete", qname=name), [opens, Step(trash)])
    stage.script("mail_star", say("mail_star", qname=name), [Step(stars[index])])


def date_form(stage: Stage) -> None:
    """Date field that opens a month view, beside another field and a button."""
    rng, words = stage.rng, stage.words
    label = rng.choice(("Date", "Day", "Departure", "Arrival", "Due"))
    node = w.field(stage, label, rng.randint(60, 90))
    send = submit_button(stage)
    month = month_view(stage)
    panel = (
        "<div style='position:absolute;left:0;top:18px;background:#fff;border:1px solid #aaa;"
        f"z-index:5'>{month.html}</div>"
    )
    front = w.labelled(stage, node, "inline")
    extra = ""
    city = Step(None)
    if rng.random() < 0.4:
        place = w.field(stage, rng.choice(("To", "City", "Place")), rng.randint(60, 90))
        city = Step(place, "type", rng.choice(CITIES))
        extra = w.labelled(stage, place, "inline")
    else:
        extra = f"<div>{w.text(stage, words.sentence(5)).slot}</div>"
    plain = f"{front}{extra}<div style='margin-top:4px'>{send.slot}</div>"
    show = _views(stage, {"plain": plain, "open": plain + panel}, "plain")
    turns = rng.choice((0, 0, 1, 1, 2, 3))
    day = rng.choice(month.days[:28])
    number, year = (month.first_month + turns) % 12 + 1, month.year_after(turns)
    written = rng.choice(
        (f"{number:02d}/{int(day.name):02d}/{year}", f"{number}/{day.name}/{year}")
    )

    def chosen() -> None:
        show("plain")()
        node.value = written

    steps = [Step(node, effect=show("open"))]
    steps += [Step(month.onward, effect=month.turn) for _ in range(turns)]
    steps += [Step(day, effect=chosen), Step(send)]
    spoken = rng.choice((written, f"{month.name_after(turns).split()[0]} {day.name}, {year}"))
    slots = {"f": label, "d": spoken, "qb": send.name}
    if city.node is not None:
        steps.insert(0, city)
        text = stage.phrases.say("date_city", c=city.value or "", **slots)
    else:
        text = stage.phrases.say("date", **slots)
    stage.script("date", text, steps)


def offers(stage: Stage) -> None:
    """Offers with a price each and a button; the cheapest or dearest is wanted."""
    rng, words = stage.rng, stage.words
    count = rng.randint(2, 4)
    prices = rng.sample(range(5, 999), count)
    names = words.distinct(count)
    verb = rng.choice(("Book", "Buy", "Order", "Take"))
    same = rng.random() < 0.5
    buttons, rows = [], ""
    for name, price in zip(names, prices, strict=True):
        buttons.append(w.button(stage, verb if same else f"{verb} ${price}"))
        tag = "" if not same else w.text(stage, f"${price}", "text", "float:right").slot
        rows += (
            f"<div style='border:1px solid #ccc;margin-bottom:2px;padding:2px'>{tag}"
            f"{w.text(stage, name, 'text', 'font-weight:bold').slot}<br>{buttons[-1].slot}</div>"
        )
    stage.body = rows
    which = rng.choice(("cheapest", "most expensive", "lowest-priced"))
    best = (max if which == "most expensive" else min)(prices)
    text = stage.phrases.say("offer", which=which, verb=verb.lower())
    stage.script("offer", text, [Step(buttons[prices.index(best)])])
    index = rng.randrange(count)
    text = stage.phrases.say("offer_name", qname=names[index], verb=verb.lower())
    stage.script("offer", text, [Step(buttons[index])])


def card_pages(stage: Stage) -> None:
    """Contact cards, one a page, with arrows; turn pages until the person shows."""
    rng, words = stage.rng, stage.words
    people = rng.sample(FIRST_NAMES, rng.randint(3, 5))
    onward = w.link(stage, rng.choice((">", "Next", ">>", "next")))
    back = w.link(stage, rng.choice(("<", "Previous", "<<", "prev")))
    fields, pages = [], {}
    for index, person in enumerate(people):
        details = {"phone": words.phone(), "email": words.email(), "city": rng.choice(CITIES)}
        nodes = {key: w.link(stage, value) for key, value in details.items()}
        fields.append(nodes)
        rows = "".join(f"<div>{key.capitalize()}: {node.slot}</div>" for key, node in nodes.items())
        place = f"{index + 1}/{len(people)}"
        pages[str(index)] = (
            f"<div>{w.heading(stage, person).slot}</div>{rows}<div style='margin-top:4px'>"
            f"{back.slot} {place} {onward.slot}</div>"
        )
    show = _views(stage, pages, "0")
    wanted = rng.randrange(len(people))
    key = rng.choice(("phone", "email", "city"))
    steps = [Step(onward, effect=show(str(page))) for page in range(1, wanted + 1)]
    text = stage.phrases.say("card_find", col=key, qname=people[wanted])
    stage.script("card_find", text, [*steps, Step(fields[wanted][key])])


def counter(stage: Stage) -> None:
    """Number with small up and down arrows or plus and minus buttons."""
    rng, words = stage.rng, stage.words
    label = rng.choice(("Copies", "Guests", "Tickets", "Amount", "Nights"))
    start = rng.randint(0, 30)
    node = w.field(stage, label, rng.randint(40, 70), value=str(start))
    if rng.random() < 0.6:
        up, down = w.icon(stage, "up arrow", 8), w.icon(stage, "down arrow", 8)
        boxed = "display:inline-block;vertical-align:middle;line-height:8px;border:1px solid #bbb"
        arrows = f"<span style='{boxed}'>{up.slot}<br>{down.slot}</span>"
    else:
        up, down = w.button(stage, "+"), w.button(stage, "-")
        arrows = f" {down.slot} {up.slot}"
    send = w.button(stage, rng.choice(("OK", "Set", "Submit", "Apply")))
    rest = w.text(stage, words.sentence(5)).slot
    stage.body = (
        f"<div>{rest}</div>{w.labelled(stage, node, 'inline').replace('</div>', '')}"
        f"{arrows}</div>{send.slot}"
    )

    def shift(by: int) -> Callable[[], None]:
        def change() -> None:
            node.value = str(int(node.value) + by)

        return change

    by = rng.choice((1, 1, 1, -1)) if start > 3 else 1
    clicks = rng.randint(1, 4) if by > 0 else rng.randint(1, min(4, start))
    arrow = up if by > 0 else down
    steps = [Step(arrow, effect=shift(by)) for _ in range(clicks)]
    goal = str(start + by * clicks)
    text = stage.phrases.say("spin_to", f=label.lower(), v=goal, qb=send.name)
    stage.script("spin_to", text, [*steps, Step(send)])
    stage.script("spin", stage.phrases.say("spin"), [Step(up, effect=shift(1))])
    if start > 0:
        stage.script("spin", stage.phrases.say("spin_down"), [Step(down, effect=shift(-1))])


def post_menu(stage: Stage) -> None:
    """Posts whose dots open a small menu of further actions."""
    rng, words = stage.rng, stage.words
    people = rng.sample(FIRST_NAMES, rng.randint(2, 3))
    dots = [w.icon(stage, "dots", 12, "#666") for _ in people]
    hearts = [w.icon(stage, "heart", 10, rng.choice(("#999", "#c33"))) for _ in people]
    replies = [w.icon(stage, "speech bubble", 10, "#999") for _ in people]
    index = rng.randrange(len(people))
    entries = [
        w.item(stage, "menu item", name, "padding:2px 5px;cursor:pointer")
        for name in rng.sample(("Block", "Mute", "Copy link", "Embed", "Report", "Hide", "Pin"), 4)
    ]
    rows = ""
    for row, person in enumerate(people):
        name = w.text(stage, person, "text", "font-weight:bold").slot
        rows += (
            f"<div style='border-bottom:1px solid #ddd;padding:2px'>{name}<br>"
            f"{w.text(stage, words.sentence(4)).slot}<div>{replies[row].slot} {hearts[row].slot} "
            f"{dots[row].slot}</div></div>"
        )
    popup = (
        f"<div style='position:absolute;left:{rng.randint(45, 70)}px;"
        f"top:{min(80, 20 + 38 * index)}px;background:#fff;border:1px solid #999;z-index:5'>"
        f"{''.join(entry.slot for entry in entries)}</div>"
    )
    show = _views(stage, {"plain": rows, "open": rows + popup}, "plain")
    entry = rng.choice(entries)
    steps = [Step(dots[index], effect=show("open")), Step(entry)]
    name = people[index]
    text = stage.phrases.say("post_menu", qname=name, qx=entry.name)
    stage.script("post_menu", text, steps)
    text = stage.phrases.say("row_icon_name", x="heart", qname=name)
    stage.script("row_icon", text, [Step(hearts[index])])


PAGES: tuple[tuple[float, str, Callable[[Stage], None]], ...] = (
    (4.0, "mail", mail),
    (2.5, "date_form", date_form),
    (2.0, "offers", offers),
    (2.0, "card_pages", card_pages),
    (1.8, "counter", counter),
    (2.0, "post_menu", post_menu),
)
