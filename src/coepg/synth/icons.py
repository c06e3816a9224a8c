"""Icons of our own drawing, with what each of them is used for."""

from __future__ import annotations

_STROKE = 'fill="none" stroke="{c}" stroke-width="1.8" stroke-linecap="round"'

ICONS = {
    "trash": '<path d="M3 4h10M6 4V2h4v2" {s}/><path d="M4 6h8l-.8 8.5H4.8z" fill="{c}"/>',
    "star": '<path d="M8 1l2.1 4.7 5 .5-3.8 3.4 1.1 5L8 12l-4.4 2.6 1.1-5L.9 6.2l5-.5z" '
    'fill="{c}"/>',
    "reply": '<path d="M7 2L1 7l6 5V9c4 0 6 1 8 4 0-5-3-8-8-8z" fill="{c}"/>',
    "forward": '<path d="M9 2l6 5-6 5V9c-4 0-6 1-8 4 0-5 3-8 8-8z" fill="{c}"/>',
    "heart": '<path d="M8 14.5L2 8.5C-1 5 3.5 0 8 4.5 12.5 0 17 5 14 8.5z" fill="{c}"/>',
    "search": '<circle cx="6.5" cy="6.5" r="4.5" {s}/><path d="M10 10l4.5 4.5" {s}/>',
    "gear": '<circle cx="8" cy="8" r="4" fill="none" stroke="{c}" stroke-width="3"/>'
    '<path d="M8 0v3M8 13v3M0 8h3M13 8h3M2.3 2.3l2 2M11.7 11.7l2 2M13.7 2.3l-2 2'
    'M4.3 11.7l-2 2" stroke="{c}" stroke-width="2.2"/>',
    "envelope": '<rect x="1" y="3" width="14" height="10" {s}/><path d="M1 4l7 5 7-5" {s}/>',
    "plus": '<path d="M8 2v12M2 8h12" stroke="{c}" stroke-width="3"/>',
    "minus": '<path d="M2 8h12" stroke="{c}" stroke-width="3"/>',
    "close": '<path d="M3 3l10 10M13 3L3 13" stroke="{c}" stroke-width="2.6"/>',
    "check": '<path d="M2 8.5l4 4.5 8-10" fill="none" stroke="{c}" stroke-width="2.8"/>',
    "home": '<path d="M8 1L1 8h2v7h4v-4h2v4h4V8h2z" fill="{c}"/>',
    "user": '<circle cx="8" cy="5" r="3.5" fill="{c}"/><path d="M1 15c0-8 14-8 14 0z" fill="{c}"/>',
    "lock": '<rect x="3" y="7" width="10" height="8" fill="{c}"/>'
    '<path d="M5 7V4.5a3 3 0 0 1 6 0V7" {s}/>',
    "bell": '<path d="M8 1c4 0 4.5 4 4.5 7L14 12H2l1.5-4C3.5 5 4 1 8 1z" fill="{c}"/>'
    '<circle cx="8" cy="13.5" r="1.8" fill="{c}"/>',
    "pencil": '<path d="M2 14l1-4 8-8 3 3-8 8z" fill="{c}"/>',
    "play": '<path d="M3 1l11 7-11 7z" fill="{c}"/>',
    "pause": '<path d="M3 2h4v12H3zM9 2h4v12H9z" fill="{c}"/>',
    "left arrow": '<path d="M14 8H4M8 3L3 8l5 5" fill="none" stroke="{c}" stroke-width="2.2"/>',
    "right arrow": '<path d="M2 8h10M8 3l5 5-5 5" fill="none" stroke="{c}" stroke-width="2.2"/>',
    "up arrow": '<path d="M8 14V4M3 8l5-5 5 5" fill="none" stroke="{c}" stroke-width="2.2"/>',
    "down arrow": '<path d="M8 2v10M3 8l5 5 5-5" fill="none" stroke="{c}" stroke-width="2.2"/>',
    "menu": '<path d="M1 3h14M1 8h14M1 13h14" stroke="{c}" stroke-width="2"/>',
    "dots": '<circle cx="3" cy="8" r="1.7" fill="{c}"/><circle cx="8" cy="8" r="1.7" fill="{c}"/>'
    '<circle cx="13" cy="8" r="1.7" fill="{c}"/>',
    "share": '<path d="M4 8l8-5M4 8l8 5" {s}/><circle cx="3.5" cy="8" r="2.2" fill="{c}"/>'
    '<circle cx="12.5" cy="3" r="2.2" fill="{c}"/><circle cx="12.5" cy="13" r="2.2" '
    'fill="{c}"/>',
    "calendar": '<rect x="1.5" y="3" width="13" height="11.5" {s}/>'
    '<path d="M1.5 3h13v3.5h-13z" fill="{c}"/><path d="M5 1v3M11 1v3" {s}/>',
    "cart": '<path d="M1 2h2.5l2 8h7l2-6H4.5" {s}/><circle cx="6.5" cy="13.5" r="1.5" '
    'fill="{c}"/><circle cx="11.5" cy="13.5" r="1.5" fill="{c}"/>',
    "flag": '<path d="M3 1v14" {s}/><path d="M4 2h10l-3 3.5L14 9H4z" fill="{c}"/>',
    "clock": '<circle cx="8" cy="8" r="6.5" {s}/><path d="M8 4v4l3 2" {s}/>',
    "folder": '<path d="M1 3h5l2 2h7v9H1z" fill="{c}"/>',
    "repost": '<path d="M4 12V5h7M12 4v7H5M2 7l2-2.5L6 7M10 9l2 2.5L14 9" {s}/>',
    "speech bubble": '<path d="M1 2h14v9H8l-4 4v-4H1z" fill="{c}"/>',
    "camera": '<path d="M1 5h3l2-2h4l2 2h3v9H1z" fill="{c}"/><circle cx="8" cy="9" r="3" '
    'fill="#fff"/>',
}

