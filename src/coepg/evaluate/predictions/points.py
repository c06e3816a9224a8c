"""Points that other scripts store as text."""

from __future__ import annotations

import math
import re

from coepg.evaluate.predictions.rows import Row
from coepg.types import Point

_PAIR = re.compile(r"\s*\(?\s*(-?\d+(?:\.\d+)?)\s*,\s*(-?\d+(?:\.\d+)?)\s*\)?\s*")


def scaled_output(row: Row) -> Point | None:
    """UGround's ``output`` "(x, y)", divided by ``scale`` (1 if absent); None if unparsable.

    Raises:
        DataError: there is no field ``output``, or ``scale`` is not a positive number.
    """
    if "output" not in row.data:
        raise row.bad("output", '"(x, y)", or null for an answer that could not be parsed')
    scale = row.number("scale") if "scale" in row.data else 1.0
    if scale <= 0:
        raise row.bad("scale", "a positive number")
    output = row.data["output"]
    found = _PAIR.fullmatch(output) if isinstance(output, str) else None
    if found is None:
        return None
    x, y = float(found[1]) / scale, float(found[2]) / scale
    return Point(x, y) if math.isfinite(x) and math.isfinite(y) else None
