"""What Mind2Web's two layouts share: operations, candidates, and the words of earlier actions.

Source: the dataset card of osunlp/Multimodal-Mind2Web and OSU-NLP-Group/UGround,
offline_evaluation/Multimodal-Mind2Web/sample.py.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coepg.data.importers.boxes import overhanging_box
from coepg.data.importers.history import history_line, target_repr
from coepg.data.importers.values import field_of, optional_text, parsed_json, text_of
from coepg.errors import DataError
from coepg.types import Box, Size

OPERATIONS = {"CLICK": "click", "TYPE": "type", "SELECT": "select"}
"""``operation.op`` -> action type. Hovering and pressing enter are scored as clicks."""
REPR_OPERATIONS = {
    **OPERATIONS,
    "HOVER": "hover",
    "ENTER": "press",
}
"""The words at the end of ``action_reprs``; history tells them as what they were."""
NOT_VISIBLE = (-1.0, -1.0, -1.0, -1.0)
NO_POSITIVE = "no_positive"
"""Reason for steps without a visible positive element: they are scored as failed."""
_REPR = re.compile(
    r"^\[(?P<role>[^\]]*)\]\s*(?P<name>.*?)\s*->\s*(?P<op>[A-Z]+)(?::\s?(?P<value>.*))?$", re.S
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A positive element and whether the annotator meant this very one."""

    values: tuple[float, ...]
    is_original: bool


def candidates_of(items: Sequence[Any], where: str) -> list[Candidate]:
    """The visible positive elements.

    Args:
        items: ``pos_candidates``: objects, or JSON texts of objects; in both, ``attributes`` is a
            JSON text again, with ``bounding_box_rect`` = "x,y,width,height" in CSS pixels.
        where: file and row, for messages.

    Raises:
        DataError: something is not as described.
    """
    found = []
    for k, item in enumerate(items):
        place = f"{where}, pos_candidates {k}"
        fields = parsed_json(item, "candidate", place) if isinstance(item, str) else item
        attributes = parsed_json(text_of(fields, "attributes", place), "attributes", place)
        text = text_of(attributes, "bounding_box_rect", place)
        try:
            values = tuple(float(v) for v in text.split(","))
        except ValueError:
            values = ()
        if len(values) != 4:
            raise DataError(
                f"{place}: bounding_box_rect", found=repr(text), expected="x,y,width,height",
                fix="check --format, or mend the row",
            )  # fmt: skip
        if values != NOT_VISIBLE:
            found.append(Candidate(values, fields.get("is_original_target") is True))
    return found


def positive_boxes(candidates: Sequence[Candidate], size: Size, where: str) -> list[Box]:
    """The boxes that count as hits, the annotator's own element first.

    A page may push an element over the picture's edge: it is cut, and left out if less than half
    of it shows.

    Raises:
        DataError: none lies in the picture, though some are said to be visible.
    """
    ordered = sorted(candidates, key=lambda c: not c.is_original)
    boxes: list[Box] = []
    first: DataError | None = None
    for candidate in ordered:
        x, y, width, height = candidate.values
        try:
            box = Box(x, y, x + width, y + height)
            boxes.append(overhanging_box(box, size, f"{where}: bounding_box_rect"))
        except DataError as error:
            first = first or error
        except ValueError as error:
            raise DataError(
                f"{where}: bounding_box_rect", found=f"{candidate.values}",
                expected="x,y,width,height", fix=f"check the order of the numbers ({error})",
            ) from error  # fmt: skip
    if not boxes and first is not None:
        raise first
    return list(dict.fromkeys(boxes))


def operation_of(value: Any, where: str) -> tuple[str, str | None, str]:
    """Action type, value and ``original_op`` of an operation (an object, or its JSON).

    Raises:
        DataError: an operation that Mind2Web does not have.
    """
    fields = parsed_json(value, "operation", where) if isinstance(value, str) else value
    word = text_of(fields, "op", where)
    if word not in OPERATIONS:
        raise DataError(
            f"{where}: operation", found=repr(word), expected="one of " + ", ".join(OPERATIONS),
            fix="check --format, or mend the row",
        )  # fmt: skip
    kind = OPERATIONS[word]
    text = optional_text(fields, "value", where)
    return kind, None if kind == "click" else text, optional_text(fields, "original_op", where)


def reprs_of(value: Any, where: str) -> list[str]:
    """``action_reprs`` as a list; some conversions join it with line ends.

    Raises:
        DataError: neither a list of texts nor a text.
    """
    if isinstance(value, str):
        return value.splitlines()
    items: list[str] = field_of({"action_reprs": value}, "action_reprs", list, where)
    if not all(isinstance(item, str) for item in items):
        raise DataError(
            f"{where}: action_reprs", found=f"{items!r:.80}", expected="a list of texts",
            fix="check --format, or mend the row",
        )  # fmt: skip
    return items


def repr_line(text: str) -> tuple[str, str]:
    """A text of ``action_reprs`` as history line, and its ``[role] name``.

    Example:
        >>> repr_line("[searchbox]  Find a location -> TYPE: Boston")
        ('[searchbox] Find a location -> type: Boston', '[searchbox] Find a location')
    """
    match = _REPR.match(text)
    if match is None:
        return " ".join(text.split()), ""
    target = target_repr(match["role"], match["name"])
    kind = REPR_OPERATIONS.get(match["op"], match["op"].lower())
    if kind == "press":
        return f"{target} -> press: enter", target
    value = match["value"] if kind in ("type", "select") else None
    if kind not in REPR_OPERATIONS.values():
        return f"{target} -> {kind}", target
    return history_line(kind, value, target), target


def tags_of(row: Mapping[str, Any], original_op: str, where: str) -> dict[str, str]:
    """Website, domains and the operation before Mind2Web's own merging."""
    tags = {key: optional_text(row, key, where) for key in ("website", "domain", "subdomain")}
    return {k: v for k, v in (tags | {"original_op": original_op}).items() if v}
