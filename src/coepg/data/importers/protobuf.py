"""The wire format of protocol buffers: enough to read a few known messages without their classes.

Source: the encoding guide of protobuf.dev. A message is a row of ``tag, value``, where the tag is
``field_number << 3 | wire_type``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5


class WireError(ValueError):
    """The bytes are no protobuf message; the text says at which offset."""


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """A varint and the offset after it.

    Raises:
        WireError: it does not end within ten bytes or within the data.
    """
    value = shift = 0
    for offset in range(at, min(at + 10, len(data))):
        byte = data[offset]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, offset + 1
        shift += 7
    raise WireError(f"no end of the number at byte {at}")


def iter_fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Field numbers and values in order: numbers for varints, bytes for everything else.

    Raises:
        WireError: the data is cut or is no message.
    """
    at = 0
    while at < len(data):
        start = at
        tag, at = read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == VARINT:
            value, at = read_varint(data, at)
            yield number, value
            continue
        if wire == LENGTH:
            size, at = read_varint(data, at)
        elif wire in (FIXED32, FIXED64):
            size = 4 if wire == FIXED32 else 8
        else:
            raise WireError(f"wire type {wire} at byte {start}")
        if number == 0 or at + size > len(data):
            raise WireError(f"field {number} of {size} bytes at byte {start} of {len(data)}")
        yield number, data[at : at + size]
        at += size


def signed(value: int) -> int:
    """A varint of an int32 or int64 field: negative numbers are stored in 64 bits."""
    return value - (1 << 64) if value >= 1 << 63 else value


def packed_or_single_floats(value: int | memoryview) -> list[float]:
    """32-bit floats, packed or a single one.

    Raises:
        WireError: the number of bytes is no multiple of four.
    """
    if isinstance(value, int) or len(value) % 4:
        raise WireError("floats of a wrong size")
    return list(struct.unpack(f"<{len(value) // 4}f", value))


def packed_or_single_ints(value: int | memoryview) -> list[int]:
    """Integers, packed or a single one."""
    if isinstance(value, int):
        return [signed(value)]
    found, at = [], 0
    while at < len(value):
        number, at = read_varint(value, at)
        found.append(signed(number))
    return found
