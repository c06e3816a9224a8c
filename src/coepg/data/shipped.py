"""The datasets that come inside the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from coepg.data.writer import INFO_FILE
from coepg.errors import DataError


def shipped_names() -> tuple[str, ...]:
    """Names of the datasets in the package."""
    root = _root()
    return tuple(sorted(p.name for p in root.iterdir() if (p / INFO_FILE).is_file()))


def shipped_dataset_path(name: str) -> Path:
    """The folder of a shipped dataset, for `coepg.data.table.StepTable.open`.

    Raises:
        DataError: there is none of this name; lists the ones there are.

    Example:
        >>> shipped_dataset_path("miniwob").name
        'miniwob'
    """
    if name not in shipped_names():
        raise DataError(
            f"shipped dataset {name!r}",
            found="no such dataset",
            expected="one of " + (", ".join(shipped_names()) or "(there are none)"),
            fix="name one of these, or give the path of a dataset folder",
        )
    return _root() / name


def _root() -> Path:
    return Path(str(files("coepg"))) / "assets"
