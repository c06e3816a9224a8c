"""The Step table: a dataset folder of annotated steps and their screenshots.

Layout::

    dataset.json            what it is, where it comes from, counts
    steps/<split>.parquet   one row a step; opens with datasets.load_dataset("parquet", ...)
    left_out.jsonl          steps of the source that count as failed but are no Step, with reasons
    images/images-*.parquet each screenshot once, by the SHA-256 of its bytes
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from PIL import Image

from coepg.data.images import ImageStore
from coepg.data.parquet import ParquetRows
from coepg.data.rows import OPTIONAL_COLUMNS, STEP_SCHEMA, row_to_step
from coepg.data.writer import (
    FORMAT_VERSION,
    INFO_FILE,
    LEFT_OUT_FILE,
    DatasetWriter,
    LeftOut,
)
from coepg.errors import DataError
from coepg.types import Step


def write_dataset(
    out_dir: Path,
    steps: Iterable[Step],
    images: Mapping[str, bytes],
    *,
    name: str,
    source: str,
    license: str,
    made_by: str,
    overwrite: bool = False,
) -> None:
    """Write a dataset folder, all or nothing.

    Args:
        out_dir: the folder; must not exist unless ``overwrite``.
        steps: in the order in which they are to be read back; a split is a step's ``split``.
        images: encoded bytes by SHA-256. Pictures that no step shows are left out.
        name: short name of the dataset.
        source: where the data comes from.
        license: under which terms it may be used.
        made_by: how it was made, so that somebody else can make it again.
        overwrite: replace an existing dataset folder.

    Raises:
        DataError: no steps, a step with an unknown action, a box outside its picture, a missing
            picture, two steps of one name, or an existing folder.
    """
    with DatasetWriter(
        out_dir, name=name, source=source, license=license, made_by=made_by, overwrite=overwrite
    ) as writer:
        for step in steps:
            writer.add(step, images.get(step.screenshot.image_hash))


class StepTable:
    """A dataset folder, read lazily: a split's rows when asked for, pictures one group at a time.

    Attributes:
        path: the folder.
        info: the contents of ``dataset.json``.
        splits: names of the splits, in alphabetical order.
    """

    def __init__(self, path: Path, info: dict[str, Any]) -> None:
        self.path = path
        self.info = info
        self.splits: tuple[str, ...] = tuple(
            sorted(file.stem for file in (path / "steps").glob("*.parquet"))
        )
        self._steps: dict[str, list[Step]] = {}
        self._open: dict[str, ParquetRows] = {}
        self._store: ImageStore | None = None

    @classmethod
    def open(cls, path: str | Path) -> StepTable:
        """Open a dataset folder.

        Raises:
            DataError: it is no dataset folder, or one of a version that this code cannot read.
        """
        path = Path(path)
        info_path = path / INFO_FILE
        try:
            info = json.loads(info_path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise DataError(
                f"{path}: no dataset there",
                found=f"no {INFO_FILE}" if path.is_dir() else "no such folder",
                expected=f"a folder with {INFO_FILE}, steps/ and images/",
                fix="check the path, or record or import a dataset there",
            ) from None
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise DataError(
                f"{info_path}: cannot be read",
                found=str(error),
                expected="JSON",
                fix="copy the folder again, or write the dataset again",
            ) from error
        if not isinstance(info, dict) or info.get("format_version") != FORMAT_VERSION:
            found = info.get("format_version") if isinstance(info, dict) else type(info).__name__
            raise DataError(
                f"{info_path}: format_version",
                found=repr(found),
                expected=str(FORMAT_VERSION),
                fix="write the dataset again with this version of coepg",
            )
        return cls(path, info)

    def steps(self, split: str) -> list[Step]:
        """The steps of a split, in the order in which they were written.

        Raises:
            DataError: no such split, or something wrong in its file; names file and row.
        """
        if split not in self._steps:
            self._steps[split] = list(self.iter_steps(split))
        return list(self._steps[split])

    def iter_steps(self, split: str) -> Iterator[Step]:
        """The steps of a split one after another, in memory that does not grow.

        Raises:
            DataError: as `steps`.
        """
        rows = self._rows(split)
        for number, row in enumerate(rows):
            yield self._step(row, f"{rows.path}, row {number}")

    def num_steps(self, split: str) -> int:
        """How many steps a split has, without reading them."""
        return len(self._rows(split))

    def step_at(self, split: str, number: int) -> Step:
        """One step by its place in the split; reads one row group.

        Raises:
            DataError: as `steps`.
        """
        rows = self._rows(split)
        return self._step(rows[number], f"{rows.path}, row {number}")

    def left_out(self, split: str) -> Iterator[LeftOut]:
        """Steps of the source that scores count as failed, though no `Step` could be made.

        Raises:
            DataError: the list is damaged.
        """
        path = self.path / LEFT_OUT_FILE
        if not path.exists():
            return
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file):
                try:
                    found = LeftOut(**json.loads(line))
                except (TypeError, ValueError) as error:
                    raise DataError(
                        f"{path}, line {number + 1}", found=str(error),
                        expected="step_id, episode_id, split and reason", fix="import again",
                    ) from error  # fmt: skip
                if found.split == split:
                    yield found

    def raw_rows(self, split: str) -> ParquetRows:
        """The rows of a split as stored, for checks that must see bad ones too.

        Raises:
            DataError: no such split, or its file is damaged, lacks columns or is empty.
        """
        return self._rows(split)

    def _rows(self, split: str) -> ParquetRows:
        if split not in self.splits:
            raise DataError(
                f"{self.path}: split {split!r}",
                found="no such split",
                expected="one of " + (", ".join(self.splits) or "(there are none)"),
                fix="name one of the splits that are there",
            )
        if split not in self._open:
            path = self.path / "steps" / f"{split}.parquet"
            rows = ParquetRows(path, STEP_SCHEMA.names, optional=OPTIONAL_COLUMNS)
            if not len(rows):
                raise DataError(
                    f"{path}: empty split",
                    found="0 rows",
                    expected="at least one step",
                    fix="leave the split out, or write the dataset again",
                )
            self._open[split] = rows
        return self._open[split]

    def _step(self, row: Mapping[str, Any], where: str) -> Step:
        step = row_to_step(row, where)
        if step.screenshot.image_hash not in self._images():
            raise DataError(
                f"{where}: image_hash",
                found=f"{step.screenshot.image_hash!r}, which is not in the image store",
                expected=f"one of the {len(self._images())} images in {self.path / 'images'}",
                fix="copy the whole dataset folder, or write the dataset again",
            )
        return step

    def image_bytes(self, image_hash: str) -> bytes:
        """The encoded bytes of a screenshot.

        Raises:
            DataError: there is no such image.
        """
        return self._images().read(image_hash)

    def image(self, image_hash: str) -> Image.Image:
        """A screenshot as RGB picture.

        Raises:
            DataError: there is no such image.
        """
        with Image.open(io.BytesIO(self.image_bytes(image_hash))) as picture:
            return picture.convert("RGB")

    def _images(self) -> ImageStore:
        if self._store is None:
            self._store = ImageStore(self.path / "images")
        return self._store
