"""What an agent sees: a screenshot, and optionally the text found on it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum

from coepg.types.geometry import Box, Size


class TextSource(str, Enum):
    """Where a piece of screen text came from."""

    OCR = "ocr"
    DOM = "dom"
    A11Y = "a11y"


@dataclass(frozen=True, slots=True)
class ScreenText:
    """One piece of text on a screen.

    Attributes:
        text: the words.
        box_px: where, in pixels of the screenshot.
        source: who found it.
        role: what kind of element, when the source knows (``button``, ``link``, ...), else "".
        score: the finder's own confidence in 0..1 (1 for DOM and accessibility trees).
    """

    text: str
    box_px: Box
    source: TextSource
    role: str = ""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Screenshot:
    """A picture, named by the SHA-256 of its encoded bytes.

    Attributes:
        image_hash: hex SHA-256 of the encoded file; the key of the image store.
        size: width and height in pixels.
        device_pixel_ratio: image pixels per device (CSS) pixel.
    """

    image_hash: str
    size: Size
    device_pixel_ratio: float = 1.0


def content_hash(data: bytes) -> str:
    """Hex SHA-256 of encoded image bytes: the image's name everywhere in coepg."""
    return hashlib.sha256(data).hexdigest()
