"""Writing a dataset folder as a stream: all or nothing, in memory that does not grow with it."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from coepg.data.images import ImageWriter
from coepg.data.rows import STEP_SCHEMA, check_step, step_to_row
from coepg.errors import DataError
from coepg.types import Step

FORMAT_VERSION = 1
INFO_FILE = "dataset.json"
LEFT_OUT_FILE = "left_out.jsonl"
ROWS_IN_GROUP = 512
"""Steps held before they are written; also what a reader of one step has to read."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A step of the source that is no `Step`: scores count it as failed, nothing trains on it.

    Attributes:
        step_id, episode_id, split: as the step would have had them.
        reason: one word, such as ``no_positive``.
    """

    step_id: str
    episode_id: str
    split: str
    reason: str


class DatasetWriter:
    """Takes steps and pictures one after another; the folder appears when all is well.

    Per step, only a hash of its name is kept, and per picture its SHA-256.

    Args:
        out_dir: the folder; must not exist unless ``overwrite``.
        name: short name of the dataset.
        source: where the data comes from.
        license: under which terms it may be used.
        made_by: how it was made, so that somebody else can make it again.
        overwrite: replace an existing dataset folder.
        notes: what else ``dataset.json`` should say.

    Example:
        >>> with DatasetWriter(Path("out"), **about) as writer:  # doctest: +SKIP
        ...     writer.add(step, png)
    """

    def __init__(
        self,
        out_dir: Path,
        *,
        name: str,
        source: str,
        license: str,
        made_by: str,
        overwrite: bool = False,
        notes: dict[str, Any] | None = None,
    ) -> None:
        self.out_dir = Path(out_dir)
        if self.out_dir.exists() and not overwrite:
            raise DataError(
                f"{out_dir}: exists already",
                found="a file or folder",
                expected="a new folder",
                fix="choose another folder or ask to overwrite",
            )
        self.about = {"name": name, "source": source, "license": license, "made_by": made_by}
        self.notes = dict(notes or {})
        self._steps: Counter[str] = Counter()
        self._episodes: dict[str, set[int]] = {}
        self._seen: set[int] = set()
        self._parts: dict[str, _SplitWriter] = {}
        self._left_out: dict[str, Counter[str]] = {}

    def __enter__(self) -> Self:
        parent = self.out_dir.parent
        parent.mkdir(parents=True, exist_ok=True)
        self._draft = Path(tempfile.mkdtemp(prefix=f".{self.out_dir.name}-", dir=parent))
        (self._draft / "steps").mkdir()
        self._images = ImageWriter(self._draft / "images")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            for part in self._parts.values():
                part.close()
            self._images.close()
            if error is None:
                self._finish()
        finally:
            shutil.rmtree(self._draft, ignore_errors=True)

    def add_image(self, data: bytes) -> str:
        """Store a picture once.

        Returns:
            Its hash, for `Screenshot`.

        Raises:
            DataError: Pillow cannot open it.
        """
        return self._images.add(data)

    def add(self, step: Step, image: bytes | None = None) -> None:
        """Append a step.

        Args:
            step: its ``split`` names the file.
            image: bytes of its screenshot; None if `add_image` has had them.

        Raises:
            DataError: an unknown action, a box outside its picture, a missing picture, a name
                used before, or a split that cannot name a file. Nothing was added.
        """
        where = f"{self.out_dir}, step {step.step_id!r}"
        check_step(step, where)
        _check_split(step.split, where)
        key = hash(step.step_id)
        if key in self._seen:
            raise DataError(
                f"{where}: step_id",
                found="used by an earlier step",
                expected="a name of its own for each step",
                fix="use <episode_id>/<step_index>",
            )
        wanted = step.screenshot.image_hash
        if image is not None:
            self._images.add(image, wanted)
        if wanted not in self._images:
            raise DataError(
                f"{where}: image_hash",
                found=f"{wanted!r}, not among the {len(self._images)} images",
                expected="the hash of an image that is given",
                fix="pass its bytes too",
            )
        self._seen.add(key)
        self._steps[step.split] += 1
        self._episodes.setdefault(step.split, set()).add(hash(step.episode_id))
        if step.split not in self._parts:
            path = self._draft / "steps" / f"{step.split}.parquet"
            self._parts[step.split] = _SplitWriter(path)
        self._parts[step.split].add(step_to_row(step))

    def leave_out(self, left_out: LeftOut) -> None:
        """Note a step that is not in the dataset, in ``left_out.jsonl`` and in the counts."""
        _check_split(left_out.split, f"{self.out_dir}, step {left_out.step_id!r}")
        self._left_out.setdefault(left_out.split, Counter())[left_out.reason] += 1
        with (self._draft / LEFT_OUT_FILE).open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(left_out), ensure_ascii=False) + "\n")

    def __len__(self) -> int:
        return len(self._seen)

    def _finish(self) -> None:
        if not self._seen:
            raise DataError(
                f"{self.out_dir}: no steps",
                found="an empty dataset",
                expected="at least one step",
                fix="check the filters of the step before this one",
            )
        counts = {
            split: {"steps": count, "episodes": len(self._episodes[split])}
            for split, count in self._steps.items()
        }
        info = {
            "format_version": FORMAT_VERSION,
            **self.about,
            **self.notes,
            "counts": counts,
            "left_out": {split: dict(found) for split, found in self._left_out.items()},
            "images": len(self._images),
        }
        (self._draft / INFO_FILE).write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
        self._draft.chmod(0o755)
        if self.out_dir.exists():
            shutil.rmtree(self.out_dir)
        os.replace(self._draft, self.out_dir)


class _SplitWriter:
    """One Parquet file of steps, written a row group at a time."""

    def __init__(self, path: Path) -> None:
        self._writer = pq.ParquetWriter(path, STEP_SCHEMA, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        self._rows.append(row)
        if len(self._rows) >= ROWS_IN_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=STEP_SCHEMA))
            self._rows = []

    def close(self) -> None:
        self._flush()
        self._writer.close()


def _check_split(split: str, where: str) -> None:
    if not split or "/" in split or split.startswith("."):
        raise DataError(
            f"{where}: split",
            found=repr(split),
            expected="a name that can name a file",
            fix="use letters, digits and underscores",
        )
