"""TFRecord files, plain or gzipped, and ``tf.train.Example`` in them, without TensorFlow.

A frame is ``length (uint64), masked CRC-32C of the length (uint32), data, masked CRC-32C of the
data (uint32)``, little endian (TensorFlow, ``tensorflow/core/lib/io/record_writer.h``). An Example
is ``features (1) -> map entries (1) -> key (1), Feature (2)``; a Feature holds a list of bytes
(1), floats (2) or integers (3) (``tensorflow/core/example/feature.proto``).
"""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from coepg.data.importers.crc32c import masked_crc32c
from coepg.data.importers.protobuf import (
    WireError,
    iter_fields,
    packed_or_single_floats,
    packed_or_single_ints,
)
from coepg.errors import DataError

_HEAD = struct.Struct("<QI")
_TAIL = struct.Struct("<I")
_GZIP_MAGIC = b"\x1f\x8b"

T = TypeVar("T")


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


Values = list[bytes] | list[float] | list[int]


@dataclass(frozen=True, slots=True)
class Frame:
    """The data of one record.

    Attributes:
        where: ``<file>, record <n> at byte <offset>``; the offset is in the unpacked file.
        data: as stored.
    """

    where: str
    data: bytes


def iter_frames(path: Path) -> Iterator[Frame | DataError]:
    """The records of a file; one whose checksum is wrong is yielded as the error that says so.

    Raises:
        DataError: the file cannot be opened, is empty, is no TFRecord, or ends within a record.
    """
    try:
        with path.open("rb") as probe:
            head = probe.read(_HEAD.size)
            probe.seek(0)
            # The checksum decides: a plain file may by chance begin like a gzipped one.
            if head[:2] == _GZIP_MAGIC and not _is_head(head):
                with gzip.GzipFile(fileobj=probe, mode="rb") as file:
                    yield from _frames(file, path)
            else:
                yield from _frames(probe, path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"{path}: cannot be unpacked",
            found=str(error),
            expected="a whole gzip file",
            fix="download the file again; it is cut or damaged",
        ) from error
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read",
            found=str(error.strerror or error),
            expected="a TFRecord file",
            fix="check the path",
        ) from error


def _is_head(head: bytes) -> bool:
    return len(head) == _HEAD.size and _HEAD.unpack(head)[1] == masked_crc32c(head[:8])


def _frames(file: _Readable, path: Path) -> Iterator[Frame | DataError]:
    at = number = 0
    while head := file.read(_HEAD.size):
        where = f"{path}, record {number} at byte {at}"
        if len(head) < _HEAD.size:
            raise _cut(where, len(head), _HEAD.size)
        if not _is_head(head):
            raise DataError(
                f"{where}: length",
                found="a wrong checksum",
                expected="a TFRecord frame" if number else "a TFRecord file",
                fix="check --format and the file"
                if number == 0
                else "download the file again; it is damaged here",
            )
        (length, _) = _HEAD.unpack(head)
        data = file.read(length)
        tail = file.read(_TAIL.size)
        if len(data) + len(tail) < length + _TAIL.size:
            raise _cut(where, len(data) + len(tail), length + _TAIL.size)
        if _TAIL.unpack(tail)[0] == masked_crc32c(data):
            yield Frame(where, data)
        else:
            yield DataError(
                f"{where}: data",
                found="a wrong checksum",
                expected="the bytes that were written",
                fix="download the file again; it is damaged here",
            )
        at += _HEAD.size + length + _TAIL.size
        number += 1
    if number == 0:
        raise DataError(
            f"{path}: no records",
            found="an empty file",
            expected="a TFRecord file with records",
            fix="download the file again",
        )


def _cut(where: str, found: int, expected: int) -> DataError:
    return DataError(
        f"{where}: the file ends within the record",
        found=f"{found} bytes",
        expected=f"{expected} bytes",
        fix="download the file again; it is cut",
    )


