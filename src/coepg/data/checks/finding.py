"""What a check finds: how bad, how often, and a few examples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from coepg.data.checks.row import Row

Severity = Literal["error", "warning", "info"]
MAX_EXAMPLES = 10


@dataclass(frozen=True, slots=True)
class Example:
    """One row of a finding.

    Attributes:
        split, step_id: which step.
        detail: what is wrong with it, in a few words.
        row: to draw it.
    """

    split: str
    step_id: str
    detail: str
    row: Row


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong or worth knowing.

    Attributes:
        check: a short name, such as ``box_outside``.
        severity: ``error`` (training or scores would be wrong), ``warning`` (look at it), ``info``.
        text: in one sentence.
        count, total: how many of how many steps or pictures.
        fix: what to do; "" for information.
        numbers: more figures, by name.
        examples: at most `MAX_EXAMPLES`.
    """

    check: str
    severity: Severity
    text: str
    count: int
    total: int
    fix: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain values that JSON can hold."""
        return {
            "check": self.check,
            "severity": self.severity,
            "text": self.text,
            "count": self.count,
            "total": self.total,
            "fix": self.fix,
            "numbers": self.numbers,
            "examples": [
                {"split": e.split, "step_id": e.step_id, "detail": e.detail} for e in self.examples
            ],
        }


class Check(Protocol):
    """Sees every row once, then says what it found; holds counts, not rows."""

    def see(self, row: Row) -> None:
        """Take note of a row."""
        ...

    def findings(self) -> list[Finding]:
        """What is wrong with the rows seen."""
        ...


class Tally:
    """Counts rows and keeps the first few as examples."""

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[Example] = []

    def add(self, row: Row, detail: str) -> None:
        """Count a row."""
        self.count += 1
        if len(self.examples) < MAX_EXAMPLES:
            self.examples.append(Example(row.split, row.step_id, detail, row))

    def finding(
        self, check: str, severity: Severity, text: str, total: int, fix: str = "",
        **numbers: float,
    ) -> list[Finding]:  # fmt: skip
        """The finding as a list of one, or no finding if nothing was counted."""
        if not self.count:
            return []
        return [
            Finding(check, severity, text, self.count, total, fix, numbers, tuple(self.examples))
        ]
