"""Where imported data comes from, for ``dataset.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from coepg.data.importers.base import SourceFormat

ORIGIN_FILE = "coepg.json"
"""Written by exporters beside their rows; says what the rows were exported from."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The ``source`` and ``license`` of a dataset."""

    source: str
    license: str


def origin_of(form: SourceFormat, source: Path) -> Origin:
    """Of the export that the source is, else of its format."""
    folder = source if source.is_dir() else source.parent
    try:
        found = json.loads((folder / ORIGIN_FILE).read_text(encoding="utf-8"))
        return Origin(str(found["source"]), str(found["license"]))
    except (OSError, ValueError, KeyError, TypeError):
        text = f"{form.title} ({form.url}), imported from {source.name}"
        return Origin(text, form.license)
