"""What the page asks for, as JSON-able values; the server and the exported page share it."""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from coepg.errors import DataError
from coepg.view.index import Query
from coepg.view.sources.base import Collection, Record, Source

MAX_PAGE_ROWS = 200
"""Rows of the list that one request may ask for."""


class ViewerApi:
    """Answers of a source to the page, one at a time.

    Args:
        source: what is shown. Its readers hold open files and caches, so calls take turns.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._turn = threading.Lock()

    def about(self) -> dict[str, Any]:
        """Title, kind, and the collections that there are now."""
        with self._turn:
            found = [{"key": c.key, "label": c.label} for c in self._source.collections()]
            return {
                "title": self._source.title,
                "kind": self._source.kind,
                "collections": found,
            }

    def collection(self, key: str) -> dict[str, Any]:
        """How many steps, what can be filtered by, and what a reader must know.

        Raises:
            DataError: there is no such collection, or it cannot be read.
        """
        with self._turn:
            found = self._find(key)
            index = found.index()
            return {
                "key": key,
                "label": found.label,
                "count": len(index),
                "has_verdicts": index.has_verdicts,
                "choices": index.choices(),
                "notes": list(found.notes()),
            }

    def rows(self, key: str, query: Query, offset: int, limit: int) -> dict[str, Any]:
        """A page of the list: positions ``offset`` to ``offset + limit`` of what fits.

        Raises:
            DataError: as `collection`.
        """
        with self._turn:
            index = self._find(key).index()
            first, count = max(0, offset), min(max(0, limit), MAX_PAGE_ROWS)
            return {
                "count": len(index),
                "matched": len(index.select(query)),
                "offset": first,
                "rows": index.page(query, first, count),
            }

    def next_wrong(self, key: str, query: Query, position: int) -> dict[str, Any]:
        """The position of the next wrong step, or null.

        Raises:
            DataError: as `collection`.
        """
        with self._turn:
            return {"position": self._find(key).index().next_wrong(query, position)}

    def step(self, key: str, row: int) -> dict[str, Any]:
        """All of one step.

        Raises:
            DataError: as `collection`, or the row cannot be read.
        """
        with self._turn:
            try:
                return record_json(self._find(key).record(row))
            except IndexError as error:
                raise DataError(f"step {row}", found=str(error)) from error

    def image(self, image_hash: str) -> bytes:
        """The encoded bytes of a picture.

        Raises:
            DataError: there is no such picture.
        """
        with self._turn:
            return self._source.image(image_hash)

    def _find(self, key: str) -> Collection:
        found = {c.key: c for c in self._source.collections()}
        if key not in found:
            raise DataError(
                f"collection {key!r}",
                found="no such collection",
                expected=", ".join(found) or "none is there yet",
            )
        return found[key]


def record_json(record: Record) -> dict[str, Any]:
    """A record as JSON-able values; numbers that are not finite become null."""
    found: dict[str, Any] = _finite(asdict(record))
    return found


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(k): _finite(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(v) for v in value]
    return value
