"""Chat rows of training tools: a picture, a question, and an answer that holds coordinates.

The unit of the numbers is never guessed: the user says it with ``--option point_unit=...``. Four
numbers are ``x0, y0, x1, y1``. Rows that carry a packed step need no such word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import BoxUnit, Imported, LeftOut, Setting
from coepg.data.importers.boxes import POINT_TAG, box_px, point_box, point_px
from coepg.data.importers.grounding import grounding_step
from coepg.data.importers.packed import unpacked_step
from coepg.data.importers.values import field_of, text_of
from coepg.errors import ConfigError, DataError

POINT_UNIT = Setting(
    "point_unit", "what coordinates in answers measure: pixels of the picture, 0..1 or 0..1000",
    ("px", "norm1", "norm1000"),
)  # fmt: skip
USER_ROLES = ("user", "human")
ANSWER_ROLES = ("assistant", "gpt")
PLACEHOLDER = "<image>"
_NUMBER = r"\s*(-?\d+(?:\.\d+)?)\s*"
_GROUP = re.compile(rf"[\[(]{_NUMBER},{_NUMBER}(?:,{_NUMBER},{_NUMBER})?[\])]")
_NAMED = re.compile(rf"\bx\s*={_NUMBER},\s*y\s*={_NUMBER}")


@dataclass(frozen=True, slots=True)
class ChatRow:
    """One question about one picture.

    Attributes:
        prompt: without the picture's placeholder.
        answer: as in the source.
        data: bytes of the picture.
        packed: the value of the key ``coepg``, or None.
    """

    prompt: str
    answer: str
    data: bytes
    packed: Any = None


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """What the user says of chat rows.

    Attributes:
        unit: value of `POINT_UNIT`, or None.
        split: name for rows without one, filter for packed steps; None takes all.
    """

    unit: str | None = None
    split: str | None = None


def chat_steps(
    row: ChatRow, options: ChatOptions, name: str, where: str
) -> list[Imported | LeftOut]:
    """The step of a row: its packed one, else a click on what the answer points at.

    Raises:
        DataError: no coordinates in the answer, several, or outside the picture.
        ConfigError: the unit was not said.
    """
    if row.packed is not None:
        step = unpacked_step(row.packed, row.data, where)
        wanted = options.split in (None, step.split)
        return [Imported(step, row.data)] if wanted else []
    values = numbers_in(row.answer, where)
    shot = screenshot_of(row.data, where)
    unit = _said_unit(options)
    tags: Mapping[str, str] = {}
    if len(values) == 4:
        box = box_px(values, unit, "x0y0x1y1", shot.size, where, name="answer")
        point = None
    else:
        point = point_px(values, unit, shot.size, where, name="answer")
        box, tags = point_box(point, shot.size), POINT_TAG
    step = grounding_step(
        name,
        task_name="grounding",
        split=options.split or "train",
        instruction=text_of({"question": row.prompt}, "question", where),
        shot=shot,
        box=box,
        tags=tags,
        point=point,
    )
    return [Imported(step, row.data)]


def numbers_in(answer: str, where: str) -> list[float]:
    """The one point or box in an answer: ``[x, y]``, ``(x0, y0, x1, y1)``, ``x=.., y=..``, ...

    Raises:
        DataError: there is none, or more than one.

    Example:
        >>> numbers_in("<point>[[12, 40]]</point>", "a.json")
        [12.0, 40.0]
    """
    groups = [[float(n) for n in m.groups() if n is not None] for m in _GROUP.finditer(answer)]
    if len(groups) == 2 and all(len(group) == 2 for group in groups):
        corners = re.search(r"[\])]\s*,\s*[\[(]", answer)
        groups = [groups[0] + groups[1]] if corners else groups
    if not groups:
        groups = [[float(n) for n in m.groups()] for m in _NAMED.finditer(answer)]
    if len(groups) != 1:
        raise DataError(
            f"{where}: answer", found=f"{answer!r:.100} with {len(groups)} places in it",
            expected="one point [x, y] or box [x0, y0, x1, y1]",
            fix="leave out rows that answer something else",
        )  # fmt: skip
    return groups[0]


def question_and_answer(messages: Any, where: str) -> tuple[str, str]:
    """The texts of a conversation with one question and one answer; system texts are passed over.

    Args:
        messages: ``[{"role", "content"}]`` or ``[{"from", "value"}]``.
        where: file and row, for messages.

    Raises:
        DataError: another form, or more turns.
    """
    items: list[Any] = field_of({"messages": messages}, "messages", list, where)
    questions, answers = [], []
    for k, item in enumerate(items):
        place = f"{where}, message {k}"
        is_role = isinstance(item, Mapping) and "role" in item
        role = text_of(item, "role" if is_role else "from", place)
        content = content_text(item.get("content" if is_role else "value"), place)
        if role in USER_ROLES:
            questions.append(content)
        elif role in ANSWER_ROLES:
            answers.append(content)
    if len(questions) != 1 or len(answers) != 1:
        raise DataError(
            f"{where}: messages", found=f"{len(questions)} questions, {len(answers)} answers",
            expected="one of each", fix="split conversations into rows of one turn",
        )  # fmt: skip
    return questions[0].replace(PLACEHOLDER, "").strip(), answers[0]


def content_text(content: Any, where: str) -> str:
    """The text of a message: a text, or parts of which some are text."""
    if isinstance(content, Sequence) and not isinstance(content, str):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(part for part in parts if isinstance(part, str))
    text: str = field_of({"content": content}, "content", str, where)
    return text


def one_of(items: Any, name: str, where: str) -> Any:
    """The only element of a list.

    Raises:
        DataError: no list, or none or several.
    """
    if not isinstance(items, list) or len(items) != 1:
        raise DataError(
            f"{where}: {name}", found=f"{items!r:.80}", expected="a list of one picture",
            fix="use rows with one picture each",
        )  # fmt: skip
    return items[0]


def _said_unit(options: ChatOptions) -> BoxUnit:
    if options.unit is None:
        raise ConfigError(
            "--option point_unit",
            found="nothing, and the answers hold coordinates",
            expected="one of " + ", ".join(POINT_UNIT.choices),
            fix="say what the numbers measure; it is not guessed",
        )
    return cast(BoxUnit, options.unit)
