"""Where the pages of MiniWoB++ are (the ``miniwob`` package from PyPI)."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from coepg.errors import DataError, InfrastructureError


@cache
def pages_folder() -> Path:
    """The folder of the HTML pages. The package itself is not imported: it pulls in Selenium."""
    spec = find_spec("miniwob")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        pages = Path(folder) / "html" / "miniwob"
        if pages.is_dir():
            return pages
    raise InfrastructureError(
        "the pages of MiniWoB++ are not installed: pip install 'coepg[browser]'"
    )


def pages_version() -> str:
    """The version of the pages' package, for the record."""
    try:
        return version("miniwob")
    except PackageNotFoundError:
        return "unknown"


def page_url(task_name: str) -> str:
    """The ``file://`` address of a task's page.

    Raises:
        DataError: there is no such page.
    """
    path = pages_folder() / f"{task_name}.html"
    if not path.is_file():
        raise DataError(
            f"MiniWoB++ task {task_name!r}",
            found="no such page",
            expected="the name of a page without .html, such as click-button",
            fix=f"look into {pages_folder()}",
        )
    return path.as_uri()
