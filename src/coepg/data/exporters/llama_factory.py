"""Rows for LLaMA-Factory: ``messages`` and ``images``, and the ``dataset_info.json`` it asks for.

``<split>.jsonl``, ``images/``. Points in answers are whole pixels of the picture, or what
``point_unit`` says. Source: hiyouga/LLaMA-Factory, data/README.md.
"""

from __future__ import annotations

import json
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
    target_point,
)
from coepg.data.importers.base import Setting
from coepg.data.importers.boxes import SPACES
from coepg.data.importers.packed import PACKED_KEY, packed_step
from coepg.types import Frame, Step

UNIT = Setting("point_unit", "what points in answers measure", ("px", "norm1", "norm1000"), "px")


class LlamaFactoryExporter:
    """One row a step."""

    format: ClassVar[TargetFormat] = TargetFormat(
        "llama_factory",
        "LLaMA-Factory chat rows",
        "https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md",
        (UNIT,),
    )

    def __init__(self, options: Mapping[str, str]) -> None:
        self._unit = options.get(UNIT.name, "px")

    def open(self, folder: Path, split: str) -> SplitFile:
        """``<split>.jsonl``."""
        return JsonLinesFile(folder / f"{split}.jsonl", self._row)

    def finish(self, folder: Path, splits: Sequence[str]) -> None:
        """``dataset_info.json`` with an entry a split."""
        roles = {"role": "role", "content": "content", "user": "user", "assistant": "assistant"}
        info = {
            split: {
                "file_name": f"{split}.jsonl",
                "formatting": "sharegpt",
                "columns": {"messages": "messages", "images": "images"},
                "tags": {f"{key}_tag": value for key, value in roles.items()},
            }
            for split in splits
        }
        (folder / "dataset_info.json").write_text(json.dumps(info, indent=2) + "\n", "utf-8")

    def _row(self, step: Step, picture: str) -> dict[str, Any]:
        place = point_text(step, self._unit)
        answer = answer_of(step, expression_of(step) if place else "", place)
        return {
            "messages": [
                {"role": "user", "content": PLACEHOLDER + question_of(step)},
                {"role": "assistant", "content": answer},
            ],
            "images": [picture],
            PACKED_KEY: packed_step(step),
        }


def point_text(step: Step, unit: str) -> str | None:
    """The target's middle, ``[x, y]`` in a unit, or None without a target.

    0..1 has four decimals; the other units are whole numbers.
    """
    middle = target_point(step)
    if middle is None:
        return None
    point = Frame(step.screenshot.size).convert(middle, SPACES[unit])
    decimals = 4 if unit == "norm1" else 0
    return f"[{point.x:.{decimals}f}, {point.y:.{decimals}f}]"
