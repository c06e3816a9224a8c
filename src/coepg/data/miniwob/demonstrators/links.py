"""Links, tabs, folding sections, menus, trees and result pages: finding the way to a target."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coepg.data.miniwob.demonstrators.common import BLANK, found, press_button
from coepg.data.miniwob.environment import text_of
from coepg.data.miniwob.gold import (
    Demonstration,
    Demonstrator,
    SkipEpisode,
    click,
    enter,
    hover,
)

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from coepg.data.miniwob.environment import MiniwobPage


def click_link(screen: MiniwobPage) -> Demonstration:
    """Click the quoted link."""
    wanted = found('"(.+)"', screen.instruction)[1]
    yield click(screen.only("#area .alink", wanted), "link", wanted)


def click_tab(screen: MiniwobPage) -> Demonstration:
    """Open the named tab."""
    wanted = found(r"(Tab #\d)", screen.instruction)[1]
    yield click(screen.only(".ui-tabs-anchor", wanted), "tab", wanted)


def link_in_tabs(screen: MiniwobPage) -> Demonstration:
    """Look for a link tab by tab, from left to right."""
    wanted = found('"(.+)"', screen.instruction)[1]
    tabs = screen.all(".ui-tabs-anchor")
    for index in range(len(tabs)):
        if index:
            yield click(tabs[index], "tab", text_of(tabs[index]))
            if screen.done:
                return
        if any(text_of(e) == wanted for e in screen.all("#area .alink")):
            yield from click_link(screen)
            return
    raise SkipEpisode("the link is in no tab")


def expand_and_submit(screen: MiniwobPage) -> Demonstration:
    """Open the one section, then submit."""
    header = screen.one("#area h3")
    yield click(header, "heading", text_of(header))
    yield from press_button(screen)


def link_in_sections(screen: MiniwobPage) -> Demonstration:
    """Open section after section until the link shows."""
    wanted = found('"(.+)"', screen.instruction)[1]
    for header in screen.all("#area h3"):
        yield click(header, "heading", text_of(header))
        if any(text_of(e) == wanted for e in screen.all("#area .alink")):
            yield from click_link(screen)
            return
    raise SkipEpisode("the link is in no section")


def menu_path(screen: MiniwobPage) -> Demonstration:
    """Follow a menu by hovering over its branches, then click the leaf."""
    *branches, leaf = found("Select (.+)$", screen.instruction)[1].split(">")
    for name in branches:
        yield hover(_menu_entry(screen, name), "menu item", name)
    yield click(_menu_entry(screen, leaf), "menu item", leaf)


def menu_with_icons(screen: MiniwobPage) -> Demonstration:
    """Open the menu and click the entry with this label."""
    if "icon." in screen.instruction:
        raise SkipEpisode("the instruction shows a picture instead of words")
    label = found('labeled "(.+)"', screen.instruction)[1]
    yield from press_button(screen, "Menu")
    if label in ("Prev", "Stop", "Play", "Next"):
        yield hover(_menu_entry(screen, "Playback"), "menu item", "Playback")
    yield click(_menu_entry(screen, label), "menu item", label)


def _menu_entry(screen: MiniwobPage, name: str) -> ElementHandle:
    return screen.only("#area .ui-menu-item > div", name)


def pie_menu(screen: MiniwobPage) -> Demonstration:
    """Open the pie menu by its hub, then click the slice."""
    wanted = found('"(.+)"', screen.instruction)[1]
    hub = screen.only("#divWheel text", "+")
    yield click(hub, "button", "+")
    yield click(screen.only("#divWheel text", wanted), "menu item", wanted)


def file_tree(screen: MiniwobPage) -> Demonstration:
    """Open folders from the top until the name shows, then click it."""
    wanted = found('named "(.+)"', screen.instruction)[1]
    opened: set[str] = set()
    for _ in range(6):
        entries = screen.all("#tree span")
        fitting = [e for e in entries if text_of(e) == wanted]
        if len(fitting) > 1:
            raise SkipEpisode("two entries of this name")
        if fitting:
            yield click(fitting[0], "list item", wanted)
            return
        folders = [e for e in entries if "folder" in (e.get_attribute("class") or "").split()]
        closed = [e for e in folders if text_of(e) not in opened]
        if not closed:
            break
        name = text_of(closed[0])
        opened.add(name)
        yield click(closed[0], "list item", name)
    raise SkipEpisode("the name is in no folder")


def phone_book(screen: MiniwobPage) -> Demonstration:
    """Turn pages until the person shows, then click one of their details."""
    match = found(r"Find (.+) in the contact book and click on their (\w+)", screen.instruction)
    for _ in range(5):
        if text_of(screen.one("#contact .name")) == match[1]:
            detail = screen.one(f"#contact a.{match[2]}")
            yield click(detail, "link", text_of(detail))
            return
        yield click(screen.only("#pagination a", ">"), "link", ">")
    raise SkipEpisode("the person is on no page")


def search_engine(screen: MiniwobPage) -> Demonstration:
    """Search, turn to the page of the n-th result, and click it."""
    match = found(r'enter "(.+)" and press .* click the (\d+)\w\w search', screen.instruction)
    page, place = divmod(int(match[2]) - 1, 3)
    yield enter(screen.one("#search-text"), match[1], BLANK)
    yield from press_button(screen, "Search")
    if page:
        link = screen.only("#pagination a", str(page + 1))
        yield click(link, "link", str(page + 1))
    results = screen.all("#page-content a")
    texts = [text_of(e) for e in results]
    if texts.count(texts[place]) > 1:
        raise SkipEpisode("two results of one title")
    yield click(results[place], "link", texts[place])


LINKS: dict[str, Demonstrator] = {
    "click-collapsible-2-nodelay": link_in_sections,
    "click-collapsible-nodelay": expand_and_submit,
    "click-link": click_link,
    "click-menu": menu_path,
    "click-menu-2": menu_with_icons,
    "click-pie-nodelay": pie_menu,
    "click-tab": click_tab,
    "click-tab-2": link_in_tabs,
    "click-tab-2-easy": link_in_tabs,
    "click-tab-2-hard": link_in_tabs,
    "click-tab-2-medium": link_in_tabs,
    "navigate-tree": file_tree,
    "phone-book": phone_book,
    "search-engine": search_engine,
}
