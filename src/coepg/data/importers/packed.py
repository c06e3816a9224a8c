"""Steps that travel whole inside another tool's rows: the key ``coepg``, one JSON text a row.

It is a text since other tools read their rows with one column type for all of them.
"""

from __future__ import annotations

import json
from dataclasses import replace

from coepg.data.crop import screenshot_of
from coepg.data.importers.values import parsed_json
from coepg.data.rows import row_to_step, step_to_row
from coepg.errors import DataError
from coepg.types import Step

PACKED_KEY = "coepg"


def packed_step(step: Step) -> str:
    """A step as JSON, without its picture."""
    return json.dumps(step_to_row(step), ensure_ascii=False, allow_nan=False)


def unpacked_step(text: object, data: bytes, where: str) -> Step:
    """The step of `packed_step`.

    Args:
        text: the value of the key ``coepg``.
        data: bytes of the picture that the row names; may be encoded anew, not resized.
        where: file and row, for messages.

    Raises:
        DataError: it is no packed step, or the picture has another size.
    """
    row = parsed_json(text, PACKED_KEY, where)
    try:
        step = row_to_step(row, f"{where}: {PACKED_KEY}")
    except (KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"{where}: {PACKED_KEY}", found=f"{text!r:.80} ({error!r})",
            expected="a step as coepg data export writes it",
            fix="export again, or remove the key to read the row's own fields",
        ) from error  # fmt: skip
    shot = screenshot_of(data, where)
    if shot.size != step.screenshot.size:
        raise DataError(
            f"{where}: picture", found=f"{shot.size}", expected=f"{step.screenshot.size}",
            fix="use the pictures as exported, or remove the key coepg",
        )  # fmt: skip
    kept = replace(step.screenshot, image_hash=shot.image_hash)
    return replace(step, screenshot=kept)
