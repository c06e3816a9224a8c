"""The image store of a dataset: each picture once, named by the SHA-256 of its bytes."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, UnidentifiedImageError

from coepg.data.parquet import open_parquet
from coepg.errors import DataError
from coepg.types import content_hash

IMAGE_SCHEMA = pa.schema(
    [
        ("image_hash", pa.string()),
        ("png", pa.binary()),
        ("width", pa.int32()),
        ("height", pa.int32()),
    ]
)
SHARD_BYTES = 256 * 1024 * 1024
ROWS_IN_GROUP = 64
GROUPS_IN_MEMORY = 64


def write_images(folder: Path, images: Mapping[str, bytes]) -> int:
    """Write the pictures as ``images-00000.parquet`` and so on, in the order of their hashes.

    Args:
        folder: where; is made.
        images: encoded bytes by hash.

    Returns:
        How many pictures were written.

    Raises:
        DataError: bytes that do not have their hash, or are no picture.
    """
    folder.mkdir(parents=True)
    shard: list[dict[str, Any]] = []
    shard_bytes = shards = 0
    for image_hash in sorted(images):
        row = _image_row(image_hash, images[image_hash])
        shard.append(row)
        shard_bytes += len(row["png"])
        if shard_bytes >= SHARD_BYTES:
            _write_shard(folder, shards, shard)
            shard, shard_bytes, shards = [], 0, shards + 1
    if shard or not shards:
        _write_shard(folder, shards, shard)
    return len(images)


def _image_row(image_hash: str, data: bytes) -> dict[str, Any]:
    actual = content_hash(data)
    if actual != image_hash:
        raise DataError(
            f"image {image_hash}",
            found=f"bytes whose SHA-256 is {actual}",
            expected="the SHA-256 of the bytes as name",
            fix="name images with coepg.types.content_hash",
        )
    try:
        with Image.open(io.BytesIO(data)) as picture:
            width, height = picture.size
    except (UnidentifiedImageError, OSError) as error:
        raise DataError(
            f"image {image_hash}",
            found=str(error),
            expected="a picture that Pillow can open",
            fix="encode it as PNG",
        ) from error
    return {"image_hash": image_hash, "png": data, "width": width, "height": height}


def _write_shard(folder: Path, number: int, rows: list[dict[str, Any]]) -> None:
    pq.write_table(
        pa.Table.from_pylist(rows, schema=IMAGE_SCHEMA),
        folder / f"images-{number:05d}.parquet",
        row_group_size=ROWS_IN_GROUP,
        compression="none",
    )


class ImageStore:
    """Reads pictures by hash. Only the hashes are held; bytes are read a row group at a time.

    Args:
        folder: the folder ``images`` of a dataset.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: list[pq.ParquetFile] = []
        self._places: dict[str, tuple[int, int, int]] = {}
        self._groups: OrderedDict[tuple[int, int], list[bytes]] = OrderedDict()
        for path in sorted(folder.glob("images-*.parquet")):
            self._index(path)

    def _index(self, path: Path) -> None:
        file = open_parquet(path, IMAGE_SCHEMA.names)
        number = len(self._files)
        self._files.append(file)
        for group in range(file.num_row_groups):
            hashes = file.read_row_group(group, ["image_hash"]).column(0).to_pylist()
            self._places |= {h: (number, group, row) for row, h in enumerate(hashes)}

    def __len__(self) -> int:
        return len(self._places)

    def __contains__(self, image_hash: object) -> bool:
        return image_hash in self._places

    def read(self, image_hash: str) -> bytes:
        """The encoded bytes of a picture.

        Raises:
            DataError: there is no picture of this name.
        """
        if image_hash not in self._places:
            raise DataError(
                f"{self.folder}: image {image_hash!r}",
                found="no such image",
                expected=f"one of the {len(self)} image hashes there",
                fix="copy the whole dataset folder, or write the dataset again",
            )
        number, group, row = self._places[image_hash]
        return self._group(number, group)[row]

    def _group(self, number: int, group: int) -> list[bytes]:
        key = (number, group)
        if key not in self._groups:
            column = self._files[number].read_row_group(group, ["png"]).column(0)
            self._groups[key] = column.to_pylist()
            if len(self._groups) > GROUPS_IN_MEMORY:
                self._groups.popitem(last=False)
        self._groups.move_to_end(key)
        return self._groups[key]
