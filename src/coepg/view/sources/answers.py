"""Stored rows of answers as `Answer`, tolerant of what a row lacks, and joined with gold steps."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from coepg.evaluate.definitions import METRICS
from coepg.evaluate.judging import judge_step
from coepg.types import Plan, Point, Step, Verdict
from coepg.view.data import MemberMark
from coepg.view.sources.base import Answer, Record, record_of
from coepg.view.sources.dataset import DatasetSource

RIGHT_NAMES = ("step_success", "is_right", "element_hit")
"""Verdicts that say whether an answer is right; the first one that a row has decides."""
VERDICT_GROUPS = ("verdicts", "verdict")
OWN_VERDICTS = ("type_match", "value_match", "element_hit", "op_f1", "step_success")
"""What `judge_step` says; for tables it is filled in where a row has no verdicts of other rules."""
AGENT = "agent"
_KNOWN = {
    "step_id", "episode_id", "task_name",
    "text", "plan", "point_px", "members", "element", "action_type", "value",
}  # fmt: skip
_SHORT = 200


def answer_of(row: Mapping[str, Any], label: str = AGENT) -> Answer:
    """The answer in a row of an evaluation.

    ``plan`` is ``[element, action_type, value]``, an object with these names, or null; ``point_px``
    is ``[x, y]``, ``members`` an object of points by name. Booleans and numbers that are named as
    metrics, and all that stands in ``verdicts``, are verdicts; other plain values are facts.
    """
    plan = plan_of(row.get("plan"))
    verdicts, facts = _values(row)
    marks = members_of(row.get("members"))
    point = _point(row.get("point_px"))
    if "point_px" in row:
        hit = verdicts.get("element_hit")
        marks = (MemberMark(AGENT, point, hit if isinstance(hit, bool) else None), *marks)
    return Answer(
        label=label,
        text=str(row.get("text") or ""),
        is_parsed=plan is not None,
        element=plan.element if plan else None,
        action_type=plan.action_type if plan else "",
        value=plan.value if plan else None,
        verdicts=verdicts,
        marks=marks,
        is_right=is_right(verdicts),
        facts=facts,
    )


def is_right(verdicts: Mapping[str, Any]) -> bool | None:
    """Whether verdicts call an answer right; None if none of `RIGHT_NAMES` is there."""
    for name in RIGHT_NAMES:
        value = verdicts.get(name)
        if isinstance(value, bool | int | float):
            return value >= 1
    return None


def row_is_right(row: Mapping[str, Any]) -> bool | None:
    """`is_right` of a stored row, without making an answer of it."""
    found = dict(row)
    for name in VERDICT_GROUPS:
        if isinstance(row.get(name), Mapping):
            found |= row[name]
    return is_right(found)


def plan_of(value: Any) -> Plan | None:
    """A stored plan; None if there is none, or what is stored is none."""
    if isinstance(value, Mapping):
        value = [value.get("element"), value.get("action_type"), value.get("value")]
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 3:
        return None
    element, kind, text = value
    if not isinstance(kind, str):
        return None
    return Plan(_text(element), kind, _text(text))


def members_of(value: Any) -> tuple[MemberMark, ...]:
    """The points of grounders by name: an object, or its JSON text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ()
    if not isinstance(value, Mapping):
        return ()
    marks = []
    for name, entry in value.items():
        if isinstance(entry, Mapping):
            hit = entry.get("hit")
            marks.append(
                MemberMark(
                    str(name),
                    _point(entry.get("point_px")),
                    None if hit is None else bool(hit),
                    _number(entry.get("weight")),
                    _number(entry.get("confidence")),
                )
            )
        else:
            marks.append(MemberMark(str(name), _point(entry)))
    return tuple(marks)


def judged(answer: Answer, step: Step) -> Answer:
    """The answer with what its gold step says where the row does not say it.

    Verdicts are added only beside coepg's own or where there are none: those of a benchmark's
    rule are not mixed with others.
    """
    hits = tuple(
        m if m.is_hit is not None or step.target_box_px is None
        else replace(m, is_hit=step.is_hit(Point(*m.point_px) if m.point_px else None))
        for m in answer.marks
    )  # fmt: skip
    answer = replace(answer, marks=hits)
    if not set(answer.verdicts) <= set(OWN_VERDICTS):
        return answer
    agent = next((m for m in hits if m.name == AGENT), None)
    verdict = judge_step(
        Plan(answer.element, answer.action_type, answer.value) if answer.is_parsed else None,
        Point(*agent.point_px) if agent and agent.point_px else None,
        step,
    )
    said = _verdicts(verdict)
    if agent is None:  # no point of the agent: nothing to say of its hit
        said = {name: said[name] for name in ("type_match", "value_match")}
    verdicts = {**said, **answer.verdicts}
    right = answer.is_right if answer.is_right is not None or agent is None else is_right(verdicts)
    return replace(answer, verdicts=verdicts, is_right=right)


def answered_record(
    gold: DatasetSource | None, gold_row: int, step_id: str, answers: Sequence[Answer]
) -> Record:
    """The record of answers to a step, with the gold step if it is found.

    Args:
        gold: the dataset, or None.
        gold_row: the step's row there, or -1.
        step_id: of the step.
        answers: to it.
    """
    if gold is None or gold_row < 0:
        why = "no dataset was found" if gold is None else f"it is not in {gold.path}"
        note = f"Of this step only the answer is known: {why}."
        return Record(step_id, image_note=note, answers=tuple(answers))
    step = gold.step(gold_row)
    return record_of(
        step,
        image_note=gold.image_note(step),
        answers=[judged(answer, step) for answer in answers],
    )


def _verdicts(verdict: Verdict) -> dict[str, bool | float | None]:
    return {name: getattr(verdict, name) for name in OWN_VERDICTS}


def _values(
    row: Mapping[str, Any],
) -> tuple[dict[str, bool | float | None], dict[str, str | float]]:
    """Verdicts and facts of a row."""
    verdicts: dict[str, bool | float | None] = {}
    facts: dict[str, str | float] = {}
    metrics = {*METRICS, *OWN_VERDICTS, *RIGHT_NAMES}
    for name, value in row.items():
        if name in VERDICT_GROUPS and isinstance(value, Mapping):
            verdicts |= {str(k): _plain(v) for k, v in value.items()}
        elif name in _KNOWN:
            continue
        elif isinstance(value, bool) or name in metrics:
            verdicts[name] = _plain(value)
        elif isinstance(value, int | float):
            facts[name] = value
        elif isinstance(value, str) and value:
            facts[name] = value[:_SHORT]
    return verdicts, facts


def _plain(value: Any) -> bool | float | None:
    return value if isinstance(value, bool) else _number(value)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value


def _point(value: Any) -> tuple[float, float] | None:
    if not isinstance(value, Sequence) or len(value) != 2:
        return None
    x, y = _number(value[0]), _number(value[1])
    return None if x is None or y is None else (x, y)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
