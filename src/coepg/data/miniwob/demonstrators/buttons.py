"""Buttons and dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coepg.data.miniwob.demonstrators.common import found, is_in_view, press_button, reveal
from coepg.data.miniwob.environment import text_of
from coepg.data.miniwob.gold import Demonstration, Demonstrator, SkipEpisode, click

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from coepg.data.miniwob.environment import MiniwobPage

WIDGET_ROLES = {
    "radio": "radio button",
    "checkbox": "checkbox",
    "text": "text field",
    "textarea": "text area",
    "button": "button",
}


def quoted_button(screen: MiniwobPage) -> Demonstration:
    """Click the button whose text is quoted."""
    yield from press_button(screen, found('"(.+)"', screen.instruction)[1])


def any_button(screen: MiniwobPage) -> Demonstration:
    """Click the only button there is."""
    button = screen.one("#area button")
    yield click(button, "button", text_of(button))


def button_one(screen: MiniwobPage) -> Demonstration:
    """Click button ONE and leave TWO alone."""
    yield from press_button(screen, "ONE")


def one_then_two(screen: MiniwobPage) -> Demonstration:
    """Click two buttons in order."""
    yield from press_button(screen, "ONE")
    yield from press_button(screen, "TWO")


def close_dialog(screen: MiniwobPage) -> Demonstration:
    """Click the cross of the dialog."""
    yield click(screen.one(".ui-dialog-titlebar-close"), "icon", "close")


def dialog_button(screen: MiniwobPage) -> Demonstration:
    """Click the named button of the dialog, or its cross."""
    wanted = found('"(.+)"', screen.instruction)[1]
    if wanted == "x":
        yield from close_dialog(screen)
    else:
        yield click(screen.only(".ui-dialog-buttonset button", wanted), "button", wanted)


def widget(screen: MiniwobPage) -> Demonstration:
    """Click the one widget of the named kind."""
    kind = found('"(.+)"', screen.instruction)[1]
    fitting = screen.all(f'#area [data-type="{kind}"]')
    if len(fitting) != 1:
        raise SkipEpisode(f"{len(fitting)} widgets of kind {kind}")
    target = fitting[0]
    if kind in ("radio", "checkbox"):
        target = screen.all("label")[_place_among_labels(target)]
        name = text_of(target)
    elif kind == "button":
        name = text_of(target)
    else:
        name = target.evaluate("e => e.value")
    yield click(target, WIDGET_ROLES[kind], name)


def _place_among_labels(element: ElementHandle) -> int:
    return int(
        element.evaluate("e => [...document.querySelectorAll('label')].indexOf(e.parentElement)")
    )


def odd_or_even(screen: MiniwobPage) -> Demonstration:
    """Mark each number, top to bottom, then submit."""
    for index, row in enumerate(screen.all("#numbers .row")):
        number = row.query_selector(".display-number")
        assert number is not None
        word = "Odd" if int(text_of(number)) % 2 else "Even"
        button = row.query_selector("." + word.lower())
        assert button is not None
        yield click(button, "button", f"{word} in row {index + 1}")
    yield from press_button(screen)


def generate_number(screen: MiniwobPage) -> Demonstration:
    """Draw numbers until one fits, then submit."""
    text = screen.instruction
    for _ in range(6):
        shown = text_of(screen.one("#display-number"))
        if shown != "-" and _fits(int(shown), text):
            yield from press_button(screen)
            return
        yield from press_button(screen, "Generate")
    raise SkipEpisode("no fitting number in six draws")


def _fits(number: int, text: str) -> bool:
    if "less than" in text:
        return number < int(found(r"less than (\d+)", text)[1])
    if "greater than" in text:
        return number > int(found(r"greater than (\d+)", text)[1])
    return number % 2 == (1 if "odd" in text else 0)


def buy_ticket(screen: MiniwobPage) -> Demonstration:
    """Book the flight that is cheapest, dearest, shortest or longest."""
    text = screen.instruction
    column = ".buy-ticket" if "cost" in text else ".time-duration"
    attribute = "data-price" if "cost" in text else "data-duration"
    amounts = [int(e.get_attribute(attribute) or 0) for e in screen.all(f"#area {column}")]
    best = max(amounts) if "most" in text or "longest" in text else min(amounts)
    if amounts.count(best) > 1:
        raise SkipEpisode("two equally good tickets")
    button = screen.all("#area .buy-ticket")[amounts.index(best)]
    if not is_in_view(screen, button):
        yield from reveal(screen, button, screen.one("#area"))
    yield click(button, "button", text_of(button))


BUTTONS: dict[str, Demonstrator] = {
    "buy-ticket": buy_ticket,
    "click-button": quoted_button,
    "click-button-sequence": one_then_two,
    "click-dialog": close_dialog,
    "click-dialog-2": dialog_button,
    "click-test": any_button,
    "click-test-2": button_one,
    "click-widget": widget,
    "generate-number": generate_number,
    "odd-or-even": odd_or_even,
    "unicode-test": quoted_button,
}
