"""Referring expressions: short texts that fit one element of a screen alone."""

from __future__ import annotations

from collections.abc import Sequence

from coepg.synth.types import SCREEN_SIZE_PX, Box, ScreenElement

FIELD_ROLES = frozenset({"text field", "password field", "text area", "drop-down", "slider"})
"""Roles whose name is the text of a label beside them, not text of their own."""

READABLE_ROLES = frozenset({"text", "heading"})

_ORDINALS = ("1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th")
_ROWS = ("top", "", "bottom")
_COLUMNS = ("left", "", "right")
_MARGIN_PX = 5
_MAX_GAP_PX = 70


def region_of(box_px: Box, size_px: int = SCREEN_SIZE_PX) -> str | None:
    """Name of the ninth of the screen that holds the box's centre.

    Args:
        box_px: Box on the screen.
        size_px: Side of the screen.

    Returns:
        Such as "top left" or "center"; None near a border between regions.

    Example:
        >>> region_of((0, 0, 20, 20))
        'top left'
    """
    names = []
    for low, high, labels in ((box_px[1], box_px[3], _ROWS), (box_px[0], box_px[2], _COLUMNS)):
        center, third = (low + high) / 2, size_px / 3
        if min(abs(center - third), abs(center - 2 * third)) < _MARGIN_PX:
            return None
        names.append(labels[min(2, int(center / third))])
    return " ".join(name for name in names if name) or "center"


def looks(element: ScreenElement, *, with_size: bool = False) -> str:
    """Noun phrase of an element: `button "Go"`, `red circle`, `trash icon`."""
    quoted = f' "{element.name}"' if element.name else ""
    if element.role == "shape":
        size = f"{element.size} " if with_size and element.size else ""
        return f"{size}{element.color} {element.shape}{quoted}"
    if element.role == "swatch":
        return f"{element.color} swatch"
    if element.role == "icon":
        return f"{element.name} icon".lstrip()
    return element.role + quoted


def kind_of(element: ScreenElement) -> str:
    """Noun without the name: `button`, `red circle`, `trash icon`."""
    if element.role == "shape":
        return f"{element.color} {element.shape}"
    if element.role in ("swatch", "icon"):
        return looks(element)
    if element.role == "point":
        return f"{element.color} point"
    return element.role


def reading_order(elements: Sequence[ScreenElement]) -> list[ScreenElement]:
    """Elements line by line; boxes whose middles are level share a line."""
    rest = sorted(elements, key=lambda e: (e.center_px[1], e.box_px[0]))
    ordered: list[ScreenElement] = []
    while rest:
        first = rest[0]
        line = [
            e for e in rest if e.center_px[1] - first.center_px[1] < 0.5 * _height(first.box_px)
        ]
        ordered += sorted(line, key=lambda e: e.box_px[0])
        rest = [e for e in rest if e not in line]
    return ordered


def _height(box_px: Box) -> int:
    return box_px[3] - box_px[1]


def describe(
    element: ScreenElement,
    elements: Sequence[ScreenElement],
    partial_roles: frozenset[str] = frozenset(),
) -> list[str]:
    """Expressions that single out an element, simplest first.

    Args:
        element: One of the elements.
        elements: Everything on the screen.
        partial_roles: Roles of which more elements are scrolled out of view, so
            that "1st" and "last" would be doubtful.

    Returns:
        Expressions without duplicates; may be empty for twins that nothing
        tells apart.
    """
    found = [
        *_by_looks(element, elements),
        *_by_value(element, elements),
        *_by_grid(element, elements),
        *_by_region(element, elements),
        *_by_neighbour(element, elements),
        *([] if element.role in partial_roles else _by_order(element, elements)),
    ]
    return list(dict.fromkeys(found))


def _same(left: str, right: str) -> bool:
    return left.casefold() == right.casefold()


def _alone(phrase: str, phrases: Sequence[str]) -> bool:
    return sum(_same(phrase, other) for other in phrases) == 1


def _by_looks(element: ScreenElement, elements: Sequence[ScreenElement]) -> list[str]:
    """Role with name, bare role, bare text, and a shape with fewer or more traits."""
    found = []
    if element.role == "shape":
        others = [e for e in elements if e.role == "shape"]
        plain = [f"{e.color} {e.shape}" for e in others]
        sized = [f"{e.size} {e.color} {e.shape}" for e in others]
        named = [looks(e) for e in others]
        full = [looks(e, with_size=True) for e in others]
        for own, every in (
            (f"{element.color} {element.shape}", plain),
            (f"{element.size} {element.color} {element.shape}", sized if element.size else []),
            (looks(element), named if element.name else []),
            (looks(element, with_size=True), full if element.size and element.name else []),
            (element.shape, [e.shape for e in others]),
        ):
            if _alone(own, every):
                found.append(own)
        return found
    own = looks(element)
    if _alone(own, [looks(e) for e in elements]):
        found.append(own)
    if element.name and element.role not in FIELD_ROLES | {"icon", "point"}:
        names = [e.name for e in elements if e.role != "icon"]
        names += [e.value for e in elements if e.value and e.role != "password field"]
        if _alone(element.name, names):
            found.append(f'"{element.name}"')
    if element.role not in ("swatch", "icon") and _alone(element.role, [e.role for e in elements]):
        found.append(element.role)
    return found


