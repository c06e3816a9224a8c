"""Counting how answers were read, for reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from coepg.models.parsers.base import ParsedAnswer


@dataclass(frozen=True, slots=True)
class ParsingCounts:
    """How many answers were read, mended and failed.

    Attributes:
        total: all answers.
        parsed: those that could be read.
        clean: those that could be read without a repair.
        repairs, warnings, failures: number of answers by name, most frequent first.
    """

    total: int
    parsed: int
    clean: int
    repairs: dict[str, int]
    warnings: dict[str, int]
    failures: dict[str, int]

    def lines(self) -> list[str]:
        """The counts for people, one line each.

        Example:
            >>> ParsingCounts(4, 3, 2, {"code_fence": 1}, {}, {"empty": 1}).lines()
            ['3 of 4 answers read, 2 without repair', 'repaired code_fence: 1', 'failed empty: 1']
        """
        head = f"{self.parsed} of {self.total} answers read, {self.clean} without repair"
        rows = [("repaired", self.repairs), ("warned", self.warnings), ("failed", self.failures)]
        return [head, *(f"{what} {name}: {n}" for what, of in rows for name, n in of.items())]


def count_parsing(answers: Iterable[ParsedAnswer]) -> ParsingCounts:
    """Count answers by repair, warning and failure."""
    found = list(answers)
    return ParsingCounts(
        total=len(found),
        parsed=sum(a.is_parsed for a in found),
        clean=sum(a.is_parsed and not a.repairs for a in found),
        repairs=dict(Counter(name for a in found for name in a.repairs).most_common()),
        warnings=dict(Counter(name for a in found for name in a.warnings).most_common()),
        failures=dict(Counter(a.failure for a in found if a.failure is not None).most_common()),
    )
