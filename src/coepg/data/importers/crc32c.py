"""CRC-32C (Castagnoli), as TFRecord frames carry it, fast enough for raw screenshots.

Polynomial 0x1EDC6F41, reflected 0x82F63B78, register and result inverted (RFC 3720, appendix B.4).
The register without inversion is linear over GF(2), and leading zero bytes do not change it from
zero. So a message is cut into lanes of equal length, the lanes advance together in numpy, and
their registers are joined pairwise: ``crc(a + b) = shift(crc(a), len(b)) ^ crc(b)``, where
``shift`` appends zero bytes.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]

_REFLECTED_POLYNOMIAL = 0x82F63B78
_MASK_DELTA = 0xA282EAD8
_SHORT = 16384
"""Bytes below which the plain loop is faster."""


def _byte_table() -> list[int]:
    table = []
    for byte in range(256):
        register = byte
        for _ in range(8):
            register = (register >> 1) ^ (_REFLECTED_POLYNOMIAL if register & 1 else 0)
        table.append(register)
    return table


_TABLE = _byte_table()
_TABLE_WORDS: Words = np.array(_TABLE, dtype=np.uint32)


def crc32c(data: bytes | memoryview) -> int:
    """The CRC-32C of some bytes.

    Example:
        >>> hex(crc32c(b"123456789"))
        '0xe3069283'
    """
    if len(data) < _SHORT:
        register = 0xFFFFFFFF
        for byte in bytes(data):
            register = _TABLE[(register ^ byte) & 0xFF] ^ (register >> 8)
        return register ^ 0xFFFFFFFF
    return _by_lanes(data) ^ 0xFFFFFFFF


def masked_crc32c(data: bytes | memoryview) -> int:
    """The CRC as TFRecord stores it: rotated right by 15 bits, plus a constant, modulo 2^32.

    Source: TensorFlow, ``tensorflow/core/lib/hash/crc32c.h``: a checksum of data that itself
    holds checksums is to look different from them.
    """
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + _MASK_DELTA) & 0xFFFFFFFF


def _by_lanes(data: bytes | memoryview) -> int:
    num_lanes = 1 << max(4, len(data).bit_length() // 2)
    length = -(-len(data) // (4 * num_lanes)) * 4
    message = np.zeros(num_lanes * length, dtype=np.uint8)
    start = len(message) - len(data)
    message[start:] = np.frombuffer(data, dtype=np.uint8)
    # A register that starts with all ones equals one that starts with zero and sees the first
    # four bytes inverted.
    message[start : start + 4] ^= 0xFF
    columns = np.ascontiguousarray(message.view("<u4").reshape(num_lanes, length // 4).T)
    low, high = _four_byte_tables()
    registers: Words = np.zeros(num_lanes, dtype=np.uint32)
    for column in columns:
        registers = registers ^ column
        registers = low[registers & 0xFFFF] ^ high[registers >> 16]
    while len(registers) > 1:
        registers = _apply(_shift(length), registers[0::2]) ^ registers[1::2]
        length *= 2
    return int(registers[0])


@functools.cache
def _four_byte_tables() -> tuple[Words, Words]:
    """What four bytes do to the register, by the low and the high half of register ^ bytes."""
    halves: Words = np.arange(1 << 16, dtype=np.uint32)
    high = _zero_byte(_zero_byte(halves))
    return _zero_byte(_zero_byte(high)), high


def _zero_byte(registers: Words) -> Words:
    after: Words = _TABLE_WORDS[registers & 0xFF] ^ (registers >> np.uint32(8))
    return after


def _apply(images: Words, values: Words) -> Words:
    """A linear map, given by the images of the 32 unit vectors, of many words at once."""
    out: Words = np.zeros_like(values)
    for bit in range(32):
        out ^= np.where((values >> np.uint32(bit)) & 1, images[bit], np.uint32(0)).astype(np.uint32)
    return out


@functools.lru_cache(maxsize=256)
def _shift(num_bytes: int) -> Words:
    """The map that appends ``num_bytes`` zero bytes, by squaring."""
    if num_bytes == 1:
        units: Words = np.uint32(1) << np.arange(32, dtype=np.uint32)
        return _zero_byte(units)
    half = _shift(num_bytes // 2)
    images = _apply(half, half)
    return _apply(_shift(1), images) if num_bytes % 2 else images
