"""The tags of Co-EPG: ``<plan>...</plan><type>...</type><value>...</value>``.

Read by `coepg.models.answers`, as in training; this module adds the reasons and the names of
repairs. Planners name the element, so there is no point.
"""

from __future__ import annotations

from coepg.models.answers import parse_plan
from coepg.models.parsers.base import AnswerParser, Notes, Reading, Unreadable


class Tags(AnswerParser):
    """A planner's tags."""

    def __init__(self, name: str = "tags") -> None:
        super().__init__(name, None)

    def _read(self, text: str, notes: Notes) -> Reading:
        plan = parse_plan(text)
        if plan is None:
            _, opened, rest = text.partition("<type>")
            kind, closed, _ = rest.partition("</type>")
            if opened and closed and all(f"<{t}>" in text for t in ("plan", "value")):
                raise Unreadable("unknown_action", kind.strip())
            raise Unreadable("no_call", "a tag is missing")
        if text[: text.find("<plan>")].strip():
            notes.repair("text_before_call")
        if text[text.rfind("</value>") + len("</value>") :].strip():
            notes.repair("text_after_call")
        return Reading(plan.action_type, plan.value, element=plan.element)