def _by_value(element: ScreenElement, elements: Sequence[ScreenElement]) -> list[str]:
    """Field with its present text."""
    if element.role not in FIELD_ROLES or not element.value or len(element.value) > 24:
        return []
    if element.role in ("password field", "slider"):
        return []
    own = f'{element.role} with "{element.value}"'
    every = [f'{e.role} with "{e.value}"' for e in elements if e.role in FIELD_ROLES]
    return [own] if _alone(own, every) else []


def _by_grid(element: ScreenElement, elements: Sequence[ScreenElement]) -> list[str]:
    """Cell of a board by row and column, if the cells fill the board."""
    if element.role != "cell":
        return []
    cells = [e for e in elements if e.role == "cell"]
    tops = sorted({e.box_px[1] for e in cells})
    lefts = sorted({e.box_px[0] for e in cells})
    if len(tops) * len(lefts) != len(cells) or min(len(tops), len(lefts)) < 2:
        return []
    row, column = tops.index(element.box_px[1]) + 1, lefts.index(element.box_px[0]) + 1
    return [f"cell in row {row}, column {column}"]


def _by_region(element: ScreenElement, elements: Sequence[ScreenElement]) -> list[str]:
    """Noun phrase or bare kind with one of nine regions."""
    region = region_of(element.box_px)
    if region is None:
        return []
    place = "in the center" if region == "center" else f"at the {region}"
    near = [e for e in elements if region_of(e.box_px) in (region, None)]
    found = []
    for phrase in (looks, kind_of):
        if _alone(phrase(element), [phrase(e) for e in near]):
            found.append(f"{phrase(element)} {place}")
    return found


def _gap(anchor: Box, box: Box, relation: str) -> float | None:
    """Pixels from the anchor to the box in the relation's direction, or None."""
    if relation in ("right of", "left of"):
        overlap = min(anchor[3], box[3]) - max(anchor[1], box[1])
        if overlap < 0.5 * min(anchor[3] - anchor[1], box[3] - box[1]):
            return None
        gap = box[0] - anchor[2] if relation == "right of" else anchor[0] - box[2]
    else:
        overlap = min(anchor[2], box[2]) - max(anchor[0], box[0])
        if overlap < 0.3 * min(anchor[2] - anchor[0], box[2] - box[0]):
            return None
        gap = box[1] - anchor[3] if relation == "below" else anchor[1] - box[3]
    return float(gap) if -3 <= gap <= _MAX_GAP_PX else None


def _anchors(elements: Sequence[ScreenElement]) -> list[tuple[str, Box, int]]:
    """Visible texts that occur once: text, box, element number."""
    texts = []
    for e in elements:
        if e.label_box_px is not None and e.name:
            texts.append((e.name, e.label_box_px, e.element_id))
        elif e.name and e.role not in FIELD_ROLES and e.role not in ("icon", "shape", "point"):
            texts.append((e.name, e.box_px, e.element_id))
    names = [text for text, _, _ in texts]
    return [item for item in texts if len(item[0]) <= 24 and _alone(item[0], names)]


def _by_neighbour(element: ScreenElement, elements: Sequence[ScreenElement]) -> list[str]:
    """Kind with the nearest text beside, above or below it."""
    kind = kind_of(element)
    rivals = [e for e in elements if kind_of(e) == kind and e is not element]
    ranked: list[tuple[float, str]] = []
    for text, box, owner in _anchors(elements):
        if owner == element.element_id and element.label_box_px is None:
            continue
        for relation in ("right of", "left of", "below", "above"):
            gap = _gap(box, element.box_px, relation)
            if gap is None:
                continue
            others = [_gap(box, rival.box_px, relation) for rival in rivals]
            if any(other is not None and other < gap + 12 for other in others):
                continue
            bonus = 0 if owner == element.element_id else 10
            bonus += 0 if relation in ("right of", "left of") else 6
            ranked.append((gap + bonus, f'{kind} {relation} "{text}"'))
    return [phrase for _, phrase in sorted(ranked)[:2]]


def _by_order(element: ScreenElement, elements: Sequence[ScreenElement]) -> list[str]:
    """Place among the elements of the same kind in reading order."""
    kind = kind_of(element)
    line = reading_order([e for e in elements if kind_of(e) == kind])
    if not 2 <= len(line) <= len(_ORDINALS):
        return []
    index = next(i for i, e in enumerate(line) if e.element_id == element.element_id)
    found = [f"{_ORDINALS[index]} {kind}"]
    if index == len(line) - 1:
        found.append(f"last {kind}")
    return found
