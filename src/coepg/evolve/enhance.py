"""Data enhancement: the planner pool writes plans, the verifier pool keeps those that work.

D_0 comes from the recipe's own pool; D_k adds the two latest generations of trained planners and
grounders (Co-EPG section 4.2). What the paper leaves open is a setting of `PoolsConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from coepg.config.pools import PoolsConfig
from coepg.data.chunks import chunk, read_chunk
from coepg.data.plans import PlanRecord
from coepg.models.base import Describer, Grounder, Planner, Sampling
from coepg.rewards.gates import clean_value, names_element, same_value
from coepg.rollouts.scoring import ground_elements
from coepg.types import Grounding, Plan, Step, has_target

CHUNK_STEPS = 256
"""Steps that are proposed or verified between two writes to disk."""


@dataclass(frozen=True, slots=True)
class PoolWriter:
    """A member of the planner pool: plans as an agent would, or describes the gold element."""

    name: str
    member: Planner | Describer
    describes: bool
    sampling: Sampling


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan and who wrote it first."""

    plan: Plan
    writer: str


Proposals = list[list[Proposal]]
Progress = Callable[[int, int], None]


def propose(
    writers: Sequence[PoolWriter],
    steps: Sequence[Step],
    work_dir: Path,
    progress: Progress,
    previous_dir: Path | None = None,
) -> tuple[Proposals, dict[str, int]]:
    """Distinct plans per step, and how many answers each writer could not be parsed in.

    A writer that was in the pool of ``previous_dir``, the data stage before, would say the same
    again (same model, same seed): its answers are taken from there.
    """
    proposals: Proposals = [[] for _ in steps]
    unparsed: dict[str, int] = {}
    total = len(writers) * len(steps)
    for w, writer in enumerate(writers):
        for start in range(0, len(steps), CHUNK_STEPS):
            part = steps[start : start + CHUNK_STEPS]
            sampling = replace(writer.sampling, seed=writer.sampling.seed + start)
            name = f"propose-{writer.name}-{start:06d}"
            make = partial(_ask_again, previous_dir, name, writer, part, sampling)
            rows = chunk(work_dir, name, make)
            for i, row in enumerate(rows):
                _merge(proposals[start + i], row, writer.name)
                unparsed[writer.name] = unparsed.get(writer.name, 0) + row.count(None)
            progress(w * len(steps) + start + len(part), total)
    return proposals, unparsed


def _ask_again(
    previous_dir: Path | None,
    name: str,
    writer: PoolWriter,
    steps: Sequence[Step],
    sampling: Sampling,
) -> list[list[Any]]:
    found = read_chunk(previous_dir, name) if previous_dir is not None else None
    return _ask(writer, steps, sampling) if found is None else list(found)


def _ask(writer: PoolWriter, steps: Sequence[Step], sampling: Sampling) -> list[list[Any]]:
    """Plans as JSON rows ``[element, action_type, value]``; None where nothing could be parsed."""
    if not writer.describes:
        groups = writer.member.plan(steps, sampling)  # type: ignore[union-attr]
        return [[_as_row(r.plan) for r in group] for group in groups]
    texts = writer.member.describe(steps, sampling)  # type: ignore[union-attr]
    rows: list[list[Any]] = []
    for step, elements in zip(steps, texts, strict=True):
        if step.target_box_px is None:
            rows.append([[None, step.action_type, step.value]])
        else:
            rows.append([[e, step.action_type, step.value] if e else None for e in elements])
    return rows


def _as_row(plan: Plan | None) -> list[str | None] | None:
    return None if plan is None else [plan.element, plan.action_type, plan.value]


def _merge(into: list[Proposal], rows: Sequence[Sequence[Any] | None], writer: str) -> None:
    seen = {plan_key(p.plan) for p in into}
    for row in rows:
        if row is None:
            continue
        plan = Plan(row[0], row[1], row[2])
        if plan_key(plan) not in seen:
            seen.add(plan_key(plan))
            into.append(Proposal(plan, writer))


def plan_key(plan: Plan) -> tuple[str, str, str]:
    """Two plans are the same if type and value agree and the words of the element do."""
    element = " ".join((plan.element or "").casefold().split())
    return (element, plan.action_type, (clean_value(plan.value) or "").casefold())


def is_admissible(plan: Plan, step: Step, config: PoolsConfig) -> bool:
    """Whether a plan may be verified: type and value as the gold ones, if the recipe asks so."""
    if has_target(plan.action_type) != (step.target_box_px is not None):
        return False
    if step.target_box_px is not None and not names_element(plan.element):
        return False
    if not config.match_type_value:
        return True
    return plan.action_type == step.action_type and same_value(plan.value, step.value)


def verify(
    verifiers: Mapping[str, Grounder],
    steps: Sequence[Step],
    proposals: Proposals,
    config: PoolsConfig,
    work_dir: Path,
    progress: Progress,
    previous_dir: Path | None = None,
) -> list[PlanRecord]:
    """The proposals that at least ``min_votes`` verifiers execute, most votes first, capped.

    What a verifier of ``previous_dir``, the data stage before, said of a plan is not asked again.
    """
    records: list[PlanRecord] = []
    for start in range(0, len(steps), CHUNK_STEPS):
        part = steps[start : start + CHUNK_STEPS]
        admitted = [
            [p for p in row if is_admissible(p.plan, step, config)]
            for step, row in zip(part, proposals[start : start + CHUNK_STEPS], strict=True)
        ]
        name = f"votes-{start:06d}"
        known = (read_chunk(previous_dir, name) if previous_dir is not None else None) or {}
        votes = chunk(work_dir, name, partial(_votes, verifiers, part, admitted, known))
        for step, row in zip(part, admitted, strict=True):
            records.extend(_keep(step, row, votes, config))
        progress(start + len(part), len(steps))
    return records


Votes = dict[str, dict[str, dict[str, bool]]]
"""Verifier -> step id -> expression -> whether its point hit the gold box."""


def _votes(
    verifiers: Mapping[str, Grounder],
    steps: Sequence[Step],
    admitted: Sequence[Sequence[Proposal]],
    known: Votes,
) -> Votes:
    votes: Votes = {}
    for name, verifier in verifiers.items():
        before = known.get(name, {})
        mine: dict[str, dict[str, bool]] = {s.step_id: {} for s in steps}
        fresh: list[list[str]] = []
        for step, row in zip(steps, admitted, strict=True):
            elements = [p.plan.element for p in row if p.plan.element]
            said = before.get(step.step_id, {})
            mine[step.step_id] = {e: said[e] for e in elements if e in said}
            fresh.append([e for e in elements if e not in said])
        answers = ground_elements({name: verifier}, steps, fresh)
        for step, row_answers in zip(steps, answers, strict=True):
            for element, by_name in row_answers.items():
                mine[step.step_id][element] = _is_hit(step, by_name.get(name))
        votes[name] = mine
    return votes


def _is_hit(step: Step, grounding: Grounding | None) -> bool:
    return grounding is not None and step.is_hit(grounding.point_px)


def _keep(
    step: Step, row: Sequence[Proposal], votes: Votes, config: PoolsConfig
) -> list[PlanRecord]:
    passed = []
    for p in row:
        element = p.plan.element or ""
        voters = tuple(name for name, said in votes.items() if said[step.step_id].get(element))
        if step.target_box_px is None or len(voters) >= config.min_votes:
            passed.append((p, voters))
    passed.sort(key=lambda item: -len(item[1]))
    return [
        PlanRecord(step.step_id, step.screenshot.image_hash, p.plan, p.writer, voters)
        for p, voters in passed[: config.max_plans_per_step]
    ]