class Example:
    """The features of a ``tf.train.Example`` by name.

    Args:
        frame: a record.

    Raises:
        DataError: its data is no Example.
    """

    def __init__(self, frame: Frame) -> None:
        self.where = frame.where
        try:
            self._features = dict(_entries(memoryview(frame.data)))
        except (WireError, UnicodeDecodeError) as error:
            raise DataError(
                f"{frame.where}: cannot be read as tf.train.Example",
                found=str(error),
                expected="an Example in protobuf's wire format",
                fix="check --format",
            ) from error

    @property
    def names(self) -> list[str]:
        """Of the features, sorted."""
        return sorted(self._features)

    def byte_strings(self, name: str) -> list[bytes]:
        """A feature's byte strings.

        Raises:
            DataError: no such feature, or one of numbers.
        """
        return [v for v in self._values(name, bytes) if isinstance(v, bytes)]

    def texts(self, name: str) -> list[str]:
        """A feature's byte strings as text.

        Raises:
            DataError: as `byte_strings`, or text that is not UTF-8.
        """
        try:
            return [value.decode() for value in self.byte_strings(name)]
        except UnicodeDecodeError as error:
            raise DataError(
                f"{self.where}: feature {name!r}",
                found=str(error),
                expected="text in UTF-8",
                fix="mend the record or set it aside with --keep-going",
            ) from error

    def floats(self, name: str) -> list[float]:
        """A feature's floats.

        Raises:
            DataError: no such feature, or one of another kind.
        """
        return [float(v) for v in self._values(name, float) if not isinstance(v, bytes)]

    def ints(self, name: str) -> list[int]:
        """A feature's integers.

        Raises:
            DataError: no such feature, or one of another kind.
        """
        return [int(v) for v in self._values(name, int) if not isinstance(v, bytes)]

    def one_text(self, name: str) -> str:
        """The only text of a feature.

        Raises:
            DataError: as `texts`, or not exactly one.
        """
        return self._one(name, self.texts(name))

    def one_int(self, name: str) -> int:
        """The only integer of a feature.

        Raises:
            DataError: as `ints`, or not exactly one.
        """
        return self._one(name, self.ints(name))

    def _one(self, name: str, values: list[T]) -> T:
        if len(values) != 1:
            raise DataError(
                f"{self.where}: feature {name!r}",
                found=f"{len(values)} values",
                expected="one",
                fix="check --format, or set the record aside with --keep-going",
            )
        return values[0]

    def _values(self, name: str, kind: type) -> Values:
        if name not in self._features:
            raise DataError(
                f"{self.where}: feature {name!r}",
                found="missing; there are " + (", ".join(self.names) or "none"),
                expected=f"a feature {name!r}",
                fix="check --format",
            )
        values = self._features[name]
        if values and not isinstance(values[0], kind):
            raise DataError(
                f"{self.where}: feature {name!r}",
                found=f"values of type {type(values[0]).__name__}",
                expected=kind.__name__,
                fix="check --format",
            )
        return values


def _entries(data: memoryview) -> Iterator[tuple[str, Values]]:
    for number, features in iter_fields(data):
        if number != 1 or isinstance(features, int):
            raise WireError(f"field {number} where features are expected")
        for _, entry in iter_fields(features):
            if isinstance(entry, int):
                raise WireError("a number where a feature is expected")
            parts = dict(iter_fields(entry))
            key, feature = parts.get(1, b""), parts.get(2, memoryview(b""))
            if isinstance(key, int) or isinstance(feature, int):
                raise WireError("a number where a name or feature is expected")
            yield bytes(key).decode(), _feature(feature)


def _feature(feature: memoryview) -> Values:
    for kind, values in iter_fields(feature):
        if isinstance(values, int):
            raise WireError("a number where a list is expected")
        if kind == 1:
            return [bytes(v) for _, v in iter_fields(values) if not isinstance(v, int)]
        if kind == 2:
            return [f for _, v in iter_fields(values) for f in packed_or_single_floats(v)]
        if kind == 3:
            return [n for _, v in iter_fields(values) for n in packed_or_single_ints(v)]
        raise WireError(f"a list of kind {kind}")
    return []
