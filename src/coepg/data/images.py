"""The image store of a dataset: each picture once, named by the SHA-256 of its bytes."""

from __future__ import annotations

import io
from collections import OrderedDict
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
GROUP_BYTES = 8 * 1024 * 1024
ROWS_IN_GROUP = 64
BYTES_IN_MEMORY = 256 * 1024 * 1024
"""What an `ImageStore` keeps of the groups read last."""


class ImageWriter:
    """Stores each picture once, in ``images-00000.parquet`` and so on, as they come.

    Args:
        folder: where; is made.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self.folder = folder
        self._hashes: set[bytes] = set()
        self._rows: list[dict[str, Any]] = []
        self._group_bytes = self._shard_bytes = self._shards = 0
        self._writer: pq.ParquetWriter | None = None

    def __len__(self) -> int:
        return len(self._hashes)

    def __contains__(self, image_hash: object) -> bool:
        try:
            return bytes.fromhex(str(image_hash)) in self._hashes
        except ValueError:
            return False

    def add(self, data: bytes, image_hash: str | None = None) -> str:
        """Store a picture unless it is there.

        Args:
            data: encoded bytes.
            image_hash: their SHA-256, if the caller has named it; is checked.

        Returns:
            The hash.

        Raises:
            DataError: bytes that do not have this hash, or are no picture.
        """
        if image_hash is not None and image_hash in self:
            return image_hash
        actual = content_hash(data)
        row = _image_row(image_hash or actual, actual, data)
        if actual in self:
            return actual
        self._hashes.add(bytes.fromhex(actual))
        self._rows.append(row)
        self._group_bytes += len(data)
        if len(self._rows) >= ROWS_IN_GROUP or self._group_bytes >= GROUP_BYTES:
            self._flush()
        return actual

    def _flush(self) -> None:
        if self._writer is None:
            path = self.folder / f"images-{self._shards:05d}.parquet"
            self._writer = pq.ParquetWriter(path, IMAGE_SCHEMA, compression="none")
            self._shards, self._shard_bytes = self._shards + 1, 0
        self._writer.write_table(pa.Table.from_pylist(self._rows, schema=IMAGE_SCHEMA))
        self._shard_bytes += self._group_bytes
        self._rows, self._group_bytes = [], 0
        if self._shard_bytes >= SHARD_BYTES:
            self._writer.close()
            self._writer = None

    def close(self) -> None:
        """Write what is left."""
        if self._rows or not self._shards:
            self._flush()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def _image_row(image_hash: str, actual: str, data: bytes) -> dict[str, Any]:
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
        self._bytes_held = 0
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
            self._bytes_held += sum(map(len, self._groups[key]))
            while self._bytes_held > BYTES_IN_MEMORY and len(self._groups) > 1:
                _, dropped = self._groups.popitem(last=False)
                self._bytes_held -= sum(map(len, dropped))
        self._groups.move_to_end(key)
        return self._groups[key]