ICON_PURPOSES: dict[str, tuple[str, ...]] = {
    "trash": ("delete it", "remove it", "throw it away", "get rid of it"),
    "star": ("mark it as important", "add it to the favorites", "rate it", "star it"),
    "reply": ("answer it", "reply to it", "write back"),
    "forward": ("forward it", "pass it on", "send it on to someone else"),
    "heart": ("like it", "show that you love it", "give it a heart"),
    "search": ("search", "look something up", "find something"),
    "gear": ("change the settings", "open the preferences", "configure it"),
    "envelope": ("write a mail", "open the mail box", "send an e-mail"),
    "plus": ("add an item", "create a new one", "add one more"),
    "minus": ("take one away", "subtract one"),
    "close": ("close it", "shut it", "dismiss it"),
    "check": ("confirm it", "mark it as done", "accept it"),
    "home": ("go home", "return to the start page"),
    "user": ("open the profile", "see the account"),
    "lock": ("lock it", "make it private", "protect it"),
    "bell": ("see the notifications", "set an alarm"),
    "pencil": ("edit it", "change the text", "modify it"),
    "play": ("play it", "start the video"),
    "pause": ("pause it", "hold the video"),
    "left arrow": ("go left", "go back"),
    "right arrow": ("go right", "go forward"),
    "up arrow": ("go up", "move it up"),
    "down arrow": ("go down", "move it down"),
    "menu": ("open the menu", "show the menu"),
    "dots": ("see more options", "show more"),
    "share": ("share it", "share it with friends"),
    "calendar": ("open the calendar", "pick a date"),
    "cart": ("open the shopping cart", "buy it"),
    "flag": ("flag it", "report it"),
    "clock": ("see the time", "view the history"),
    "folder": ("open the folder", "file it away"),
    "repost": ("repost it", "share it again"),
    "speech bubble": ("comment on it", "leave a comment"),
    "camera": ("take a photo", "open the camera"),
}
"""Ways to ask for an icon by what it does; "it" stands for the item it belongs to."""


def icon_svg(icon: str, size_px: int, color: str) -> str:
    """One icon of ICONS as SVG source."""
    stroke = _STROKE.replace("{c}", color)
    body = ICONS[icon].replace("{s}", stroke).replace("{c}", color)
    return (
        f'<svg width="{size_px}" height="{size_px}" viewBox="0 0 16 16" '
        f'style="display:block">{body}</svg>'
    )
