"""Small applications: a mail inbox, social media and a food order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coepg.data.miniwob.demonstrators.common import found, is_in_view, press_button, reveal
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

MORE_MENU = {"Share via DM", "Copy link to Tweet", "Embed Tweet", "Mute", "Block", "Report"}


def inbox(screen: MiniwobPage) -> Demonstration:
    """Do to a mail what the instruction's fixed wording says."""
    text = screen.instruction
    if " reply to them " in text:
        match = found('email by (.+) and reply to them with the text "(.+)"', text)
        return _reply(screen, match[1], match[2])
    if " forward that email " in text:
        match = found(r"email by (.+) and forward that email to (.+)\.", text)
        return _forward(screen, match[1], match[2])
    match = found("email by (.+) and click the (trash|star) icon", text)
    return _mark(screen, match[1], match[2])


def inbox_in_free_words(screen: MiniwobPage) -> Demonstration:
    """Do to a mail what the page's own fields say; people worded the instruction."""
    fields: dict[str, str] = screen.js("core.currentFields")
    match fields.get("task", "forward"):
        case "reply":
            return _reply(screen, fields["by"], fields["message"])
        case "forward":
            return _forward(screen, fields["by"], fields["to"])
        case "delete":
            return _mark(screen, fields["by"], "trash")
        case "important" | "star":
            return _mark(screen, fields["by"], "star")
    raise SkipEpisode(f"unknown fields {fields}")


def _thread(screen: MiniwobPage, sender: str) -> ElementHandle:
    fitting = [
        thread
        for thread in screen.page.query_selector_all("#main .email-thread")
        if text_of(_inside(thread, ".email-sender")) == sender
    ]
    if len(fitting) != 1:
        raise SkipEpisode(f"{len(fitting)} mails by {sender}")
    return fitting[0]


def _inside(element: ElementHandle, css: str) -> ElementHandle:
    found_inside = element.query_selector(css)
    if found_inside is None:
        raise SkipEpisode(f"nothing inside for {css}")
    return found_inside


def _mark(screen: MiniwobPage, sender: str, icon: str) -> Demonstration:
    thread = _thread(screen, sender)
    yield from reveal(screen, thread, screen.one("#main"))
    yield click(_inside(thread, f".{icon}"), "icon", f"{icon} of {sender}")


def _open_mail(screen: MiniwobPage, sender: str) -> Demonstration:
    thread = _thread(screen, sender)
    yield from reveal(screen, thread, screen.one("#main"))
    yield click(_inside(thread, ".email-left"), "list item", sender)


def _reply(screen: MiniwobPage, sender: str, words: str) -> Demonstration:
    yield from _open_mail(screen, sender)
    yield from _mail_button(screen, ".email-reply", "Reply")
    yield enter(screen.one("#reply-text"), words, "message", "text area")
    yield click(screen.one("#send-reply"), "icon", "send")


def _forward(screen: MiniwobPage, sender: str, receiver: str) -> Demonstration:
    yield from _open_mail(screen, sender)
    yield from _mail_button(screen, ".email-forward", "Forward")
    yield enter(screen.one(".forward-sender"), receiver, "to:")
    yield click(screen.one("#send-forward"), "icon", "send")


def _mail_button(screen: MiniwobPage, css: str, name: str) -> Demonstration:
    button = screen.page.query_selector(f"#email {css}")
    if button is None:
        raise SkipEpisode("the mail did not open")
    yield from reveal(screen, button, screen.one("#email"))
    yield click(button, "button", name)


def social_one(screen: MiniwobPage) -> Demonstration:
    """Click one button of one user's post, through the menu if it is there."""
    match = found(r'For the user (@\S+), click on the "(.+)" button', screen.instruction)
    user, action = match[1], match[2]
    posts = [p for p in screen.page.query_selector_all(".media") if _user(p) == user]
    if len(posts) != 1:
        raise SkipEpisode(f"{len(posts)} posts by {user}")
    icon = "More" if action in MORE_MENU else action
    target = _inside(posts[0], f".{icon.lower()}")
    yield from reveal(screen, target, screen.one("#area"))
    yield click(target, "icon", f"{icon} of {user}")
    if icon != "More":
        return
    entries = [e for e in posts[0].query_selector_all("ul li") if text_of(e).startswith(action)]
    yield from reveal(screen, entries[0], screen.one("#area"))
    yield click(entries[0], "menu item", text_of(entries[0]))


def social_some(screen: MiniwobPage) -> Demonstration:
    """Click one kind of button on the first n posts of a user, or on all, then submit."""
    match = found(
        r'the "(.+)" button on (\d+|all) posts? by (@\S+) and then click', screen.instruction
    )
    action, user = match[1], match[3]
    posts = [p for p in screen.page.query_selector_all(".media") if _user(p) == user]
    wanted = posts if match[2] == "all" else posts[: int(match[2])]
    area = screen.one("#area")
    for place, post in enumerate(wanted):
        icon = _inside(post, f".{action.lower()}")
        yield from reveal(screen, icon, area)
        in_view = [p for p in posts if is_in_view(screen, _inside(p, f".{action.lower()}"))]
        order = f" (post {place + 1})" if len(in_view) > 1 else ""
        yield click(icon, "icon", f"{action} of {user}{order}")
    submit = screen.page.query_selector("#submitRow button")
    assert submit is not None
    yield from reveal(screen, submit, area)
    yield from press_button(screen)


def _user(post: ElementHandle) -> str:
    return text_of(_inside(post, ".username"))


def order_food(screen: MiniwobPage) -> Demonstration:
    """Add the named dishes, or so many of a kind, then order."""
    text = screen.instruction
    area = screen.one("#area")
    items = screen.page.query_selector_all(".food-item")
    if text.startswith("Order one of each item"):
        names = text.split(": ", 1)[1].split(", ")
        wanted = sorted(
            (i for i in items if i.get_attribute("data-item") in names), key=items.index
        )
    else:
        match = found(r"Order (\d+) items that are (\S+)", text)
        fitting = [i for i in items if i.query_selector(f'img[alt="{match[2]}"]')]
        wanted = fitting[:1] * int(match[1])
    for item in wanted:
        plus = _inside(item, ".add")
        yield from reveal(screen, plus, area)
        yield click(plus, "button", f"+ of {item.get_attribute('data-item')}")
    button = screen.page.query_selector("#submit-order button")
    assert button is not None
    yield from reveal(screen, button, area)
    yield from press_button(screen, "Order!")


APPS: dict[str, Demonstrator] = {
    "email-inbox": inbox,
    "email-inbox-delete": inbox,
    "email-inbox-forward": inbox,
    "email-inbox-forward-nl": inbox_in_free_words,
    "email-inbox-forward-nl-turk": inbox_in_free_words,
    "email-inbox-important": inbox,
    "email-inbox-nl-turk": inbox_in_free_words,
    "email-inbox-noscroll": inbox,
    "email-inbox-reply": inbox,
    "email-inbox-star-reply": inbox,
    "order-food": order_food,
    "social-media": social_one,
    "social-media-all": social_some,
    "social-media-some": social_some,
}
