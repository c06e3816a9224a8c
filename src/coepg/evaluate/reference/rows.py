"""The papers' tables as rows. The data are the TOML files beside this module, one a paper."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from coepg.errors import DataError


@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One published number.

    Attributes:
        benchmark: name of the benchmark, such as ``multimodal_mind2web``.
        split: of the benchmark, or a group of its samples.
        metric: what is counted; a share of ``value`` in 0..1.
        value: the number, as a share (the papers print per cent).
        model: the system, as the paper calls it.
        paper: short name of the paper that prints the number, for its own or another system.
        cite: where the paper is found.
        table: number of the table, or "" if it is not recorded.
        protocol: how it was measured, or "" if the paper does not say.
        note: what else stands in the way of a comparison.
    """

    benchmark: str
    split: str
    metric: str
    value: float
    model: str
    paper: str
    cite: str
    table: str
    protocol: str
    note: str

    @property
    def source(self) -> str:
        """Paper and table, as ``Co-EPG, Table 1``."""
        return f"{self.paper}, {self.table}" if self.table else self.paper

    def comparison_note(self, own_protocol: str = "") -> str:
        """What to print beside this number and one's own; "" if the protocol is the same.

        Args:
            own_protocol: how one's own number was measured, in the words of ``protocol``.

        Example:
            >>> row = reference_rows("android_world")[0]
            >>> row.comparison_note(row.protocol), "not known" in row.comparison_note()
            ('', True)
        """
        if self.protocol and own_protocol == self.protocol:
            return self.note
        stated = f"stated as: {self.protocol}" if self.protocol else "not stated by the paper"
        text = f"Protocol not known to be the same ({stated})."
        return f"{text} {self.note}" if self.note else text


Text = Annotated[str, Field(min_length=1)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Line(_Model):
    model: Text
    values: tuple[float, ...]


class _Table(_Model):
    benchmark: Text
    columns: tuple[tuple[Text, Text], ...]
    rows: Annotated[tuple[_Line, ...], Field(min_length=1)]
    protocol: str
    table: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _fits(self) -> _Table:
        if len(set(self.columns)) != len(self.columns):
            raise ValueError("a column stands twice")
        for line in self.rows:
            if len(line.values) != len(self.columns):
                raise ValueError(
                    f"{line.model}: {len(line.values)} values for {len(self.columns)} columns"
                )
            if any(not math.isnan(v) and not 0 <= v <= 100 for v in line.values):
                raise ValueError(f"{line.model}: a value outside 0..100 per cent")
        return self


class _Paper(_Model):
    paper: Text
    cite: Text
    table: Annotated[tuple[_Table, ...], Field(min_length=1)]


def load_reference(text: str, origin: str) -> tuple[ReferenceRow, ...]:
    """The rows of one paper's TOML text; a value of ``nan`` is a cell that the paper leaves out.

    Args:
        text: the file's content.
        origin: its name, for errors.

    Raises:
        DataError: it is no TOML, or does not fit together.
    """
    try:
        paper = _Paper.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise DataError(origin, found=str(error), expected="TOML") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise DataError(f"{origin}: {place}", found=first["msg"], expected="a table") from None
    return tuple(
        ReferenceRow(
            benchmark=table.benchmark,
            split=split,
            metric=metric,
            value=round(value / 100, 6),
            model=line.model,
            paper=paper.paper,
            cite=paper.cite,
            table=table.table,
            protocol=table.protocol,
            note=table.note,
        )
        for table in paper.table
        for line in table.rows
        for (split, metric), value in zip(table.columns, line.values, strict=True)
        if not math.isnan(value)
    )


@lru_cache(maxsize=1)
def _all_rows() -> tuple[ReferenceRow, ...]:
    folder = files("coepg.evaluate.reference")
    found = sorted((f for f in folder.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return tuple(row for f in found for row in load_reference(f.read_text("utf-8"), f.name))


def benchmarks() -> tuple[str, ...]:
    """The benchmarks with published numbers, in alphabetical order."""
    return tuple(sorted({row.benchmark for row in _all_rows()}))


def reference_rows(
    benchmark: str, *, split: str | None = None, metric: str | None = None
) -> tuple[ReferenceRow, ...]:
    """The published numbers of a benchmark, best first within split and metric.

    Args:
        benchmark: one of `benchmarks`.
        split: only this one.
        metric: only this one.

    Raises:
        DataError: there are no numbers for the benchmark; the text lists those that have some.

    Example:
        >>> [r.model for r in reference_rows("omniact")]
        ['GPT-4o + SE-GUI-7B']
    """
    if benchmark not in benchmarks():
        raise DataError(
            "published numbers",
            found=repr(benchmark),
            expected=" or ".join(benchmarks()),
            fix="name one of these",
        )
    rows = [
        row
        for row in _all_rows()
        if row.benchmark == benchmark
        and split in (None, row.split)
        and metric in (None, row.metric)
    ]
    order = {key: k for k, key in enumerate(dict.fromkeys((r.split, r.metric) for r in rows))}
    return tuple(sorted(rows, key=lambda r: (order[r.split, r.metric], -r.value, r.model)))
