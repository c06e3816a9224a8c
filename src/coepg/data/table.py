"""The Step table: a dataset folder of annotated steps and their screenshots.

Layout::

    dataset.json            what it is, where it comes from, counts
    steps/<split>.parquet   one row a step; opens with datasets.load_dataset("parquet", ...)
    images/images-*.parquet each screenshot once, by the SHA-256 of its bytes
"""

from __future__ import annotations

import io
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from coepg.data.images import ImageStore, write_images
from coepg.data.parquet import open_parquet
from coepg.data.rows import STEP_SCHEMA, check_step, row_to_step, step_to_row
from coepg.errors import DataError
from coepg.types import Step

FORMAT_VERSION = 1
INFO_FILE = "dataset.json"


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
    out_dir = Path(out_dir)
    if out_dir.exists() and not overwrite:
        raise DataError(
            f"{out_dir}: exists already",
            found="a file or folder",
            expected="a new folder",
            fix="choose another folder or ask to overwrite",
        )
    by_split = _by_split(steps, images, out_dir)
    used = {step.screenshot.image_hash for part in by_split.values() for step in part}
    out_dir.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{out_dir.name}-", dir=out_dir.parent))
    try:
        (draft / "steps").mkdir()
        for split, part in by_split.items():
            table = pa.Table.from_pylist([step_to_row(s) for s in part], schema=STEP_SCHEMA)
            pq.write_table(table, draft / "steps" / f"{split}.parquet", compression="zstd")
        count = write_images(draft / "images", {h: images[h] for h in used})
        info = {
            "format_version": FORMAT_VERSION,
            "name": name,
            "source": source,
            "license": license,
            "made_by": made_by,
            "counts": {
                split: {"steps": len(part), "episodes": len({s.episode_id for s in part})}
                for split, part in by_split.items()
            },
            "images": count,
        }
        (draft / INFO_FILE).write_text(json.dumps(info, indent=2) + "\n", encoding="utf-8")
        draft.chmod(0o755)
        if out_dir.exists():
            shutil.rmtree(out_dir)
        os.replace(draft, out_dir)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def _by_split(
    steps: Iterable[Step], images: Mapping[str, bytes], out_dir: Path
) -> dict[str, list[Step]]:
    parts: dict[str, list[Step]] = {}
    seen: set[str] = set()
    for step in steps:
        where = f"{out_dir}, step {step.step_id!r}"
        check_step(step, where)
        if step.step_id in seen:
            raise DataError(
                f"{where}: step_id",
                found="used by an earlier step",
                expected="a name of its own for each step",
                fix="use <episode_id>/<step_index>",
            )
        seen.add(step.step_id)
        if step.screenshot.image_hash not in images:
            raise DataError(
                f"{where}: image_hash",
                found=f"{step.screenshot.image_hash!r}, not among the {len(images)} images",
                expected="the hash of an image that is given",
                fix="pass its bytes in `images`",
            )
        if not step.split or "/" in step.split or step.split.startswith("."):
            raise DataError(
                f"{where}: split",
                found=repr(step.split),
                expected="a name that can name a file",
                fix="use letters, digits and underscores",
            )
        parts.setdefault(step.split, []).append(step)
    if not parts:
        raise DataError(
            f"{out_dir}: no steps",
            found="an empty dataset",
            expected="at least one step",
            fix="check the filters of the step before this one",
        )
    return parts


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
            self._steps[split] = self._read(split)
        return list(self._steps[split])

    def _read(self, split: str) -> list[Step]:
        if split not in self.splits:
            raise DataError(
                f"{self.path}: split {split!r}",
                found="no such split",
                expected="one of " + (", ".join(self.splits) or "(there are none)"),
                fix="name one of the splits that are there",
            )
        path = self.path / "steps" / f"{split}.parquet"
        file = open_parquet(path, STEP_SCHEMA.names)
        try:
            rows = file.read(columns=STEP_SCHEMA.names).to_pylist()
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(
                f"{path}: cannot be read",
                found=str(error).splitlines()[0],
                expected="a whole Parquet file",
                fix="copy the file again, or write the dataset again",
            ) from error
        if not rows:
            raise DataError(
                f"{path}: empty split",
                found="0 rows",
                expected="at least one step",
                fix="leave the split out, or write the dataset again",
            )
        steps = [row_to_step(row, f"{path}, row {number}") for number, row in enumerate(rows)]
        for number, step in enumerate(steps):
            if step.screenshot.image_hash not in self._images():
                raise DataError(
                    f"{path}, row {number}: image_hash",
                    found=f"{step.screenshot.image_hash!r}, which is not in the image store",
                    expected=f"one of the {len(self._images())} images in {self.path / 'images'}",
                    fix="copy the whole dataset folder, or write the dataset again",
                )
        return steps

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
