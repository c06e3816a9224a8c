"""A hash of what a picture looks like, and the search for near-equal ones."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

SIDE = 16
MAX_DISTANCE_BITS = 3
"""Of 256: near-equal pictures differ in a clock or a cursor."""
MIN_SET_BITS = 8
"""Plainer pictures than this (a blank page) look alike without being so."""
_BANDS = MAX_DISTANCE_BITS + 1
_BAND_BITS = SIDE * SIDE // _BANDS


def difference_hash(data: bytes) -> int:
    """The dHash of a picture: 256 bits, each whether a cell is brighter than its right neighbour.

    The picture is averaged to 17 x 16 grey cells. Source: N. Krawetz, "Kind of Like That" (2013).

    Raises:
        OSError: the bytes are no picture, or a damaged one.
        ValueError: likewise.
    """
    with Image.open(io.BytesIO(data)) as picture:
        picture.draft("L", (SIDE * 8, SIDE * 8))
        grey = picture.convert("L").resize((SIDE + 1, SIDE), Image.Resampling.BOX)
    cells = np.asarray(grey, dtype=np.int16)
    bits = np.packbits(cells[:, :-1] > cells[:, 1:])
    return int.from_bytes(bits.tobytes(), "big")


def distance_bits(one: int, other: int) -> int:
    """In how many bits two hashes differ."""
    return (one ^ other).bit_count()


class NearIndex:
    """Finds hashes within `MAX_DISTANCE_BITS`.

    Hashes that differ in at most 3 bits agree in at least one of 4 bands of 64 bits, so only
    those that share a band are compared.
    """

    def __init__(self) -> None:
        self._bands: list[dict[int, list[int]]] = [{} for _ in range(_BANDS)]

    def add(self, value: int) -> None:
        """Take up a hash; one of a plain picture is left out."""
        if value.bit_count() >= MIN_SET_BITS:
            for band, key in zip(self._bands, _keys(value), strict=True):
                band.setdefault(key, []).append(value)

    def nearest(self, value: int) -> int | None:
        """The distance to the nearest hash within reach, or None."""
        close = [
            distance_bits(value, other)
            for band, key in zip(self._bands, _keys(value), strict=True)
            for other in band.get(key, ())
        ]
        best = min(close, default=MAX_DISTANCE_BITS + 1)
        return best if best <= MAX_DISTANCE_BITS else None


def _keys(value: int) -> list[int]:
    mask = (1 << _BAND_BITS) - 1
    return [(value >> (_BAND_BITS * band)) & mask for band in range(_BANDS)]
