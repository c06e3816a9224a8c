"""Events of recorded MiniWoB++ demonstrations as actions.

A demonstration logs every event once in the capture phase (``timing`` 1) and once in the bubble
phase (``timing`` 3), and a click on a label a second time on its box: an action here is what the
hand did, a press and its release. Source: stanfordnlp/miniwob-plusplus-demos and the recorder in
Farama-Foundation/miniwob-plusplus.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from coepg.data.importers.history import target_repr
from coepg.data.importers.values import field_of, numbers_of, text_of
from coepg.errors import DataError

Dom = Mapping[str, Any]
CAPTURE = 1
CLICK_SLACK_PX = 5.0
"""A hand that moves less between press and release clicks; one that moves more drags."""
BACKSPACE, SPACE = 8, 32
KEYS = {
    8: "backspace", 9: "tab", 13: "enter", 27: "escape", 33: "pageup", 34: "pagedown", 35: "end",
    36: "home", 37: "left", 38: "up", 39: "right", 40: "down", 46: "delete",
}  # fmt: skip
"""Key codes that are actions of their own."""
KNOWN = ("mousedown", "mouseup", "click", "dblclick", "keydown", "keypress", "keyup", "scroll")
ROLES = {
    "A": "link", "BUTTON": "button", "INPUT_TEXT": "text field", "INPUT_PASSWORD": "text field",
    "INPUT_NUMBER": "text field", "INPUT_DATE": "text field", "INPUT_TIME": "text field",
    "TEXTAREA": "text field", "INPUT_CHECKBOX": "checkbox", "INPUT_RADIO": "radio button",
    "SELECT": "list", "LI": "list item", "LABEL": "label",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Event:
    """One logged event, with the page as it was then."""

    state: int
    kind: str
    fields: Mapping[str, Any]
    dom: Dom

    @property
    def point(self) -> tuple[float, float]:
        """Where the mouse was, in pixels of the page."""
        x, y = numbers_of([self.fields.get("x"), self.fields.get("y")], 2, "x, y", self.kind)
        return x, y


@dataclass(frozen=True, slots=True)
class PageAction:
    """One action of the hand.

    Attributes:
        kind: action type, or None with a ``reason``.
        state: index of the state whose page is the one before the action.
        dom: that page.
        value: text, direction or key.
        node: the element it was done to.
        point, end_point: in pixels of the page.
        reason: why there is no step.
    """

    kind: str | None
    state: int
    dom: Dom
    value: str | None = None
    node: Dom | None = None
    point: tuple[float, float] | None = None
    end_point: tuple[float, float] | None = None
    reason: str = ""
    keys: list[str] = field(default_factory=list)


def events_of(states: Sequence[Any], where: str) -> list[Event]:
    """The events, each once.

    Raises:
        DataError: a state without a page, or an event of a kind that was never seen.
    """
    found = []
    for number, state in enumerate(states):
        place = f"{where}, state {number}"
        dom = field_of(state, "dom", dict, place)
        fields = state.get("action")
        if fields is None or (isinstance(fields, dict) and fields.get("timing", 1) != CAPTURE):
            continue
        kind = text_of(fields, "type", place)
        if kind not in KNOWN:
            raise DataError(
                f"{place}: action", found=repr(kind), expected="one of " + ", ".join(KNOWN),
                fix="check --format, or leave the file out",
            )  # fmt: skip
        found.append(Event(number, kind, fields, dom))
    return found


def actions_of(events: Sequence[Event]) -> list[PageAction]:
    """What the hand did, in order."""
    actions: list[PageAction] = []
    number = 0
    while number < len(events):
        event = events[number]
        if event.kind == "mousedown":
            number = _pressed(events, number, actions)
        elif event.kind == "scroll":
            _add_scroll(events, number, actions)
        elif event.kind == "dblclick":
            _double(actions)
        elif event.kind in ("keydown", "keypress"):
            _key(event, actions)
        elif event.kind == "mouseup" and _is_native_list(event.dom):
            # The browser draws open lists outside of the page: which option was taken is unseen.
            actions.append(PageAction(None, event.state, event.dom, reason="option_unknown"))
        number += 1
    return [_without_keys(action) for action in actions]


def _pressed(events: Sequence[Event], start: int, actions: list[PageAction]) -> int:
    """Add a click, drag or scroll; returns the number of its last event."""
    down = events[start]
    end = start
    while end + 1 < len(events) and events[end].kind != "mouseup":
        if events[end + 1].kind == "mousedown":
            break
        end += 1
    scrolls = [k for k in range(start, end + 1) if events[k].kind == "scroll"]
    if scrolls:
        _add_scroll(events, scrolls[0], actions)
        return end
    node = target_node(down.dom, down.point)
    up = events[end].point if events[end].kind == "mouseup" else down.point
    moved = max(abs(up[0] - down.point[0]), abs(up[1] - down.point[1])) > CLICK_SLACK_PX
    kind = "drag" if moved else "click"
    actions.append(
        PageAction(kind, down.state, down.dom, None, node, down.point, up if moved else None)
    )
    return end


def _double(actions: list[PageAction]) -> None:
    """Two clicks on one element become one double click."""
    if len(actions) >= 2 and actions[-1].kind == actions[-2].kind == "click":
        actions.pop()
        actions[-1] = replace(actions[-1], kind="double_click")


def _key(event: Event, actions: list[PageAction]) -> None:
    code = field_of(event.fields, "keyCode", int, event.kind)
    typing = bool(actions) and actions[-1].kind == "type" and bool(actions[-1].keys)
    if event.kind == "keypress":
        if code >= SPACE:
            _typed(event, chr(code), actions)
    elif code == BACKSPACE and typing:
        actions[-1].keys.pop()
    elif code in KEYS:
        actions.append(PageAction("press", event.state, event.dom, KEYS[code]))


def _typed(event: Event, letter: str, actions: list[PageAction]) -> None:
    node = focused_node(event.dom)
    last = actions[-1] if actions else None
    if last is not None and last.kind == "type" and _same_box(last.node, node):
        last.keys.append(letter)
        return
    action = PageAction("type", event.state, event.dom, None, node, keys=[letter])
    if last is not None and last.kind == "click" and _same_box(last.node, node):
        # A click into the field is part of typing into it.
        actions.pop()
        action = replace(action, state=last.state, dom=last.dom, point=last.point)
    actions.append(action)


def _without_keys(action: PageAction) -> PageAction:
    return replace(action, value="".join(action.keys), keys=[]) if action.kind == "type" else action


def _add_scroll(events: Sequence[Event], number: int, actions: list[PageAction]) -> None:
    before = events[number - 1] if number else events[number]
    way = next(
        (w for event in events[number:] if (w := content_direction(before.dom, event.dom))), None
    )
    if way is None:
        found = PageAction(None, before.state, before.dom, reason="scroll_direction_unknown")
    else:
        found = PageAction("scroll", before.state, before.dom, way)
    last = actions[-1] if actions else None
    if last is None or (last.kind, last.value, last.reason) != (found.kind, way, found.reason):
        actions.append(found)


def content_direction(before: Dom, after: Dom) -> str | None:
    """The direction of the content that a scroll revealed: what moved up reveals what is below.

    Returns:
        None if nothing moved.
    """
    old = {node.get("ref"): node for node in nodes(before)}
    votes = {"down": 0, "up": 0, "right": 0, "left": 0}
    for node in nodes(after):
        known = old.get(node.get("ref"))
        if known is None or known.get("tag") != node.get("tag"):
            continue
        for side, less, more in (("top", "down", "up"), ("left", "right", "left")):
            delta = float(node.get(side) or 0) - float(known.get(side) or 0)
            votes[less] += delta < 0
            votes[more] += delta > 0
    way = max(votes, key=lambda key: votes[key])
    return way if votes[way] else None


def nodes(dom: Dom) -> Iterator[Dom]:
    """The elements of a page, parents first."""
    waiting: list[Any] = [dom]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            yield node
            waiting.extend(reversed(node.get("children") or []))


def target_node(dom: Dom, point: tuple[float, float]) -> Dom | None:
    """The element that got the event: the marked one, else the smallest at the point."""
    marked = [node for node in nodes(dom) if node.get("recordingTarget")]
    return marked[-1] if marked else node_at(dom, point)


def node_at(dom: Dom, point: tuple[float, float]) -> Dom | None:
    """The smallest element at a point."""
    holding = [node for node in nodes(dom) if _holds(node, point)]
    return min(holding, key=_area, default=None)


def focused_node(dom: Dom) -> Dom | None:
    """The element that gets the keys."""
    marked = [node for node in nodes(dom) if node.get("focused")]
    return marked[-1] if marked else None


def node_box(node: Dom) -> tuple[float, float, float, float] | None:
    """``(left, top, width, height)`` in pixels of the page, or None."""
    values = [node.get(key) for key in ("left", "top", "width", "height")]
    if all(isinstance(v, int | float) for v in values):
        left, top, width, height = (float(v) for v in values if v is not None)
        return left, top, width, height
    return None


def node_repr(node: Dom) -> str:
    """``[role] name``."""
    tag = str(node.get("tag", "")).upper()
    return target_repr(ROLES.get(tag, tag.lower()), node_name(node))


def node_name(node: Dom) -> str:
    """Its text or that of what it holds, else its id."""
    texts = [str(n["text"]) for n in nodes(node) if n.get("text")]
    return " ".join(" ".join(texts).split()) or str(node.get("id") or "")


def _holds(node: Dom, point: tuple[float, float]) -> bool:
    box = node_box(node)
    return box is not None and (
        box[0] <= point[0] <= box[0] + box[2] and box[1] <= point[1] <= box[1] + box[3]
    )


def _area(node: Dom) -> float:
    box = node_box(node)
    return box[2] * box[3] if box else 0.0


def _same_box(a: Dom | None, b: Dom | None) -> bool:
    return a is not None and b is not None and a["tag"] == b["tag"] and node_box(a) == node_box(b)


def _is_native_list(dom: Dom) -> bool:
    return any(n.get("recordingTarget") and n.get("tag") == "SELECT" for n in nodes(dom))
