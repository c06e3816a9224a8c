"""Android accessibility forests as android_env stores them: the elements of a screen.

Field numbers are those of ``android_env/proto/a11y/*.proto`` (google-deepmind/android_env):
forest.windows 1; window.tree 11; tree.nodes 1; node: bounds 2, class_name 3,
content_description 4, hint_text 5, text 7, is_editable 15, is_focused 18,
is_visible_to_user 23; rect: left 1, top 2, right 3, bottom 4, in pixels of the screen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from coepg.data.importers.elements import Element, visible_part
from coepg.data.importers.protobuf import WireError, iter_fields, signed
from coepg.errors import DataError
from coepg.types import Box, Size

_WINDOWS, _TREE, _NODES = 1, 11, 1
_BOUNDS, _CLASS, _DESCRIPTION, _HINT, _TEXT = 2, 3, 4, 5, 7
_EDITABLE, _FOCUSED, _VISIBLE = 15, 18, 23


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the forest.

    Attributes:
        element: its visible part.
        is_editable_focus: whether it is editable and has the focus: where typed text goes.
    """

    element: Element
    is_editable_focus: bool = False


def forest_nodes(data: bytes, size: Size, where: str) -> list[Node]:
    """The visible nodes of a forest, in the order in which they are stored.

    Nodes without area, outside the screen or not visible to the user are left out. A forest whose
    recorder never set the visibility keeps all.

    Raises:
        DataError: the bytes are no forest.
    """
    found: list[tuple[bool, Node]] = []
    try:
        for window in _messages(memoryview(data), _WINDOWS):
            for tree in _messages(window, _TREE):
                for node in _messages(tree, _NODES):
                    parsed = _node(node, size)
                    if parsed is not None:
                        found.append(parsed)
    except (WireError, UnicodeDecodeError) as error:
        raise DataError(
            f"{where}: accessibility tree",
            found=str(error),
            expected="an AndroidAccessibilityForest of android_env",
            fix="set the episode aside with --keep-going",
        ) from error
    says_visible = any(visible for visible, _ in found)
    return [node for visible, node in found if visible or not says_visible]


def _messages(data: memoryview, wanted: int) -> Iterator[memoryview]:
    for number, value in iter_fields(data):
        if number == wanted:
            if isinstance(value, int):
                raise WireError(f"a number in field {number} where a message is expected")
            yield value


def _node(data: memoryview, size: Size) -> tuple[bool, Node] | None:
    fields = dict(iter_fields(data))
    bounds = fields.get(_BOUNDS)
    if bounds is None or isinstance(bounds, int):
        return None
    rect = {n: signed(v) for n, v in iter_fields(bounds) if isinstance(v, int)}
    # An edge at 0 is not stored.
    left, top, right, bottom = (rect.get(n, 0) for n in (1, 2, 3, 4))
    if right <= left or bottom <= top:
        return None
    box = visible_part(Box(left, top, right, bottom), size)
    if box is None or not box.area:
        return None
    name = next((t for n in (_TEXT, _DESCRIPTION, _HINT) if (t := _text(fields.get(n)))), "")
    role = _text(fields.get(_CLASS)).rpartition(".")[2]
    focus = bool(fields.get(_EDITABLE)) and bool(fields.get(_FOCUSED))
    return bool(fields.get(_VISIBLE)), Node(Element(box, name, role), focus)


def _text(value: int | memoryview | None) -> str:
    return (
        "" if value is None or isinstance(value, int) else " ".join(bytes(value).decode().split())
    )
