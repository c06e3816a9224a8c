"""Stages: folders that are there complete or not at all.

A stage works in ``.<name>.partial`` and is renamed to ``<name>`` when it is done, after its
``stage.json`` has been written. A killed run finds the partial folder again and continues inside
it (trainings from their newest checkpoint, data stages from their finished chunks). A finished
stage is never computed again, unless what it was made from has changed: then the run stops and
says so, rather than mix two recipes.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coepg.errors import ConfigError, DataError


@dataclass(frozen=True, slots=True)
class Stage:
    """A finished stage.

    Attributes:
        folder: its files.
        fingerprint: hash of its name and inputs; part of the inputs of the stages that use it.
        record: what the stage returned: small, JSON.
    """

    folder: Path
    fingerprint: str
    record: Mapping[str, Any]


def fingerprint(*parts: Any) -> str:
    """A short hash of JSON-able values."""
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def run_stage(
    stages_dir: Path,
    name: str,
    inputs: Sequence[Any],
    work: Callable[[Path], Mapping[str, Any]],
    announce: Callable[[str, bool], None] = lambda name, is_done: None,
    reuse: Sequence[Path] = (),
) -> Stage:
    """Do a stage, or find it done.

    Args:
        stages_dir: where stage folders live.
        name: folder name; sorted names are the order of the run.
        inputs: everything that decides the result: settings and fingerprints of earlier stages.
        work: gets the working folder, writes its files there, returns the record.
        announce: told (name, whether it was done already).
        reuse: stage folders of other runs; a finished stage of the same inputs is copied.

    Raises:
        ConfigError: the stage is there, but was made from other inputs.
        DataError: its record is damaged.
    """
    mark = fingerprint(name, *inputs)
    folder = stages_dir / name
    if folder.is_dir():
        announce(name, True)
        return _finished(folder, mark)
    for other in reuse:
        if _copy_finished(other / name, folder, mark):
            announce(name, True)
            return _finished(folder, mark)
    announce(name, False)
    partial = stages_dir / f".{name}.partial"
    _claim(partial, mark)
    started = time.monotonic()
    record = dict(work(partial))
    _write_json(
        partial / "stage.json",
        {"fingerprint": mark, "seconds": time.monotonic() - started, "record": record},
    )
    os.replace(partial, folder)
    return Stage(folder, mark, record)


def _copy_finished(source: Path, folder: Path, mark: str) -> bool:
    """Copy a stage of another run if it is finished and was made from the same inputs."""
    try:
        if _finished(source, mark).fingerprint != mark:
            return False
    except (ConfigError, DataError):
        return False
    work = folder.with_name(f".{folder.name}.copy")
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(source, work)
    os.replace(work, folder)
    return True


def _finished(folder: Path, mark: str) -> Stage:
    path = folder / "stage.json"
    try:
        saved = json.loads(path.read_text(encoding="utf-8"))
        found, record = saved["fingerprint"], saved["record"]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(
            str(path), found=f"{type(error).__name__}: {error}", expected="the record of a stage",
            fix=f"delete {folder} and the stages after it, and run the same command again",
        ) from None  # fmt: skip
    if found != mark:
        raise ConfigError(
            str(folder), found=f"made from other settings or data ({found})", expected=mark,
            fix="use another --run folder, or the recipe, seed and data that it was begun with",
        )  # fmt: skip
    return Stage(folder, mark, record)


def _claim(partial: Path, mark: str) -> None:
    """Keep a half-done folder only if it was begun from the same inputs."""
    owner = partial / "inputs"
    if partial.is_dir() and (not owner.is_file() or owner.read_text(encoding="utf-8") != mark):
        shutil.rmtree(partial)
    partial.mkdir(parents=True, exist_ok=True)
    owner.write_text(mark, encoding="utf-8")


def _write_json(path: Path, value: Any) -> None:
    work = path.with_suffix(".tmp")
    work.write_text(json.dumps(value, indent=1), encoding="utf-8")
    os.replace(work, path)


def stage_seconds(folder: Path) -> float:
    """How long a finished stage took in the process that finished it."""
    return float(json.loads((folder / "stage.json").read_text(encoding="utf-8"))["seconds"])


def chunk(work_dir: Path, name: str, make: Callable[[], Any]) -> Any:
    """A JSON value inside a stage, computed once: read back if an earlier process wrote it."""
    found = read_chunk(work_dir, name)
    if found is not None:
        return found
    value = make()
    path = _chunk_path(work_dir, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    _write_json(path, value)
    return value


def read_chunk(work_dir: Path, name: str) -> Any:
    """The value of a chunk, or None if there is none, or a damaged one: it can be made again."""
    try:
        return json.loads(_chunk_path(work_dir, name).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _chunk_path(work_dir: Path, name: str) -> Path:
    return work_dir / "chunks" / f"{name}.json"
