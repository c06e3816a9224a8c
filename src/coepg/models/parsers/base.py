"""What every parser returns, and the frame that turns problems into reasons."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace

from coepg.models.parsers.vocabulary import FAILURES, REPAIRS, WARNINGS
from coepg.types import ACTION_CLASSES, Frame, Plan, Point, Space

MAX_TEXT_CHARS = 32_000
"""Of a longer answer only the end is read: reasoning comes first, the action last."""

OPPOSITE = {"up": "down", "down": "up", "left": "right", "right": "left"}
"""Finger direction to the direction of the content that it reveals, and back."""


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """One answer of a model, read.

    Attributes:
        dialect: name of the parser.
        kind: a kind of `coepg.types.ACTION_CLASSES`; None if the answer could not be read.
        value: text, option, direction, keys, app, seconds or message, as the kind needs it. The
            direction of a scroll is that of the content to reveal; of a swipe, the finger's.
        point: where to act, in the space that the dialect speaks.
        end_point: where a swipe or drag ends.
        element: the target in words.
        status: how a finished task ended (``success``, ``failure``), if the model says so.
        repairs: names from `REPAIRS`, in the order of need, each once.
        warnings: names from `WARNINGS`.
        failure: a name from `FAILURES`, or None.
        detail: for people: what exactly failed.
    """

    dialect: str
    kind: str | None = None
    value: str | None = None
    point: Point | None = None
    end_point: Point | None = None
    element: str | None = None
    status: str | None = None
    repairs: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    failure: str | None = None
    detail: str = ""

    def __post_init__(self) -> None:
        if (self.kind is None) == (self.failure is None):
            raise ValueError("an answer has either a kind or a failure")
        if self.kind is not None and self.kind not in ACTION_CLASSES:
            raise ValueError(f"unknown action kind {self.kind!r}")

    @property
    def is_parsed(self) -> bool:
        """Whether the answer could be read."""
        return self.failure is None

    def plan(self) -> Plan | None:
        """The answer without its point, or None if it could not be read."""
        return None if self.kind is None else Plan(self.element, self.kind, self.value)

    def point_px(self, frame: Frame) -> Point | None:
        """Where to act, in pixels of the screenshot.

        Args:
            frame: the sizes of the screenshot; for an answer in ``model_px`` it must hold the
                size that the model really processed.
        """
        return None if self.point is None else frame.convert(self.point, Space.IMAGE_PX)


def as_scroll(answer: ParsedAnswer) -> ParsedAnswer:
    """A swipe as the scroll that it causes; every other answer unchanged.

    A finger that moves up reveals what is below, so a swipe "up" is a scroll "down". Mobile
    benchmarks know only one of the two (see the table in docs/reference/answers.md).
    """
    if answer.kind != "swipe" or answer.value is None:
        return answer
    return replace(answer, kind="scroll", value=OPPOSITE[answer.value])


class Unreadable(Exception):
    """Inside parsers: the answer cannot be read, with a name from `FAILURES`."""

    def __init__(self, failure: str, detail: str = "") -> None:
        assert failure in FAILURES, failure
        self.failure = failure
        self.detail = detail[:200]
        super().__init__(failure)


@dataclass(slots=True)
class Notes:
    """Inside parsers: collects repairs and warnings while reading."""

    repairs: dict[str, None] = field(default_factory=dict)
    warnings: dict[str, None] = field(default_factory=dict)

    def repair(self, name: str) -> None:
        """Record a repair, once."""
        assert name in REPAIRS, name
        self.repairs[name] = None

    def warn(self, name: str) -> None:
        """Record a warning, once."""
        assert name in WARNINGS, name
        self.warnings[name] = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Inside parsers: an action that was read. Fields as in `ParsedAnswer`."""

    kind: str
    value: str | None = None
    point: Point | None = None
    end_point: Point | None = None
    element: str | None = None
    status: str | None = None


class AnswerParser(ABC):
    """Reads the answers of one dialect.

    Attributes:
        name: of the dialect.
        space: of the points in its answers; None if it has no points.
    """

    def __init__(self, name: str, space: Space | None) -> None:
        self.name = name
        self.space = space

    def parse(self, text: str) -> ParsedAnswer:
        r"""Read an answer. Raises nothing: what cannot be read has a failure.

        Example:
            >>> from coepg.models.parsers import get_parser
            >>> get_parser("os_atlas").parse("actions:\nSCROLL [DOWN]").value
            'down'
        """
        notes = Notes()
        if len(text) > MAX_TEXT_CHARS:
            text = text[-MAX_TEXT_CHARS:]
            notes.repair("cut")
        try:
            if not text.strip():
                raise Unreadable("empty")
            found = self._read(text, notes)
        except Unreadable as error:
            return ParsedAnswer(self.name, failure=error.failure, detail=error.detail)
        return ParsedAnswer(
            self.name,
            kind=found.kind,
            value=found.value,
            point=found.point,
            end_point=found.end_point,
            element=found.element,
            status=found.status,
            repairs=tuple(notes.repairs),
            warnings=tuple(notes.warnings),
        )

    @abstractmethod
    def _read(self, text: str, notes: Notes) -> Reading:
        """The first action in the text.

        Raises:
            Unreadable: there is none.
        """


def direction_word(value: object) -> str:
    """``up``, ``down``, ``left`` or ``right``.

    Raises:
        Unreadable: anything else.
    """
    word = str(value).strip().lower()
    if word not in OPPOSITE:
        raise Unreadable("bad_direction", repr(value))
    return word


def stroke_direction(start: Point, end: Point) -> str:
    """The finger's direction along its main axis; y grows downwards.

    Raises:
        Unreadable: the finger does not move.
    """
    dx, dy = end.x - start.x, end.y - start.y
    if dx == 0 and dy == 0:
        raise Unreadable("bad_direction", "start and end are the same point")
    if abs(dx) > abs(dy):
        return "right" if dx > 0 else "left"
    return "down" if dy > 0 else "up"


MAX_KEYS = 10
"""More keys at once are a repetition, not a key press."""


def join_keys(keys: list[str]) -> str:
    """Keys that are pressed together, as ``ctrl+a``.

    Raises:
        Unreadable: no key, or too many.
    """
    found = [key.strip() or "space" for key in keys if key]
    if not found:
        raise Unreadable("no_value", "no key")
    if len(found) > MAX_KEYS:
        raise Unreadable("too_many_keys", f"{len(found)} keys")
    return "+".join(found)
