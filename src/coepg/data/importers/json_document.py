"""Whole JSON files: annotations of one episode, lists of splits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coepg.errors import DataError


def read_json(path: Path) -> Any:
    """The contents of a JSON file.

    Raises:
        DataError: no such file, or one that is no JSON in UTF-8.
    """
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read",
            found=str(error.strerror),
            expected="a JSON file",
            fix="check the path",
        ) from error
    except ValueError as error:
        raise DataError(
            f"{path}: not JSON",
            found=str(error),
            expected="one JSON value in UTF-8",
            fix="download the file again; it may be cut",
        ) from error


def split_of_episodes(path: Path) -> dict[str, tuple[str, ...]]:
    """Which splits of ``{split: [episode ids]}`` an episode is in, by its id as text.

    Ids may be numbers, texts, or names of annotation files (``.json`` is dropped).

    Raises:
        DataError: the file is no such list.
    """
    found = read_json(path)
    if not isinstance(found, dict) or not all(isinstance(ids, list) for ids in found.values()):
        raise DataError(
            f"{path}: splits",
            found=type(found).__name__,
            expected='{"train": [episode ids], "test": [episode ids]}',
            fix="give the file of splits that came with the data",
        )
    splits: dict[str, tuple[str, ...]] = {}
    for split, ids in found.items():
        for episode in ids:
            key = str(episode).removesuffix(".json")
            splits[key] = (*splits.get(key, ()), str(split))
    return splits
