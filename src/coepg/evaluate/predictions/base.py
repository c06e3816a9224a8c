"""What a reader of stored predictions is."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from coepg.errors import ConfigError
from coepg.evaluate.benchmarks.base import BenchmarkReport

Unit = Literal["px", "norm1", "norm1000", "none"]
Order = Literal["x0y0x1y1", "xywh", "yxhw", "none"]


@dataclass(frozen=True, slots=True)
class PredictionFormat:
    """A format's conventions. They are written down, never guessed from the numbers.

    Attributes:
        name: as on the command line.
        title: for people.
        url: of the script that writes it.
        point_unit: of predicted points, x before y.
        box_unit, box_order: of the gold boxes.
        gold: what ``--gold`` must name; "" if the file holds its own gold.
        options: settings of ``--option``, each with what it is for.
    """

    name: str
    title: str
    url: str
    point_unit: Unit
    box_unit: Unit
    box_order: Order
    gold: str = ""
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the user may choose for any format.

    Attributes:
        gold: file or folder of the gold data, where the predictions do not hold it.
        extra: settings of one format, ``--option key=value``.
    """

    gold: Path | None = None
    extra: dict[str, str] = field(default_factory=dict)

    def check(self, form: PredictionFormat) -> None:
        """Refuse options that the format does not have.

        Raises:
            ConfigError: an unknown option.
        """
        unknown = sorted(set(self.extra) - set(form.options))
        if unknown:
            raise ConfigError(
                f"--option {unknown[0]}={self.extra[unknown[0]]}",
                found=f"the format {form.name} has no such option",
                expected=", ".join(form.options) or "no option",
                fix="leave it out",
            )

    def needed_gold(self, form: PredictionFormat) -> Path:
        """The gold path of a format that cannot do without.

        Raises:
            ConfigError: none was given.
        """
        if self.gold is None:
            raise ConfigError(
                f"--format {form.name}", found="no --gold", expected=f"--gold {form.gold}",
                fix="give the gold data; this format's files do not hold them",
            )  # fmt: skip
        return self.gold

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """An option that is one of several words.

        Raises:
            ConfigError: another word.
        """
        value = self.extra.get(key, default)
        if value not in choices:
            raise ConfigError(
                f"--option {key}={value}", found=repr(value), expected=" or ".join(choices),
                fix="choose one of them",
            )  # fmt: skip
        return value


class PredictionReader(Protocol):
    """Reads one kind of result file.

    `read` gives answers in the form of the benchmark's pure functions; `report` scores them. Both
    are deterministic; neither changes a file.

    Example:
        >>> reader = make_reader("screenspot_pro", ReadOptions())  # doctest: +SKIP
        >>> reader.report(reader.read(Path("result.json"))).score("screenspot_pro_acc")
    """

    format: PredictionFormat

    def __init__(self, options: ReadOptions) -> None: ...

    def read(self, path: Path) -> list[Any]:
        """The answers of a file, in order.

        Raises:
            DataError: names file and row, what was found, expected, and what to do.
        """
        ...

    def report(self, answers: list[Any], seed: int = 0) -> BenchmarkReport:
        """The scores of answers that `read` gave."""
        ...
