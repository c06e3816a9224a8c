"""Rows for TRL: ``prompt``, ``completion`` and ``images`` as Parquet with pictures inside.

``<split>.parquet`` opens with ``datasets.load_dataset("parquet", ...)``, which decodes the
pictures; TRL puts them before the text. Points are whole pixels. Source: TRL's documentation,
dataset formats.
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
    ParquetFile,
    SplitFile,
    TargetFormat,
    answer_of,
    expression_of,
    question_of,
)
from coepg.data.exporters.llama_factory import point_text
from coepg.data.importers.packed import PACKED_KEY, packed_step
from coepg.types import Step

_TEXT = {"dtype": "string", "_type": "Value"}
_MESSAGES = {"feature": {"role": _TEXT, "content": _TEXT}, "_type": "List"}
_FEATURES = {
    "prompt": _MESSAGES,
    "completion": _MESSAGES,
    "images": {"feature": {"_type": "Image"}, "_type": "List"},
    PACKED_KEY: _TEXT,
}
SCHEMA = pa.schema(
    [
        ("prompt", MESSAGES_TYPE),
        ("completion", MESSAGES_TYPE),
        ("images", pa.list_(IMAGE_TYPE)),
        (PACKED_KEY, pa.string()),
    ],
    # What `datasets` reads to know that the structures are pictures.
    metadata={"huggingface": json.dumps({"info": {"features": _FEATURES}})},
)


class TrlExporter:
    """One row a step."""

    format: ClassVar[TargetFormat] = TargetFormat(
        "trl", "TRL prompt-completion rows", "https://huggingface.co/docs/trl/dataset_formats"
    )

    def __init__(self, options: Mapping[str, str]) -> None: ...

    def open(self, folder: Path, split: str) -> SplitFile:
        """``<split>.parquet``."""
        return ParquetFile(folder / f"{split}.parquet", SCHEMA, row_of)

    def finish(self, folder: Path, splits: Sequence[str]) -> None:
        """Nothing more is needed."""


def row_of(step: Step, data: bytes) -> dict[str, Any]:
    """The row of a step and the bytes of its picture."""
    place = point_text(step, "px")
    answer = answer_of(step, expression_of(step) if place else "", place)
    return {
        "prompt": [{"role": "user", "content": question_of(step)}],
        "completion": [{"role": "assistant", "content": answer}],
        "images": [{"bytes": data, "path": None}],
        PACKED_KEY: packed_step(step),
    }
