"""Writers of the binary formats that importers read, independent of their readers."""

import gzip
import struct


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while True:
        out.append((value & 0x7F) | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(number, value):
    """A varint field for an int, a length-delimited one for bytes and text."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def feature(values):
    if values and isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    if values and isinstance(values[0], int):
        return field(3, field(1, b"".join(map(varint, values))))
    return field(1, b"".join(field(1, value) for value in values))


def example(features):
    """A serialised tf.train.Example; single values stand for lists of one."""
    entries = b""
    for name, values in features.items():
        values = values if isinstance(values, list) else [values]
        entries += field(1, field(1, name) + field(2, feature(values)))
    return field(1, entries)


def slow_crc32c(data):
    register = 0xFFFFFFFF
    for byte in data:
        register ^= byte
        for _ in range(8):
            register = (register >> 1) ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def masked(data):
    crc = slow_crc32c(data)
    return struct.pack("<I", (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(data):
    length = struct.pack("<Q", len(data))
    return length + masked(length) + data + masked(data)


def write_tfrecord(path, *examples, zipped=False):
    data = b"".join(frame(e if isinstance(e, bytes) else example(e)) for e in examples)
    path.write_bytes(gzip.compress(data) if zipped else data)
    return path


def node(box, *, text="", role="", visible=True, editable=False, focused=False, description=""):
    """An AndroidAccessibilityNodeInfo; edges at 0 are left out, as proto3 does."""
    rect = b"".join(field(n, v) for n, v in enumerate(box, start=1) if v)
    out = field(1, 7) + field(2, rect)
    for number, value in ((3, role), (4, description), (7, text)):
        out += field(number, value) if value else b""
    for number, value in ((15, editable), (18, focused), (23, visible)):
        out += field(number, 1) if value else b""
    return out


def forest(*nodes):
    tree = b"".join(field(1, n) for n in nodes)
    return field(1, field(1, b"") + field(3, 4) + field(5, "window") + field(11, tree))
