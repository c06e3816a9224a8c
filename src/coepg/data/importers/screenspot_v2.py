"""ScreenSpot-v2: ``screenspot_{mobile,desktop,web}_v2.json``, corrected labels.

Fields and boxes (``[x, y, width, height]``, pixels) as in the first version, but order, texts and
types differ, so the two must not be mixed. ``data_source`` does not tell the platform: "shop"
occurs in all three files. Source: the dataset card of OS-Copilot/ScreenSpot-v2.
"""

from __future__ import annotations

from typing import ClassVar

from coepg.data.importers.base import SourceFormat
from coepg.data.importers.screenspot import PLATFORM, ScreenSpotImporter


class ScreenSpotV2Importer(ScreenSpotImporter):
    """One step a row. The platform is the word in the file's name."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="screenspot_v2",
        title="ScreenSpot-v2",
        license="Apache-2.0",
        url="https://huggingface.co/datasets/OS-Copilot/ScreenSpot-v2",
        box_unit="px",
        box_order="xywh",
        scroll="none",
        splits=("test",),
        settings=(PLATFORM,),
    )
    pattern: ClassVar[str] = "screenspot_*_v2.json"
    picture_folder: ClassVar[str] = "screenspotv2_image"
