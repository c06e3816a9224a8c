"""Check boxes, radio buttons, drop-downs, lists, spinners and suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coepg.data.miniwob.demonstrators.common import (
    BLANK,
    found,
    is_in_view,
    ordinal,
    press_button,
    reveal,
)
from coepg.data.miniwob.environment import text_of
from coepg.data.miniwob.gold import (
    Demonstration,
    Demonstrator,
    SkipEpisode,
    click,
    enter,
    select,
)

if TYPE_CHECKING:
    from coepg.data.miniwob.environment import MiniwobPage


def checkboxes(screen: MiniwobPage) -> Demonstration:
    """Tick the named boxes in the order of the instruction, then submit."""
    names = found("Select (.+) and click Submit", screen.instruction)[1]
    for name in [] if names == "nothing" else names.split(", "):
        yield click(screen.only("#area label", name), "checkbox", name)
    yield from press_button(screen)


def similar_checkboxes(screen: MiniwobPage) -> Demonstration:
    """Tick the boxes whose words mean the same, in the order of the instruction, then submit."""
    groups: list[list[str]] = screen.js("SYNONYMS")
    words = found("similar to (.+) and click Submit", screen.instruction)[1].split(", ")
    for word in words:
        same = {w for group in groups if word in group for w in group}
        fitting = [e for e in screen.all("#area label") if text_of(e) in same]
        if len(fitting) != 1:
            raise SkipEpisode(f"{len(fitting)} words similar to {word!r}")
        yield click(fitting[0], "checkbox", text_of(fitting[0]))
    yield from press_button(screen)


def radio_option(screen: MiniwobPage) -> Demonstration:
    """Choose the named radio button, then submit."""
    name = found("Select (.+) and click Submit", screen.instruction)[1]
    yield click(screen.only("#area label", name), "radio button", name)
    yield from press_button(screen)


def digit_in_checkboxes(screen: MiniwobPage) -> Demonstration:
    """Draw a digit with check boxes, in reading order, then submit."""
    digit = int(found(r'number "(\d)"', screen.instruction)[1])
    pattern: list[list[int]] = screen.js("d => PATTERNS[d]", digit)
    boxes = screen.all("#checkboxes input")
    for index, box in enumerate(boxes):
        row, column = divmod(index, 4)
        if pattern[row][column]:
            yield click(box, "checkbox", f"row {row + 1} column {column + 1}")
    yield from press_button(screen)


def choose_from_list(screen: MiniwobPage) -> Demonstration:
    """Choose an entry of a drop-down, then submit."""
    option = found("Select (.+) from the list", screen.instruction)[1]
    box = screen.one("#options")
    shown = str(box.evaluate("e => e.options[e.selectedIndex].label"))
    if shown != option:
        yield select(box, option, shown)
    yield from press_button(screen)


def choose_from_scroll_list(screen: MiniwobPage) -> Demonstration:
    """Choose one or two entries of a list box, then submit."""
    names = found("Select (.+) from the scroll list", screen.instruction)[1]
    box = screen.one("#options")
    options = box.evaluate("e => [...e.options].map(o => o.label)")
    wanted = [o for o in options if o in names]
    if ", ".join(sorted(wanted, key=names.index)) != names:
        raise SkipEpisode("the names cannot be told apart")
    for option in sorted(wanted, key=names.index):
        yield select(box, option, "scroll list")
    yield from press_button(screen)


def radio_and_number(screen: MiniwobPage) -> Demonstration:
    """Choose the n-th radio button, fill the n-th field, then submit."""
    match = found(
        r'Check the (\w+) radio button and enter the number "(-?\d+)" into the (\w+) textbox',
        screen.instruction,
    )
    radios, fields = screen.all("#area input[type=radio]"), screen.all("#area input[type=text]")
    places = [ordinal(i) for i in range(3)]
    yield click(radios[places.index(match[1])], "radio button", match[1])
    yield enter(fields[places.index(match[3])], match[2], f"{match[3]} {BLANK}")
    yield from press_button(screen)


def drop_down_and_button(screen: MiniwobPage) -> Demonstration:
    """Choose from a drawn drop-down, then click a button."""
    match = found('Choose (.+) from the dropdown, .* labeled "(.+)"', screen.instruction)
    yield click(screen.one(".selectric"), "drop-down", BLANK)
    entry = screen.only(".selectric-items li", match[1])
    yield from reveal(screen, entry, screen.one(".selectric-scroll"))
    yield click(entry, "option", match[1])
    yield from press_button(screen, match[2])


def spinner(screen: MiniwobPage) -> Demonstration:
    """Step a number up or down, then submit."""
    number = int(found(r"Select (-?\d+) with", screen.instruction)[1])
    if abs(number) > 9:
        raise SkipEpisode("too many steps")
    side = "up" if number > 0 else "down"
    for _ in range(abs(number)):
        yield click(screen.one(f".ui-spinner-{side}"), "icon", side)
    yield from press_button(screen)


def suggestion(screen: MiniwobPage) -> Demonstration:
    """Type the start of a word, take the fitting suggestion, then submit."""
    match = found(r'starts with "(.+?)"(?: and ends with "(.+)")?\.$', screen.instruction)
    start, end = match[1], match[2] or ""
    yield enter(screen.one("#tags"), start, "Tags:")
    fitting = [e for e in screen.all(".ui-menu-item") if text_of(e).endswith(end)]
    seen = [e for e in fitting if is_in_view(screen, e)]
    if not seen:
        raise SkipEpisode("the suggestion is out of view")
    yield click(seen[0], "menu item", text_of(seen[0]))
    yield from press_button(screen)


CHOICES: dict[str, Demonstrator] = {
    "choose-list": choose_from_list,
    "click-checkboxes": checkboxes,
    "click-checkboxes-large": checkboxes,
    "click-checkboxes-soft": similar_checkboxes,
    "click-checkboxes-transfer": checkboxes,
    "click-option": radio_option,
    "click-scroll-list": choose_from_scroll_list,
    "form-sequence-2": radio_and_number,
    "form-sequence-3": drop_down_and_button,
    "number-checkboxes": digit_in_checkboxes,
    "use-autocomplete-nodelay": suggestion,
    "use-spinner": spinner,
}
