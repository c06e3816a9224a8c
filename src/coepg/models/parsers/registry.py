"""Every dialect by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from coepg.errors import ModelError
from coepg.models.parsers.agentcpm import agentcpm
from coepg.models.parsers.autoglm import autoglm
from coepg.models.parsers.base import AnswerParser
from coepg.models.parsers.os_atlas import os_atlas, os_atlas_finger
from coepg.models.parsers.plain import PlainPoint
from coepg.models.parsers.pyautogui import PyAutoGui, aguvis
from coepg.models.parsers.qwen_tools import qwen2_5_vl, qwen3_vl
from coepg.models.parsers.tags import Tags
from coepg.models.parsers.ui_tars import ui_tars, ui_tars_1_5
from coepg.types import Space


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way to answer.

    Attributes:
        text: which models write it, for people.
        make: the parser, if the dialect fixes its space.
        make_in: the parser for a declared space, if it does not.
    """

    text: str
    make: Callable[[], AnswerParser] | None = None
    make_in: Callable[[Space], AnswerParser] | None = None


DIALECTS: dict[str, Dialect] = {
    "qwen2_5_vl": Dialect("Qwen2.5-VL tool calls, pixels of the resized picture", qwen2_5_vl),
    "qwen3_vl": Dialect("Qwen3-VL tool calls, 0..1000", qwen3_vl),
    "ui_tars": Dialect("UI-TARS 1.0, 0..1000", ui_tars),
    "ui_tars_1_5": Dialect("UI-TARS 1.5, pixels of the resized picture", ui_tars_1_5),
    "os_atlas": Dialect("OS-Atlas, 0..1000, SCROLL names the content's direction", os_atlas),
    "os_atlas_finger": Dialect(
        "OS-Atlas, 0..1000, SCROLL names the finger's direction", os_atlas_finger
    ),
    "aguvis": Dialect("Aguvis and OpenCUA, PyAutoGUI lines, 0..1", aguvis),
    "pyautogui": Dialect(
        "PyAutoGUI lines in a declared unit", make_in=lambda space: PyAutoGui("pyautogui", space)
    ),
    "agentcpm": Dialect("AgentCPM-GUI, JSON, 0..1000", agentcpm),
    "autoglm": Dialect("AutoGLM and coepg's own call form, 0..1000", autoglm),
    "plain": Dialect(
        "a bare (x, y) in a declared unit", make_in=lambda space: PlainPoint("plain", space)
    ),
    "tags": Dialect("the planner's tags of Co-EPG, without a point", Tags),
}
"""Every dialect that coepg reads, by name."""


def get_parser(name: str, space: Space | None = None) -> AnswerParser:
    """The parser of a dialect.

    Args:
        name: one of `DIALECTS`.
        space: of its points; needed by the dialects whose unit does not show, refused by others.

    Raises:
        ModelError: no such dialect, or a space is missing or given where it is fixed.

    Example:
        >>> get_parser("plain", Space.NORM1000).parse("(250, 40)").point
        Point(x=250.0, y=40.0, space=<Space.NORM1000: 'norm1000'>)
    """
    if name not in DIALECTS:
        raise ModelError(
            "dialect of the answers",
            found=repr(name),
            expected=" or ".join(DIALECTS),
            fix="name one of these",
        )
    dialect = DIALECTS[name]
    if dialect.make is not None:
        if space is None:
            return dialect.make()
        raise ModelError(
            f"dialect {name!r}",
            found=f"the space {space.value}",
            expected="no space: the dialect fixes it",
            fix="leave it out",
        )
    assert dialect.make_in is not None
    if space is None:
        raise ModelError(
            f"dialect {name!r}",
            found="no space",
            expected="the unit of its points: " + ", ".join(s.value for s in Space),
            fix="declare it; it does not show in the answers",
        )
    return dialect.make_in(space)
