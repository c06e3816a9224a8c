"""What the pictures cost: image tokens of a model."""

from __future__ import annotations

from collections import Counter

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.row import Row
from coepg.data.checks.targets import ModelResize


def quantile(counts: Counter[int], share: float) -> int:
    """The least value that at least ``share`` of the counted values do not pass."""
    needed, seen = share * counts.total(), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= needed:
            return value
    return max(counts, default=0)


class ImageTokens:
    """Median, 95th percentile and maximum of the tokens of a step's picture."""

    def __init__(self, model: ModelResize) -> None:
        self.model = model
        self.tokens: Counter[int] = Counter()
        self.too_long = Tally()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        if row.size is None:
            return
        if self.model.resize(row.size) is None:
            self.too_long.add(row, f"{row.size.width} x {row.size.height} px")
        else:
            self.tokens[self.model.num_tokens(row.size)] += 1

    def findings(self) -> list[Finding]:
        """The figures, and pictures that the model refuses."""
        total = self.tokens.total()
        found = self.too_long.finding(
            "picture_shape", "error", f"{self.model.name} takes no pictures of this shape.",
            total + self.too_long.count, "cut them (--crop blocks)",
        )  # fmt: skip
        if total:
            p50, p95 = quantile(self.tokens, 0.5), quantile(self.tokens, 0.95)
            most = max(self.tokens)
            found.append(
                Finding(
                    f"image_tokens_{self.model.name}", "info",
                    f"Image tokens a step with {self.model.name}: median {p50}, 95 % at most "
                    f"{p95}, maximum {most}.",
                    total, total, numbers={"p50": p50, "p95": p95, "max": most},
                )
            )  # fmt: skip
        return found
