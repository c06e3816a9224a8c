"""Importers by name."""

from __future__ import annotations

import importlib

from coepg.data.importers.base import Importer, ImportOptions
from coepg.errors import ConfigError

IMPORTERS: dict[str, str] = {
    "agentnet": "coepg.data.importers.agentnet:AgentNetImporter",
    "aitw": "coepg.data.importers.aitw:AitwImporter",
    "aitz": "coepg.data.importers.aitz:AitzImporter",
    "android_control": "coepg.data.importers.android_control:AndroidControlImporter",
    "android_control_os_atlas": "coepg.data.importers.os_atlas:AndroidControlOsAtlasImporter",
    "android_control_ui_s1": "coepg.data.importers.android_control_ui_s1:UiS1Importer",
    "gui_odyssey": "coepg.data.importers.gui_odyssey:GuiOdysseyImporter",
    "gui_odyssey_os_atlas": "coepg.data.importers.os_atlas:GuiOdysseyOsAtlasImporter",
    "jsonl": "coepg.data.importers.jsonl:JsonlImporter",
    "llama_factory": "coepg.data.importers.llama_factory:LlamaFactoryImporter",
    "mind2web": "coepg.data.importers.mind2web:Mind2WebImporter",
    "mind2web_json": "coepg.data.importers.mind2web_json:Mind2WebJsonImporter",
    "miniwob_demos": "coepg.data.importers.miniwob_demos:MiniwobDemosImporter",
    "ms_swift": "coepg.data.importers.ms_swift:MsSwiftImporter",
    "omniact": "coepg.data.importers.omniact:OmniActImporter",
    "refexp": "coepg.data.importers.refexp:RefExpImporter",
    "screenagent": "coepg.data.importers.screenagent:ScreenAgentImporter",
    "screenspot": "coepg.data.importers.screenspot:ScreenSpotImporter",
    "screenspot_parquet": "coepg.data.importers.screenspot_parquet:ScreenSpotParquetImporter",
    "screenspot_pro": "coepg.data.importers.screenspot_pro:ScreenSpotProImporter",
    "screenspot_v2": "coepg.data.importers.screenspot_v2:ScreenSpotV2Importer",
    "trl": "coepg.data.importers.trl:TrlImporter",
    "verl": "coepg.data.importers.verl:VerlImporter",
}
"""Format name -> ``module:class``."""


def importer_class(name: str) -> type[Importer]:
    """The importer of a format.

    Raises:
        ConfigError: no such format; the text lists the known ones.
    """
    if name not in IMPORTERS:
        raise ConfigError(
            f"format {name!r}",
            found="no importer of this name",
            expected="one of " + ", ".join(sorted(IMPORTERS)),
            fix="choose the format of your files",
        )
    module, attribute = IMPORTERS[name].split(":")
    found: type[Importer] = getattr(importlib.import_module(module), attribute)
    return found


def make_importer(name: str, options: ImportOptions) -> Importer:
    """An importer by the name of its format."""
    return importer_class(name)(options)
