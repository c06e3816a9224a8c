"""Rows for verl: Parquet with ``data_source, prompt, images, ability, reward_model, extra_info``.

``reward_model.ground_truth`` is JSON for your reward function: ``action_type``, ``value`` and the
boxes that count as hits, in pixels of the picture. Source: volcengine/verl,
examples/data_preprocess/geo3k.py.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa

from coepg.data.exporters.base import (
    IMAGE_TYPE,
    MESSAGES_TYPE,
    PLACEHOLDER,
    ParquetFile,
    SplitFile,
    TargetFormat,
    question_of,
)
from coepg.data.importers.packed import PACKED_KEY, packed_step
from coepg.types import Step

SCHEMA = pa.schema(
    [
        ("data_source", pa.string()),
        ("prompt", MESSAGES_TYPE),
        ("images", pa.list_(IMAGE_TYPE)),
        ("ability", pa.string()),
        ("reward_model", pa.struct([("style", pa.string()), ("ground_truth", pa.string())])),
        (
            "extra_info",
            pa.struct([("split", pa.string()), ("index", pa.int64()), (PACKED_KEY, pa.string())]),
        ),
    ]
)


class VerlExporter:
    """One row a step."""

    format: ClassVar[TargetFormat] = TargetFormat(
        "verl", "verl rows", "https://verl.readthedocs.io/"
    )

    def __init__(self, options: Mapping[str, str]) -> None:
        self._index = -1

    def open(self, folder: Path, split: str) -> SplitFile:
        """``<split>.parquet``."""
        self._index = -1
        return ParquetFile(folder / f"{split}.parquet", SCHEMA, self._row)

    def finish(self, folder: Path, splits: Sequence[str]) -> None:
        """Nothing more is needed."""

    def _row(self, step: Step, data: bytes) -> dict[str, Any]:
        self._index += 1
        return {
            "data_source": "coepg",
            "prompt": [{"role": "user", "content": PLACEHOLDER + question_of(step)}],
            "images": [{"bytes": data, "path": None}],
            "ability": "gui",
            "reward_model": {"style": "rule", "ground_truth": ground_truth(step)},
            "extra_info": {
                "split": step.split,
                "index": self._index,
                PACKED_KEY: packed_step(step),
            },
        }


def ground_truth(step: Step) -> str:
    """What a reward needs of a step, as JSON."""
    boxes = () if step.target_box_px is None else (step.target_box_px, *step.alternative_boxes_px)
    return json.dumps(
        {
            "action_type": step.action_type,
            "value": step.value,
            "boxes_px": [list(box.as_tuple()) for box in boxes],
        },
        ensure_ascii=False,
    )
