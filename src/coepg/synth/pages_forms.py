"""Page family: forms, choices, log-ins and sums."""

from __future__ import annotations

from collections.abc import Callable

from coepg.synth import widgets as w
from coepg.synth.stage import Node, Stage, Step
from coepg.synth.vocabulary import COUNTRIES, FIELD_LABELS, listed

SUBMIT_NAMES = (
    *listed(
        "Submit Send OK Done Go Save Confirm Continue Next Apply Enter Finish Order Book Search"
    ),
    *listed("Ready|Submit|Submit|Send it|Sign in|Log in", "|"),
)


def submit_button(stage: Stage) -> Node:
    """Button that ends a form."""
    return w.button(stage, stage.rng.choice(SUBMIT_NAMES))


def _pairs_text(stage: Stage, pairs: list[tuple[str, str]]) -> str:
    """Field values as a user would list them."""
    rng = stage.rng
    form = rng.choice(("{f}: {v}", '{f} "{v}"', "{f} = {v}", '"{v}" for {f}', "{v} as {f}"))
    texts = [form.format(f=field, v=value) for field, value in pairs]
    if len(texts) == 1:
        return texts[0]
    if rng.random() < 0.5:
        return ", ".join(texts)
    return ", ".join(texts[:-1]) + " and " + texts[-1]


def field_form(stage: Stage) -> None:
    """One to four labelled fields and one or two buttons."""
    rng, words = stage.rng, stage.words
    way = rng.choice(("above", "inline", "inline", "table"))
    count = rng.randint(1, 3) if way == "above" else rng.randint(1, 4)
    width = rng.randint(60, 95) if way != "above" else rng.randint(90, 140)
    nodes, steps, pairs = [], [], []
    for label in rng.sample(FIELD_LABELS, count):
        kind = rng.random()
        if kind < 0.2:
            options = rng.sample(COUNTRIES, 6) if label == "Country" else words.distinct(5)
            node = w.drop_down(stage, label, options, width)
            value, action = rng.choice(options), "select"
        elif kind < 0.32 and way != "table":
            node = w.area(stage, label, width, rng.randint(24, 36))
            value, action = words.phrase(), "type"
        else:
            node = w.field(stage, label, width)
            value, action = words.value_for(label), "type"
            if rng.random() < 0.15:
                node.value = words.value_for(label)
        nodes.append(node)
        pairs.append((label, value))
        steps.append(Step(node, action, value))
    send = submit_button(stage)
    rows = "".join(w.labelled(stage, node, way) for node in nodes)
    body = f"<table cellspacing=0 cellpadding=1>{rows}</table>" if way == "table" else rows
    head = w.heading(stage, words.phrase(2)).slot if rng.random() < 0.35 and count < 4 else ""
    other = w.button(stage, rng.choice(("Cancel", "Reset", "Clear", "Back"))).slot
    tail = send.slot + (" " + other if rng.random() < 0.3 else "")
    if other not in tail:
        stage.nodes.pop()
    stage.body = f"<div>{head}</div>{body}<div style='margin-top:3px'>{tail}</div>"
    order = list(zip(pairs, steps, strict=True))
    if rng.random() < 0.3:
        rng.shuffle(order)
    text = stage.phrases.say(
        "form", pairs=_pairs_text(stage, [pair for pair, _ in order]), qb=send.name
    )
    stage.script("form", text, [step for _, step in order] + [Step(send)])
    (label, value), step = rng.choice(order)
    kind_one = "type_field" if step.action == "type" else "select_field"
    slots = {"f": label, "qf": label, "v": value, "qv": value, "x": value, "qx": value}
    stage.script(kind_one, stage.phrases.say(kind_one, **slots), [step])


