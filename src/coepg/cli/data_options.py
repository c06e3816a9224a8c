"""Options of ``coepg data`` that need parsing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from coepg.errors import ConfigError


def dataset_folder(dataset: str) -> Path:
    """The folder of a dataset: a shipped one's name, or a path.

    A bare word that is no folder is taken for a name, so that the error lists the names.
    """
    from coepg.data.shipped import shipped_dataset_path, shipped_names

    folder = Path(dataset)
    is_name = dataset in shipped_names() or (folder.name == dataset and not folder.exists())
    return shipped_dataset_path(dataset) if is_name else folder


def key_values(pairs: Sequence[str]) -> dict[str, str]:
    """``key=value`` texts as a dictionary.

    Raises:
        ConfigError: a text without ``=``.
    """
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise ConfigError("--option", found=repr(pair), expected="key=value", fix="write it so")
        found[key] = value
    return found


def width_height(text: str, name: str) -> tuple[int, int]:
    """``1280x1000`` as two numbers.

    Raises:
        ConfigError: anything else.
    """
    width, _, height = text.partition("x")
    if not (width.isdecimal() and height.isdecimal() and int(width) and int(height)):
        raise ConfigError(
            name, found=repr(text), expected="WIDTHxHEIGHT, such as 1280x1000", fix="write it so"
        )
    return int(width), int(height)
