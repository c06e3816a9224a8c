"""Which source a path is."""

from __future__ import annotations

import json
from pathlib import Path

from coepg.data.shipped import shipped_dataset_path, shipped_names
from coepg.data.writer import INFO_FILE
from coepg.errors import DataError
from coepg.evaluate.session import INPUTS_FILE
from coepg.view.sources.base import Source
from coepg.view.sources.dataset import DatasetSource, find_dataset
from coepg.view.sources.evaluation import EvaluationSource, answer_files
from coepg.view.sources.files import open_rows
from coepg.view.sources.run import RunSource, dataset_of_run, is_run


def open_source(path: str | Path, dataset: str | Path | None = None) -> Source:
    """Open a dataset folder, a run folder, or stored answers.

    Args:
        path: a folder, a file of answers, or a shipped dataset's name.
        dataset: of the steps that were answered, where it is not found by itself.

    Raises:
        DataError: it is none of these, or a file in it is damaged.

    Example:
        >>> open_source("miniwob").kind
        'dataset'
    """
    place = Path(path)
    if str(path) in shipped_names() and not place.exists():
        place = shipped_dataset_path(str(path))
    gold = _named_dataset(dataset) if dataset is not None else None
    if (place / INFO_FILE).is_file():
        return DatasetSource(place)
    if is_run(place):
        return RunSource(place, gold)
    if place.exists() and (files := answer_files(place)):
        return EvaluationSource(place, gold or _dataset_of(place, files[0]))
    raise DataError(
        f"{path}: nothing that can be shown",
        found=_found(place),
        expected="a dataset folder (dataset.json), a run folder (recipe.toml, stages/), or answers "
        "in .jsonl or .parquet files",
        fix="check the path; `coepg view miniwob` shows the shipped dataset",
    )


def _named_dataset(name: str | Path) -> DatasetSource:
    found = find_dataset(str(name), Path())
    return found or DatasetSource(Path(name))  # which says what is wrong with the path


def _dataset_of(path: Path, file: Path) -> DatasetSource | None:
    """The dataset of answers.

    It is the one that ``coepg eval`` noted beside them, else that of the run or dataset they lie
    in, else a shipped one that fits.
    """
    if gold := _noted_dataset(file.parent):
        return gold
    for folder in path.resolve().parents:
        if (folder / INFO_FILE).is_file():
            return DatasetSource(folder)
        if is_run(folder) and (gold := dataset_of_run(folder)):
            return gold
    ids = open_rows(file).columns["step_id"]
    for name in shipped_names():
        source = DatasetSource(shipped_dataset_path(name))
        if source.locate(ids).null_count < len(ids):
            return source
    return None


def _noted_dataset(folder: Path) -> DatasetSource | None:
    """The dataset in ``inputs.json`` of an evaluation, if it is there or moved along."""
    try:
        noted = json.loads((folder / INPUTS_FILE).read_text(encoding="utf-8"))["dataset"]
        names = [noted["path"], Path(noted["path"]).name]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return next((gold for name in names if (gold := find_dataset(name, folder))), None)


def _found(path: Path) -> str:
    if not path.exists():
        return "no such file or folder"
    if path.is_file():
        return f"a file {path.name}"
    names = sorted(p.name for p in path.iterdir())[:8]
    return "a folder with " + (", ".join(names) or "nothing in it")
