"""Draws one screen from a seed: chooses a page family, a script and a step."""

from __future__ import annotations

from dataclasses import dataclass

from coepg.synth import (
    pages_drawings,
    pages_flows,
    pages_forms,
    pages_lists,
    pages_navigation,
    pages_search,
)
from coepg.synth.stage import Node, Script, Stage
from coepg.synth.types import SCREEN_SIZE_PX

_PAGES = (
    *pages_forms.PAGES,
    *pages_search.PAGES,
    *pages_lists.PAGES,
    *pages_navigation.PAGES,
    *pages_drawings.PAGES,
    *pages_flows.PAGES,
)

FAMILIES = tuple(name for _, name, _ in _PAGES)
"""Names of all page families."""


@dataclass(slots=True)
class Page:
    """One screen before rendering.

    Attributes:
        seed: Number that the screen follows from.
        family: Name of the page family.
        html: Source of the 160 x 160 px area.
        nodes: Everything that may be on the screen.
        script: The script that the screen is drawn for, if any.
        step: Number of its steps that are already done.
        stage: Remaining scripts and generators for the planner samples.
    """

    seed: int
    family: str
    html: str
    nodes: list[Node]
    script: Script | None
    step: int
    stage: Stage


def draw_page(seed: int) -> Page:
    """Builds the screen of one seed.

    A multi-step script is drawn after a random number of its steps, so that
    typed values, ticks and open panels show.

    Args:
        seed: Any whole number.

    Returns:
        The page with its HTML source.
    """
    stage = Stage.from_seed(seed)
    weights = [weight for weight, _, _ in _PAGES]
    _, family, build = stage.rng.choices(_PAGES, weights)[0]
    stage.family = family
    build(stage)
    script, step = None, 0
    if stage.scripts:
        weights = [len(script.steps) ** 1.5 for script in stage.scripts]
        script = stage.rng.choices(stage.scripts, weights)[0]
        step = stage.rng.randrange(len(script.steps))
        for done in script.steps[:step]:
            stage.perform(done)
    return Page(seed, family, area(stage), stage.nodes, script, step, stage)


def area(stage: Stage) -> str:
    """The stage's HTML inside its fixed-size white area."""
    theme = stage.theme
    inner = SCREEN_SIZE_PX - 2 * theme.pad_px
    bars = " nobars" if theme.hide_scroll_bars else ""
    return (
        f'<div class="inner{bars}" style="font:{theme.font_px}px {theme.family};'
        f'left:{theme.pad_px}px;top:{theme.pad_px}px;width:{inner}px;height:{inner}px">'
        f"{stage.source()}</div>"
    )
