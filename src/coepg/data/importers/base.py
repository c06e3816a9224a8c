"""What an importer is: it reads a source record by record and turns each into steps.

Reading and converting are apart, so that one bad record can be set aside while the rest goes on,
and so that memory does not grow with the source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from coepg.errors import DataError
from coepg.types import Step

BoxUnit = Literal["px", "norm1", "norm1000", "none"]
BoxOrder = Literal["x0y0x1y1", "xywh", "yxhw", "left_top_right_bottom", "none"]
ScrollMeaning = Literal["content", "finger", "none"]


@dataclass(frozen=True, slots=True)
class SourceFormat:
    """A source's conventions. They are written down, never guessed from the numbers.

    Attributes:
        name: as on the command line.
        title: for people.
        license: of the data; its users must keep to it.
        url: where the data and its documentation are.
        box_unit, box_order: of the source's boxes.
        scroll: whether its scroll words name the direction of the content to reveal ("down"
            shows what is below) or of the finger. Steps always hold the content's direction.
        splits: split names, or () where the user names the split.
    """

    name: str
    title: str
    license: str
    url: str
    box_unit: BoxUnit
    box_order: BoxOrder
    scroll: ScrollMeaning
    splits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One unit of a source that is converted or refused as a whole.

    Attributes:
        where: file and row, for messages.
        data: as parsed, in the importer's own form.
    """

    where: str
    data: Any


@dataclass(frozen=True, slots=True)
class Imported:
    """A step and the encoded bytes of its screenshot."""

    step: Step
    image: bytes


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the user may choose for any source.

    Attributes:
        images: folder of the pictures, where annotations and pictures come apart.
        split: name of the split for sources that do not say it, or a filter for those that do.
        extra: settings of one importer, ``--option key=value``.
    """

    images: Path | None = None
    split: str | None = None
    extra: dict[str, str] = field(default_factory=dict)


class Importer(Protocol):
    """Reads one kind of source.

    Example:
        >>> for record in importer.records(Path("rows.jsonl")):  # doctest: +SKIP
        ...     for imported in importer.convert(record):
        ...         writer.add(imported.step, imported.image)
    """

    format: SourceFormat

    def __init__(self, options: ImportOptions) -> None: ...

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The source's records in order, in memory that does not grow.

        A record that cannot even be parsed is yielded as the error that says so. An error that
        makes the rest unreadable (a truncated file) is raised.
        """
        ...

    def convert(self, record: Record) -> list[Imported]:
        """The steps of a record.

        Raises:
            DataError: names ``record.where``, what was found, expected, and what to do.
        """
        ...
