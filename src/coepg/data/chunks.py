"""Values that are computed once: small JSON files that an interrupted job finds again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any


def chunk(work_dir: Path, name: str, make: Callable[[], Any]) -> Any:
    """A JSON value of a folder, computed once: read back if an earlier process wrote it."""
    found = read_chunk(work_dir, name)
    if found is not None:
        return found
    value = make()
    path = _chunk_path(work_dir, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_json(path, value)
    return value


def read_chunk(work_dir: Path, name: str) -> Any:
    """The value of a chunk, or None if there is none, or a damaged one: it can be made again."""
    try:
        return json.loads(_chunk_path(work_dir, name).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def write_json(path: Path, value: Any) -> None:
    """Write JSON whole or not at all."""
    work = path.with_suffix(".tmp")
    work.write_text(json.dumps(value, indent=1, ensure_ascii=False), encoding="utf-8")
    os.replace(work, path)


def _chunk_path(work_dir: Path, name: str) -> Path:
    return work_dir / "chunks" / f"{name}.json"
