"""Rows for ms-swift: grounding with ``objects``, whose boxes it turns into each model's own form.

``<split>.jsonl`` and ``images/``. Boxes are pixels (``bbox_type: real``). Source:
modelscope/ms-swift, docs/source_en/Customization/Custom-dataset.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from coepg.data.exporters.base import (
    PLACEHOLDER,
    JsonLinesFile,
    SplitFile,
    TargetFormat,
    answer_of,
    expression_of,
    question_of,
)
from coepg.data.importers.packed import PACKED_KEY, packed_step
from coepg.types import Step


class MsSwiftExporter:
    """One row a step."""

    format: ClassVar[TargetFormat] = TargetFormat(
        "ms_swift", "ms-swift rows", "https://swift.readthedocs.io/"
    )

    def __init__(self, options: Mapping[str, str]) -> None: ...

    def open(self, folder: Path, split: str) -> SplitFile:
        """``<split>.jsonl``."""
        return JsonLinesFile(folder / f"{split}.jsonl", row_of)

    def finish(self, folder: Path, splits: Sequence[str]) -> None:
        """Nothing more is needed: the files are given with ``--dataset``."""


def row_of(step: Step, picture: str) -> dict[str, Any]:
    """The row of a step.

    Args:
        step: the step.
        picture: path of its picture.
    """
    box, words = step.target_box_px, expression_of(step)
    has_words = box is not None and bool(words)
    answer = answer_of(
        step, "<ref-object>" if has_words else "", "<bbox>" if box is not None else None
    )
    return {
        "messages": [
            {"role": "user", "content": PLACEHOLDER + question_of(step)},
            {"role": "assistant", "content": answer},
        ],
        "images": [picture],
        "objects": {
            "ref": [words] if has_words else [],
            "bbox": [] if box is None else [list(box.as_tuple())],
            "bbox_type": "real",
        },
        PACKED_KEY: packed_step(step),
    }
