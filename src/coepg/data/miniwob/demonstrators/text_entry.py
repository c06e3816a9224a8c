"""Typing: given words, passwords, answers read or worked out from the screen, and long texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from coepg.data.miniwob.demonstrators.common import (
    BLANK,
    found,
    ordinal,
    press_button,
    scroll_to_end,
)
from coepg.data.miniwob.environment import text_of
from coepg.data.miniwob.gold import (
    Demonstration,
    Demonstrator,
    SkipEpisode,
    click,
    enter,
)

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from coepg.data.miniwob.environment import MiniwobPage


def type_and_submit(screen: MiniwobPage, css: str, text: str, name: str = BLANK) -> Demonstration:
    """Fill one field, then submit."""
    yield enter(screen.one(css), text, name)
    yield from press_button(screen)


def given_text(screen: MiniwobPage) -> Demonstration:
    """Type the quoted text."""
    return type_and_submit(screen, "#tt", found('Enter "(.+)" into', screen.instruction)[1])


def given_text_in_case(screen: MiniwobPage) -> Demonstration:
    """Type the quoted text in upper or lower case."""
    text = found('Type "(.+)" in', screen.instruction)[1]
    text = text.upper() if "upper case" in screen.instruction else text.lower()
    return type_and_submit(screen, "#tt", text)


def slanted_text(screen: MiniwobPage) -> Demonstration:
    """Type the slanted letters of the picture."""
    letters = "".join(text_of(e) for e in screen.all("#captcha span"))
    return type_and_submit(screen, "#tt", letters)


def password_twice(screen: MiniwobPage) -> Demonstration:
    """Type the password into both fields."""
    password = found('password "(.+)" into', screen.instruction)[1]
    yield enter(screen.one("#password"), password, "Password", "password field")
    yield enter(screen.one("#verify"), password, "Verify password", "password field")
    yield from press_button(screen)


def log_in(screen: MiniwobPage) -> Demonstration:
    """Type name and password, send away a pop-up if one comes, then log in."""
    match = found('username "(.+)" and the password "(.+)" into', screen.instruction)
    fields = [
        ("#username", match[1], "Username", "text field"),
        ("#password", match[2], "Password", "password field"),
    ]
    for css, text, label, role in fields:
        yield enter(screen.one(css), text, label, role)
        if screen.all("#popup"):
            yield click(screen.one("#popup-cancel"), "button", "Cancel")
            yield enter(screen.one(css), text, label, role)
    button = screen.one("#subbtn")
    yield click(button, "button", text_of(button))


def focus(screen: MiniwobPage) -> Demonstration:
    """Click into the field, or into the n-th one."""
    fields = screen.all("#area input")
    if len(fields) == 1:
        yield click(fields[0], "text field", BLANK)
        return
    place = found(r"the (\d\w\w) input", screen.instruction)[1]
    index = [ordinal(i) for i in range(3)].index(place)
    yield click(fields[index], "text field", f"{place} {BLANK}")


def value_from_table(screen: MiniwobPage) -> Demonstration:
    """Type the table's value of one key."""
    key = found("value of (.+) into", screen.instruction)[1]
    return type_and_submit(screen, "#tt", _table(screen)[key])


def values_from_table(screen: MiniwobPage) -> Demonstration:
    """Type the table's values of both labels."""
    table = _table(screen)
    for number in (1, 2):
        label = text_of(screen.one(f"#ll{number}"))
        yield enter(screen.one(f"#tt{number}"), table[label.rstrip(":")], label)
    yield from press_button(screen)


def _table(screen: MiniwobPage) -> dict[str, str]:
    rows: list[list[str]] = screen.js(
        "[...document.querySelectorAll('#tab tr')].map(r => [...r.cells].map(c => c.innerHTML))"
    )
    return {key: value for key, value in rows}


def nth_word(screen: MiniwobPage) -> Demonstration:
    """Type the n-th word of a paragraph."""
    place = int(found(r"Find the (\d+)\w\w word", screen.instruction)[1])
    words = text_of(screen.one("#area p")).split()
    word = re.sub("[^a-zA-Z]+", "", words[place - 1])
    return type_and_submit(screen, "#answer-input", word)