def login(stage: Stage) -> None:
    """User and password fields, or a new account with a repeated password."""
    rng, words = stage.rng, stage.words
    variant = rng.choice(("login", "login", "signup", "password"))
    labels = rng.choice((("Username", "Password"), ("User", "Secret"), ("Login", "Pass word")))
    way = rng.choice(("above", "inline", "above", "table"))
    width = rng.randint(70, 140) if way == "above" else rng.randint(60, 90)
    user = words.person().split()[0] if rng.random() < 0.6 else words.made_up()
    secret, steps, nodes = words.secret(), [], []
    if variant != "password":
        nodes.append(w.field(stage, labels[0], width))
        steps.append(Step(nodes[-1], "type", user))
    nodes.append(w.field(stage, labels[1], width, secret=True))
    steps.append(Step(nodes[-1], "type", secret))
    if variant != "login":
        again = rng.choice(("Repeat", "Verify", "Confirm", "Password again", "Repeat password"))
        nodes.append(w.field(stage, again, width, secret=True))
        steps.append(Step(nodes[-1], "type", secret))
    send = submit_button(stage)
    rows = "".join(w.labelled(stage, node, way) for node in nodes)
    if way == "table":
        rows = f"<table cellspacing=0 cellpadding=1>{rows}</table>"
    extra = ""
    if rng.random() < 0.3:
        extra = (
            w.tick(stage, rng.choice(("Remember me", "Stay signed in", "Keep me"))).slot + "<br>"
        )
    if rng.random() < 0.25:
        send_row = send.slot + " " + w.link(stage, rng.choice(("Forgot?", "Help", "Register"))).slot
    else:
        send_row = send.slot
    stage.body = f"{rows}{extra}<div style='margin-top:3px'>{send_row}</div>"
    text = stage.phrases.say(variant, qu=user, qp=secret, qb=send.name)
    stage.script("login", text, [*steps, Step(send)])


def _join_lines(stage: Stage, slots: list[str]) -> str:
    """Slots below each other, or in two columns when there are many."""
    gap = stage.rng.choice((0, 0, 1, 2))
    line = f"<div style='margin-bottom:{gap}px'>"
    narrow = stage.theme.font_px <= 11 and all(len(node.name) <= 9 for node in stage.nodes)
    if len(slots) >= 4 and narrow and stage.rng.random() < 0.5:
        cells = "".join(f"{line}{slot}</div>" for slot in slots)
        return f"<div style='column-count:2;column-gap:4px'>{cells}</div>"
    return "".join(f"{line}{slot}</div>" for slot in slots)


