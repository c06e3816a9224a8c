"""What an importer is: it reads a source record by record and turns each into steps.

Reading and converting are apart, so that one bad record can be set aside while the rest goes on,
and so that memory does not grow with the source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from coepg.data.writer import LeftOut as LeftOut  # importers take it from here
from coepg.errors import ConfigError, DataError
from coepg.types import Step

BoxUnit = Literal["px", "norm1", "norm1000", "none"]
BoxOrder = Literal["x0y0x1y1", "xywh", "yxhw", "left_top_right_bottom", "none"]
ScrollMeaning = Literal["content", "finger", "none"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One ``--option name=value`` of a format.

    Attributes:
        name: as on the command line.
        meaning: one sentence for the documentation.
        choices: allowed values; () for a free text.
        default: None where the user has to say it when it is needed.
    """

    name: str
    meaning: str
    choices: tuple[str, ...] = ()
    default: str | None = None


def check_settings(settings: Sequence[Setting], values: Mapping[str, str], name: str) -> None:
    """Refuse settings that a format does not have, and values that they cannot take.

    Raises:
        ConfigError: names the setting, and what there is.
    """
    known = {setting.name: setting for setting in settings}
    for key, value in values.items():
        if key not in known:
            raise ConfigError(
                f"--option {key}",
                found=f"no setting of this name in format {name}",
                expected="one of " + (", ".join(known) or "(it has none)"),
                fix="check the spelling, or leave it out",
            )
        choices = known[key].choices
        if choices and value not in choices:
            raise ConfigError(
                f"--option {key}",
                found=repr(value),
                expected="one of " + ", ".join(choices),
                fix=f"it says {known[key].meaning}",
            )


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
        settings: what ``--option`` may set.
    """

    name: str
    title: str
    license: str
    url: str
    box_unit: BoxUnit
    box_order: BoxOrder
    scroll: ScrollMeaning
    splits: tuple[str, ...] = ()
    settings: tuple[Setting, ...] = ()


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

    def checked(self, form: SourceFormat) -> dict[str, str]:
        """The settings of a format, with defaults filled in; those without one may be absent.

        Raises:
            ConfigError: a setting that the format does not have, or a value it does not know.
        """
        check_settings(form.settings, self.extra, form.name)
        defaults = {s.name: s.default for s in form.settings if s.default is not None}
        return defaults | self.extra


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

    def convert(self, record: Record) -> Sequence[Imported | LeftOut]:
        """The steps of a record, and those of its steps that count but cannot be trained on.

        Raises:
            DataError: names ``record.where``, what was found, expected, and what to do.
        """
        ...