def arithmetic(screen: MiniwobPage) -> Demonstration:
    """Type the result of a sum, difference or product."""
    match = found(r"(\d) ([-+x]) (\d)", text_of(screen.one("#math-problem")))
    a, b = int(match[1]), int(match[3])
    result = {"+": a + b, "-": a - b, "x": a * b}[match[2]]
    return type_and_submit(screen, "#math-answer", str(result))


def algebra(screen: MiniwobPage) -> Demonstration:
    """Type the x that solves an equation."""
    match = found(r"(x|\d+) ([-+]) (x|\d+) = (\d+)", text_of(screen.one("#math-problem")))
    left, sign, right, total = match[1], match[2], match[3], int(match[4])
    if left == "x":
        x = total - int(right) if sign == "+" else total + int(right)
    else:
        x = total - int(left) if sign == "+" else int(left) - total
    return type_and_submit(screen, "#math-answer", str(x), "x =")


def block_addition(screen: MiniwobPage) -> Demonstration:
    """Type how many blocks there are on both sides."""
    count = screen.js("document.querySelectorAll('.addition-block').length")
    return type_and_submit(screen, "#math-answer", str(count))


def movie_search(screen: MiniwobPage) -> Demonstration:
    """Fill genre, director and year into a form of any order and layout, then send it."""
    match = found(r"Search for (.+) movies directed by (.+) from year (\d+)", screen.instruction)
    values = {"genre": match[1], "director": match[2], "year": match[3], "date": match[3]}
    for field in screen.all("#area input"):
        label = str(field.evaluate(_LABEL_BESIDE)).strip()
        key = next((k for k in values if k in label.lower()), None)
        if key is None:
            raise SkipEpisode(f"unknown label {label!r}")
        yield enter(field, values[key], label)
    button = screen.one("#area button, #area .final, #area .ui-submit")
    yield click(button, "button", text_of(button))


_LABEL_BESIDE = """
field => {
  for (let e = field; e && e.id !== 'area'; e = e.parentElement)
    for (const side of [e.previousElementSibling, e.nextElementSibling])
      if (side && side.tagName !== 'STYLE' && side.textContent.trim()
          && !side.querySelector('input')) return side.textContent;
  return '';
}
"""


def last_word(screen: MiniwobPage) -> Demonstration:
    """Scroll a text to its end and type its last word."""
    area = screen.one("#text-area")
    word = str(area.evaluate("e => e.value")).split()[-1].rstrip(".")
    if not re.fullmatch("[a-zA-Z0-9]+", word):
        raise SkipEpisode(f"the last word is {word!r}")
    yield from scroll_to_end(screen, area, "down")
    yield from type_and_submit(screen, "#answer-input", word)


def scroll_to_side(screen: MiniwobPage) -> Demonstration:
    """Scroll a text to its top or bottom, then submit."""
    direction = "down" if "bottom" in screen.instruction else "up"
    yield from scroll_to_end(screen, screen.one("#text-area"), direction)
    yield from press_button(screen)


def agreement(screen: MiniwobPage) -> Demonstration:
    """Scroll through the agreement, sign it, then agree or cancel."""
    text = screen.instruction
    if "enter the name" not in text:
        yield from press_button(screen, "Cancel")
        return
    area: ElementHandle = screen.one("#text-area")
    while screen.one("#name").is_disabled():
        yield from scroll_to_end(screen, area, "down")
        if screen.one("#name").is_disabled():
            raise SkipEpisode("the end of the text does not unlock the form")
    yield enter(screen.one("#name"), found('name "(.+?)"', text)[1], "Name")
    yield from press_button(screen, found('press "(.+)"', text)[1])


TEXT_ENTRY: dict[str, Demonstrator] = {
    "enter-password": password_twice,
    "enter-text": given_text,
    "enter-text-2": given_text_in_case,
    "enter-text-dynamic": given_text,
    "find-word": nth_word,
    "focus-text": focus,
    "focus-text-2": focus,
    "login-user": log_in,
    "login-user-popup": log_in,
    "multi-layouts": movie_search,
    "multi-orderings": movie_search,
    "read-table": value_from_table,
    "read-table-2": values_from_table,
    "scroll-text": last_word,
    "scroll-text-2": scroll_to_side,
    "sign-agreement": agreement,
    "simple-algebra": algebra,
    "simple-arithmetic": arithmetic,
    "text-transform": slanted_text,
    "visual-addition": block_addition,
}