def tick_list(stage: Stage) -> None:
    """Several checkboxes and a button."""
    rng, words = stage.rng, stage.words
    names = words.distinct(rng.randint(2, 7), rng.choice((1, 1, 2)))
    side = rng.choice(("right", "right", "right", "left"))
    boxes = [w.tick(stage, name, side=side) for name in names]
    send = submit_button(stage)
    head = w.heading(stage, words.phrase(2)).slot if rng.random() < 0.3 else ""
    stage.body = (
        f"<div>{head}</div>{_join_lines(stage, [box.slot for box in boxes])}"
        f"<div style='margin-top:3px'>{send.slot}</div>"
    )
    chosen = rng.sample(boxes, rng.choice((0, 1, 1, 2, 2, 3, 4)) % (len(boxes) + 1))
    if chosen:
        items = stage.phrases.join([box.name for box in chosen])
        text = stage.phrases.say("tick", items=items, qb=send.name)
        chosen.sort(key=lambda box: box.key)
    else:
        text = stage.phrases.say("tick_none", qb=send.name)
    stage.script("tick", text, [*(Step(box) for box in chosen), Step(send)])
    one = rng.choice(boxes)
    stage.script("tick_one", stage.phrases.say("tick_one", qx=one.name), [Step(one)])
    if rng.random() < 0.3:
        for box in rng.sample(boxes, rng.randint(1, max(1, len(boxes) // 2))):
            box.checked = True
        stage.scripts = [
            script
            for script in stage.scripts
            if not any(step.node and step.node.checked for step in script.steps)
        ]
        done = rng.choice([box for box in boxes if box.checked])
        stage.scripts = [script for script in stage.scripts if script.kind == "tick_one"]
        stage.script("tick_one", stage.phrases.say("untick_one", qx=done.name), [Step(done)])


def radio_list(stage: Stage) -> None:
    """Radio buttons and a button."""
    rng, words = stage.rng, stage.words
    names = words.distinct(rng.randint(2, 7), rng.choice((1, 1, 2)))
    group = f"g{len(stage.nodes)}"
    radios = [w.tick(stage, name, radio_group=group) for name in names]
    send = submit_button(stage)
    head = w.heading(stage, words.phrase(2)).slot if rng.random() < 0.3 else ""
    stage.body = (
        f"<div>{head}</div>{_join_lines(stage, [radio.slot for radio in radios])}"
        f"<div style='margin-top:3px'>{send.slot}</div>"
    )
    chosen = rng.choice(radios)
    text = stage.phrases.say("radio", qx=chosen.name, qb=send.name)
    stage.script("radio", text, [Step(chosen), Step(send)])
    other = rng.choice(radios)
    stage.script("radio", stage.phrases.say("radio_one", qx=other.name), [Step(other)])
    if rng.random() < 0.2 and chosen is not radios[0] and other is not radios[0]:
        radios[0].checked = True


def choice_list(stage: Stage) -> None:
    """Drop-down or list box with a button, sometimes with a second drop-down."""
    rng, words = stage.rng, stage.words
    names = rng.sample(COUNTRIES, 8) if rng.random() < 0.25 else words.distinct(rng.randint(3, 9))
    send = submit_button(stage)
    intro = w.text(stage, words.sentence(rng.randint(3, 8))).slot if rng.random() < 0.4 else ""
    gap = "<br>" * rng.choice((1, 1, 2))
    if rng.random() < 0.3:
        html, nodes = w.list_box(stage, names, rng.randint(70, 140), rng.randint(3, 8))
        picked = rng.choice(nodes)
        stage.body = f"{intro}<div>{html}</div>{gap if intro == '' else ''}{send.slot}"
        stage.scrollable = True
        text = stage.phrases.say("select", qx=picked.name, qb=send.name)
        stage.script("select", text, [Step(picked), Step(send)])
        return
    node = w.drop_down(stage, "", names, rng.randint(70, 145))
    value = rng.choice(names)
    second = ""
    if rng.random() < 0.2:
        second = gap + w.drop_down(stage, "", words.distinct(4), rng.randint(60, 140)).slot
    stage.body = f"<div>{intro}</div>{node.slot}{second}{gap}{send.slot}"
    text = stage.phrases.say("select", qx=value, qb=send.name)
    stage.script("select", text, [Step(node, "select", value), Step(send)])
    if not second:
        value = rng.choice(names)
        step = Step(node, "select", value)
        stage.script("select", stage.phrases.say("select_one", qx=value), [step])


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


def _field_request(
    stage: Stage, node: Node, send: Node, parts: list[str]
) -> tuple[str, str, list[Step]]:
    """Kind, instruction and steps for a lone field; may add texts to read."""
    rng, words, say = stage.rng, stage.words, stage.phrases.say
    value = words.secret() if node.role == "password field" else words.phrase()
    kind = rng.choice(("type_submit",) * 2 + ("type_enter", "copy", "type_only", "other"))
    if kind == "other":
        kind = rng.choice(("capitals", "nth_word"))
    if kind == "copy":
        labels = words.distinct(rng.randint(1, 3))
        texts = words.distinct(len(labels))
        for label, shown in zip(labels, texts, strict=True):
            row = f"{w.text(stage, label + ':', 'text', 'font-weight:bold').slot} "
            parts.append(f"<div>{row}{w.text(stage, shown).slot}</div>")
        index = rng.randrange(len(labels))
        value = texts[index]
        text = say("copy", qx=labels[index], qb=send.name)
    elif kind == "nth_word":
        shown_words = [words.lower_word() for _ in range(rng.randint(3, 6))]
        parts.append(f"<div>{w.text(stage, ' '.join(shown_words)).slot}</div>")
        index = rng.randrange(len(shown_words))
        value = shown_words[index]
        text = say("nth_word", n=_ORDINALS[index], m=str(index + 1), qb=send.name)
    elif kind == "capitals":
        value = words.lower_word()
        text = say("capitals", qv=value, qb=send.name)
        value = value.upper()
    elif kind == "type_enter":
        steps = [Step(node, "type", value), Step(node, "press", "enter")]
        return kind, say("type_enter", qv=value), steps
    elif kind == "type_only":
        return kind, say("type_only", qv=value, role=node.role), [Step(node, "type", value)]
    else:
        text = say("type_submit", qv=value, role=node.role, qb=send.name)
    return kind, text, [Step(node, "type", value), Step(send)]


def one_field(stage: Stage) -> None:
    """Single text field with a button; type and send, press Enter or copy a word."""
    rng, words = stage.rng, stage.words
    node = w.field(stage, "", rng.randint(70, 148), secret=rng.random() < 0.12)
    send = submit_button(stage)
    parts: list[str] = []
    kind, text, steps = _field_request(stage, node, send, parts)
    if rng.random() < 0.4 and kind != "nth_word":
        parts.append(f"<div>{w.text(stage, words.sentence(rng.randint(3, 9))).slot}</div>")
    rng.shuffle(parts)
    gap = rng.choice((" ", "<br>", "<br><br>"))
    indent = f"margin:{rng.randint(0, 40)}px 0 0 {rng.choice((0, 0, rng.randint(0, 12)))}px"
    stage.body = f"{''.join(parts)}<div style='{indent}'>{node.slot}{gap}{send.slot}</div>"
    stage.script(kind, text, steps)


def arithmetic(stage: Stage) -> None:
    """Sum with a missing number, shown on the screen or told in the request."""
    rng, words = stage.rng, stage.words
    a, b = rng.randint(0, 20), rng.randint(0, 20)
    sign = rng.choice("++-x")
    if sign == "-" and b > a:
        a, b = b, a
    result = {"+": a + b, "-": a - b, "x": a * b}[sign]
    node = w.field(stage, "", rng.randint(40, 70))
    send = submit_button(stage)
    big = f"font-size:{rng.choice((10, 12, 14, 18, 20))}px"
    told = rng.random() < 0.3
    if told:
        shown = w.text(stage, words.sentence(4)).slot
        text = stage.phrases.say("sum_said", expr=f"{a} {sign} {b}", qb=send.name)
    elif sign == "+" and rng.random() < 0.35:
        shown = w.text(stage, f"x + {b} = {result}", "text", big).slot
        shown += "<br>" + w.text(stage, "x =", "text", big).slot
        result = a
        text = stage.phrases.say("sum", qb=send.name)
    else:
        shown = w.text(stage, f"{a} {sign} {b} =", "text", big).slot
        text = stage.phrases.say("sum", qb=send.name)
    gap = rng.choice((" ", "<br>"))
    stage.body = f"<div>{shown}{gap}{node.slot}</div><div style='margin-top:6px'>{send.slot}</div>"
    stage.script("sum", text, [Step(node, "type", str(result)), Step(send)])


PAGES: tuple[tuple[float, str, Callable[[Stage], None]], ...] = (
    (8.0, "field_form", field_form),
    (6.0, "login", login),
    (5.5, "tick_list", tick_list),
    (3.0, "radio_list", radio_list),
    (5.0, "choice_list", choice_list),
    (7.5, "one_field", one_field),
    (3.5, "arithmetic", arithmetic),
)
