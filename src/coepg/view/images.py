"""Screenshots inside the page, as PNG data URIs of bounded size."""

from __future__ import annotations

import base64
import io

from coepg.errors import DataError

PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_SIDES_PX = (1200, 640, 320, 200)


def png_data_uri(data: bytes, max_bytes: int, name: str) -> str:
    """The picture as a ``data:`` URI.

    A PNG within ``max_bytes`` goes in as it is. Anything else is re-encoded, with 256 colours and
    smaller sides until it fits (the smallest size is taken whether it fits or not). Boxes and
    points are drawn in fractions of the picture, so they stay where they are.

    Args:
        data: an encoded image.
        max_bytes: before base64, which adds a third.
        name: of the picture, for the error.

    Raises:
        DataError: the bytes are not an image.
    """
    if data.startswith(PNG_MAGIC) and len(data) <= max_bytes:
        return _uri(data)
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(data)).convert("RGB")
    except OSError as error:
        raise DataError(
            f"picture of {name}",
            found=f"{len(data)} bytes that are no image ({error})",
            expected="an encoded image",
        ) from error
    smaller = b""
    for side in _SIDES_PX:
        copy = image.copy()
        copy.thumbnail((side, side), Image.Resampling.LANCZOS)
        file = io.BytesIO()
        copy.quantize(256).save(file, format="PNG", optimize=True)
        smaller = file.getvalue()
        if len(smaller) <= max_bytes:
            break
    return _uri(smaller)


def _uri(data: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(data).decode("ascii")
