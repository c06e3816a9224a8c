"""Exporters by name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from coepg.data.exporters.base import Exporter
from coepg.data.importers.base import check_settings
from coepg.errors import ConfigError

EXPORTERS: dict[str, str] = {
    "llama_factory": "coepg.data.exporters.llama_factory:LlamaFactoryExporter",
    "ms_swift": "coepg.data.exporters.ms_swift:MsSwiftExporter",
    "trl": "coepg.data.exporters.trl:TrlExporter",
    "verl": "coepg.data.exporters.verl:VerlExporter",
}
"""Format name -> ``module:class``."""


def make_exporter(name: str, options: Mapping[str, str]) -> Exporter:
    """An exporter by the name of its format.

    Raises:
        ConfigError: no such format, or a setting that it does not have.
    """
    if name not in EXPORTERS:
        raise ConfigError(
            f"format {name!r}",
            found="no exporter of this name",
            expected="one of " + ", ".join(sorted(EXPORTERS)),
            fix="choose the format that your tool reads",
        )
    module, attribute = EXPORTERS[name].split(":")
    cls: type[Exporter] = getattr(importlib.import_module(module), attribute)
    check_settings(cls.format.settings, options, name)
    return cls(options)
