"""Settings of one importer (``--option key=value``), checked against what it knows."""

from __future__ import annotations

from collections.abc import Mapping

from coepg.data.importers.base import ImportOptions
from coepg.errors import ConfigError

ANY: tuple[str, ...] = ()
"""Of a setting whose value is free."""


def check_settings(options: ImportOptions, known: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The settings that the user gave.

    Args:
        options: of the import.
        known: the importer's settings, each with its allowed values or `ANY`.

    Raises:
        ConfigError: an unknown setting or value.
    """
    for key, value in options.extra.items():
        if key not in known:
            raise ConfigError(
                f"--option {key}",
                found="a setting that this format does not have",
                expected=", ".join(sorted(known)) or "no settings",
                fix="remove or mend it",
            )
        if known[key] and value not in known[key]:
            raise ConfigError(
                f"--option {key}",
                found=repr(value),
                expected=" or ".join(known[key]),
                fix="choose one of these",
            )
    return dict(options.extra)
