"""Readers of stored predictions by the name of their format."""

from __future__ import annotations

import importlib

from coepg.errors import ConfigError
from coepg.evaluate.predictions.base import PredictionReader, ReadOptions

_HERE = "coepg.evaluate.predictions"

READERS: dict[str, str] = {
    "aitw_seeclick": f"{_HERE}.aitw:SeeClickAitwReader",
    "aitz_agentcpm": f"{_HERE}.aitz:AgentCpmReader",
    "aitz_coat": f"{_HERE}.aitz:CoatReader",
    "androidcontrol_os_atlas": f"{_HERE}.os_atlas:OsAtlasAndroidControlReader",
    "androidcontrol_ui_s1": f"{_HERE}.ui_s1:UiS1Reader",
    "androidcontrol_ui_s1_summary": f"{_HERE}.ui_s1:UiS1SummaryReader",
    "gui_odyssey": f"{_HERE}.gui_odyssey:GuiOdysseyReader",
    "gui_odyssey_os_atlas": f"{_HERE}.os_atlas:OsAtlasOdysseyReader",
    "mind2web_seeact": f"{_HERE}.mind2web:SeeActMind2WebReader",
    "mind2web_uground": f"{_HERE}.mind2web:UGroundMind2WebReader",
    "omniact": f"{_HERE}.omniact:OmniActReader",
    "screenspot_pro": f"{_HERE}.screenspot_pro:ScreenSpotProReader",
    "screenspot_seeclick": f"{_HERE}.screenspot:SeeClickScreenSpotReader",
    "screenspot_uground": f"{_HERE}.screenspot:UGroundScreenSpotReader",
}
"""Format name -> ``module:class``."""


def reader_class(name: str) -> type[PredictionReader]:
    """The reader of a format.

    Raises:
        ConfigError: no such format; the text lists the known ones.
    """
    if name not in READERS:
        raise ConfigError(
            f"--format {name!r}",
            found="no reader of this name",
            expected="one of " + ", ".join(sorted(READERS)),
            fix="choose the format of the script that wrote the file",
        )
    module, attribute = READERS[name].split(":")
    found: type[PredictionReader] = getattr(importlib.import_module(module), attribute)
    return found


def make_reader(name: str, options: ReadOptions) -> PredictionReader:
    """A reader by the name of its format."""
    return reader_class(name)(options)
