"""One export: dataset folder -> rows of another tool."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path

from coepg.data.exporters.base import Exporter
from coepg.data.importers.origin import ORIGIN_FILE
from coepg.data.table import StepTable
from coepg.data.writer import LEFT_OUT_FILE
from coepg.errors import DataError


def export_dataset(
    exporter: Exporter,
    table: StepTable,
    out_dir: Path,
    *,
    splits: list[str] | None = None,
    overwrite: bool = False,
) -> Counter[str]:
    """Export splits into a new folder, all or nothing, in memory that does not grow.

    Args:
        exporter: of the target's format.
        table: the dataset.
        out_dir: the new folder.
        splits: which; None takes all.
        overwrite: replace an existing folder.

    Returns:
        Steps written, by split.

    Raises:
        DataError: the folder exists, or a split does not.
    """
    out_dir = Path(out_dir)
    if out_dir.exists() and not overwrite:
        raise DataError(
            f"{out_dir}: exists already", found="a file or folder", expected="a new folder",
            fix="choose another folder or ask to overwrite",
        )  # fmt: skip
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}-", dir=out_dir.parent))
    counts: Counter[str] = Counter()
    try:
        for split in splits or table.splits:
            file = exporter.open(draft, split)
            try:
                for step in table.iter_steps(split):
                    file.add(step, table.image_bytes(step.screenshot.image_hash))
                    counts[split] += 1
            finally:
                file.close()
        exporter.finish(draft, list(counts))
        _write_origin(table, draft)
        draft.chmod(0o755)
        if out_dir.exists():
            shutil.rmtree(out_dir)
        os.replace(draft, out_dir)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return counts


def _write_origin(table: StepTable, folder: Path) -> None:
    """What an importer cannot know: the data's source, its licence, and the steps left out."""
    origin = {key: table.info.get(key, "") for key in ("name", "source", "license", "made_by")}
    (folder / ORIGIN_FILE).write_text(json.dumps(origin, indent=2) + "\n", encoding="utf-8")
    left_out = table.path / LEFT_OUT_FILE
    if left_out.exists():
        shutil.copy(left_out, folder / LEFT_OUT_FILE)
