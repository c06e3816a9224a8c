"""Instruction templates by kind.

`{q...}` slots are quoted at random by Phrases; other slots go in as they are.
"""

from __future__ import annotations

from coepg.synth.templates_browse import BROWSE_TEMPLATES
from coepg.synth.templates_flow import FLOW_TEMPLATES
from coepg.synth.templates_form import FORM_TEMPLATES
from coepg.synth.templates_point import POINT_TEMPLATES

TEMPLATES: dict[str, tuple[str, ...]] = {
    **POINT_TEMPLATES,
    **FORM_TEMPLATES,
    **BROWSE_TEMPLATES,
    **FLOW_TEMPLATES,
}
