"""Data enhancement: the planner pool writes plans, the verifier pool keeps those that work.

D_0 comes from the recipe's own pool; D_k adds the two latest generations of trained planners and
grounders (Co-EPG section 4.2). What the paper leaves open is a setting of `PoolsConfig`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from coepg.config.pools import PoolsConfig
from coepg.data.plans import PlanRecord
from coepg.evolve.stage import chunk
from coepg.models.base import Describer, Grounder, Planner, Sampling
from coepg.rewards.gates import clean_value, same_value
from coepg.rollouts.scoring import ground_elements
from coepg.types import Plan, Step, has_target

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
    writers: Sequence[PoolWriter], steps: Sequence[Step], work_dir: Path, progress: Progress
) -> tuple[Proposals, dict[str, int]]:
    """Distinct plans per step, and how many answers each writer could not be parsed in."""
    proposals: Proposals = [[] for _ in steps]
    unparsed: dict[str, int] = {}
    total = len(writers) * len(steps)
    for w, writer in enumerate(writers):
        for start in range(0, len(steps), CHUNK_STEPS):
            part = steps[start : start + CHUNK_STEPS]
            sampling = Sampling(
                writer.sampling.num_samples, writer.sampling.temperature,
                writer.sampling.max_tokens, writer.sampling.seed + start,
            )  # fmt: skip
            rows = chunk(
                work_dir,
                f"propose-{writer.name}-{start:06d}",
                partial(_ask, writer, part, sampling),
            )
            for i, row in enumerate(rows):
                _merge(proposals[start + i], row, writer.name)
                unparsed[writer.name] = unparsed.get(writer.name, 0) + row.count(None)
            progress(w * len(steps) + start + len(part), total)
    return proposals, unparsed


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
    if step.target_box_px is not None and not plan.element:
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
) -> list[PlanRecord]:
    """The proposals that at least ``min_votes`` verifiers execute, most votes first, capped."""
    records: list[PlanRecord] = []
    for start in range(0, len(steps), CHUNK_STEPS):
        part = steps[start : start + CHUNK_STEPS]
        admitted = [
            [p for p in row if is_admissible(p.plan, step, config)]
            for step, row in zip(part, proposals[start : start + CHUNK_STEPS], strict=True)
        ]
        votes = chunk(work_dir, f"verify-{start:06d}", partial(_votes, verifiers, part, admitted))
        for step, row, mine in zip(part, admitted, votes, strict=True):
            records.extend(_keep(step, row, mine, config))
        progress(start + len(part), len(steps))
    return records


def _votes(
    verifiers: Mapping[str, Grounder], steps: Sequence[Step], admitted: Sequence[Sequence[Proposal]]
) -> list[list[list[str]]]:
    elements = [[p.plan.element for p in row if p.plan.element] for row in admitted]
    answers = ground_elements(verifiers, steps, elements)
    votes: list[list[list[str]]] = []
    for step, row, mine in zip(steps, admitted, answers, strict=True):
        box = step.target_box_px
        votes.append(
            [
                [
                    name
                    for name, g in mine.get(p.plan.element or "", {}).items()
                    if box and g and g.point_px and box.contains(g.point_px)
                ]
                for p in row
            ]
        )
    return votes


def _keep(
    step: Step, row: Sequence[Proposal], votes: Sequence[Sequence[str]], config: PoolsConfig
) -> list[PlanRecord]:
    passed = [
        (p, v)
        for p, v in zip(row, votes, strict=True)
        if step.target_box_px is None or len(v) >= config.min_votes
    ]
    passed.sort(key=lambda item: -len(item[1]))
    return [
        PlanRecord(step.step_id, step.screenshot.image_hash, p.plan, p.writer, tuple(v))
        for p, v in passed[: config.max_plans_per_step]
    ]
