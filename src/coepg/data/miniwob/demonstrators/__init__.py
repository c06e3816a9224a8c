"""Scripted demonstrators, one file a family of tasks.

A demonstrator reads the page and the instruction and yields the gold actions one by one; it sees
the page as it is after each. It never acts on the page itself.
"""

from coepg.data.miniwob.demonstrators.apps import APPS
from coepg.data.miniwob.demonstrators.buttons import BUTTONS
from coepg.data.miniwob.demonstrators.choices import CHOICES
from coepg.data.miniwob.demonstrators.links import LINKS
from coepg.data.miniwob.demonstrators.shapes import SHAPES
from coepg.data.miniwob.demonstrators.text_entry import TEXT_ENTRY
from coepg.data.miniwob.gold import Demonstrator

DEMONSTRATORS: dict[str, Demonstrator] = {
    **BUTTONS,
    **SHAPES,
    **LINKS,
    **CHOICES,
    **TEXT_ENTRY,
    **APPS,
}
"""Every demonstrator, by the name of its task."""

__all__ = ["DEMONSTRATORS"]
