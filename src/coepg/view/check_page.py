"""The findings of ``coepg data check`` as one self-contained page, with examples drawn."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from coepg.data.checks.finding import Example, Finding
from coepg.data.drawing import draw_labels
from coepg.data.table import StepTable
from coepg.errors import DataError
from coepg.types import Size

PICTURES_A_FINDING = 4
"""The other examples are listed in words."""
JPEG_QUALITY = 75


@dataclass(frozen=True, slots=True)
class _Card:
    example: Example
    picture: str
    size: str


def render_check_page(
    table: StepTable, findings: Sequence[Finding], resize: Callable[[Size], Size | None], model: str
) -> str:
    """The page as text.

    Args:
        table: where the examples' pictures are.
        findings: of `coepg.data.checks.run.check_dataset`.
        resize: the size at which the model sees a picture; examples are drawn at it.
        model: its name.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("coepg.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    cards = {
        number: [_card(table, e, resize) for e in finding.examples[:PICTURES_A_FINDING]]
        for number, finding in enumerate(findings)
    }
    info: dict[str, Any] = table.info
    return environment.get_template("check.html").render(
        name=info.get("name", table.path.name), info=info, findings=findings, cards=cards,
        model=model, num_pictures=PICTURES_A_FINDING,
    )  # fmt: skip


def _card(table: StepTable, example: Example, resize: Callable[[Size], Size | None]) -> _Card:
    step = example.row.step
    if step is None:
        return _Card(example, "", "")
    try:
        picture = table.image(step.screenshot.image_hash)
    except (DataError, OSError, ValueError, SyntaxError):
        return _Card(example, "", "the picture cannot be decoded")
    seen = resize(step.screenshot.size) or step.screenshot.size
    drawn = draw_labels(picture.resize((seen.width, seen.height)), step)
    file = io.BytesIO()
    drawn.save(file, "JPEG", quality=JPEG_QUALITY)
    uri = "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode("ascii")
    return _Card(example, uri, f"{seen.width} x {seen.height} px")
