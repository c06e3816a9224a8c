"""One HTML file of a source: the same page, with a bounded number of steps inside it."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coepg.errors import DataError
from coepg.view.api import MAX_PAGE_ROWS, record_json
from coepg.view.images import png_data_uri
from coepg.view.index import Query
from coepg.view.server import SCRIPTS, page_file
from coepg.view.sources.base import Collection, Source

IMAGE_BYTES = 300_000
"""A picture's share of the file, before base64; larger ones are made smaller."""


def export_html(source: Source, path: Path, limit: int = 100) -> int:
    """Write a page that needs no server and no network.

    Args:
        source: what to show.
        path: of the file; replaced if it is there.
        limit: steps at most, over all collections: each gets an equal share of what is left.

    Returns:
        How many steps were written.

    Raises:
        DataError: the source has no steps, or the folder of the file is not there.
    """
    if not path.parent.is_dir():
        raise DataError(
            f"{path}: cannot be written",
            found=f"no folder {path.parent}",
            expected="a file in a folder that exists",
            fix="make the folder first",
        )
    collections = list(source.collections())
    counts = [len(collection.index()) for collection in collections]
    if not sum(counts):
        raise DataError(
            f"{source.title}: nothing to export",
            found="no steps",
            expected="at least one step",
            fix="wait until the run has written some",
        )
    images: dict[str, str] = {}
    parts = [
        _embedded(source, collection, share, images)
        for collection, share in zip(collections, shares(counts, limit), strict=True)
        if share
    ]
    data = {
        "title": source.title,
        "kind": source.kind,
        "collections": parts,
        "images": images,
        "filters": Query.names(),
    }
    work = path.with_name(f".{path.name}.tmp")
    work.write_text(page_with(data), encoding="utf-8")
    os.replace(work, path)
    return sum(len(part["rows"]) for part in parts)


def shares(counts: Sequence[int], limit: int) -> list[int]:
    """How many of each to take: equal shares of ``limit``, and what small ones leave to the rest.

    Example:
        >>> shares([2, 100, 100], 12)
        [2, 5, 5]
    """
    taken = [0] * len(counts)
    left = limit
    for place, number in enumerate(sorted(range(len(counts)), key=lambda i: counts[i])):
        taken[number] = min(counts[number], left // (len(counts) - place))
        left -= taken[number]
    return taken


def page_with(data: dict[str, Any]) -> str:
    """The page with its style, its scripts and its data inside.

    Scripts and style are allowed by their hashes alone, so text of a step cannot run.
    """
    style = page_file("viewer.css").decode()
    scripts = [page_file(name).decode() for name in SCRIPTS]
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; "
        f"script-src {' '.join(map(_hash, scripts))}; base-uri 'none'; form-action 'none'"
    )
    # "<" is escaped in the data, so that no text in it can end its element.
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    body = f'<script type="application/json" id="data">{text}</script>\n' + "\n".join(
        f"<script>{script}</script>" for script in scripts
    )
    page = page_file("viewer.html").decode()
    before, rest = page.split("<!-- head -->")
    middle, after = rest.split("<!-- body -->")
    return before + head + _after_block(middle) + body + _after_block(after)


def _after_block(text: str) -> str:
    """What follows the block of links that the server's page has and this one replaces."""
    return text.partition("<!-- end -->")[2]


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def _embedded(
    source: Source, collection: Collection, count: int, images: dict[str, str]
) -> dict[str, Any]:
    """A collection's first steps; their pictures are added to ``images``."""
    index = collection.index()
    rows: list[dict[str, Any]] = []
    while len(rows) < count:
        rows += index.page(Query(), len(rows), min(MAX_PAGE_ROWS, count - len(rows)))
    steps = []
    for row in rows:
        steps.append(_step(source, collection, row["row"], images))
    notes = list(collection.notes())
    if count < len(index):
        notes.append(f"This file holds the first {count} of {len(index)} steps.")
    return {
        "key": collection.key,
        "label": collection.label,
        "rows": rows,
        "steps": steps,
        "notes": notes,
    }


def _step(
    source: Source, collection: Collection, row: int, images: dict[str, str]
) -> dict[str, Any]:
    try:
        record = collection.record(row)
    except DataError as error:
        return {"error": str(error)}
    name = record.image_hash
    if name and name not in images:
        try:
            images[name] = png_data_uri(source.image(name), IMAGE_BYTES, name)
        except DataError as error:
            return record_json(replace(record, image_hash="", image_note=str(error)))
    return record_json(record)
