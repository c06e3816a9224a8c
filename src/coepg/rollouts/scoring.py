"""Scoring groups of plans: every member is asked once per screen for all plans that need it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from coepg.errors import InfrastructureError
from coepg.models.base import Grounder, GroundingRequest
from coepg.rewards.plan_reward import RewardSettings, needs_grounding, score_plan
from coepg.types import Grounding, Plan, RewardBreakdown, Rollout, Step

_LOG = logging.getLogger(__name__)

Answers = dict[str, dict[str, Grounding | None]]
"""Per referring expression, per member: the grounding, or None where the member failed."""


def ground_elements(
    members: Mapping[str, Grounder], steps: Sequence[Step], elements: Sequence[Sequence[str]]
) -> list[Answers]:
    """Ask every member for every distinct expression of every step.

    Args:
        members: grounders by the name under which they vote.
        steps: whose screenshots are looked at.
        elements: per step, the expressions; repeats are asked once.

    Returns:
        Per step, the answers by expression and member. A member that is down altogether (it
        raises `InfrastructureError`) counts as failed for all; if every member is down the
        last error is raised.
    """
    distinct = [tuple(dict.fromkeys(row)) for row in elements]
    asked = [i for i, row in enumerate(distinct) if row]
    requests = [
        GroundingRequest(steps[i].screenshot, distinct[i], steps[i].screen_text) for i in asked
    ]
    answers: list[Answers] = [{e: {} for e in row} for row in distinct]
    failures: list[InfrastructureError] = []
    for name, member in members.items() if requests else ():
        try:
            replies = member.ground(requests)
        except InfrastructureError as error:
            _LOG.warning("grounder %r failed and is left out: %s", name, error)
            failures.append(error)
            replies = [[None] * len(r.elements) for r in requests]
        for i, request, row in zip(asked, requests, replies, strict=True):
            for element, grounding in zip(request.elements, row, strict=True):
                answers[i][element][name] = grounding
    if failures and len(failures) == len(members):
        raise failures[-1]
    return answers


def score_plans(
    members: Mapping[str, Grounder],
    steps: Sequence[Step],
    plans: Sequence[Sequence[Plan | None]],
    settings: RewardSettings,
) -> list[list[RewardBreakdown | None]]:
    """The reward of every plan of every step; None where no member could answer.

    A plan that the type or value gate shuts out costs no grounding.
    """
    elements = [
        [
            p.element
            for p in row
            if p is not None and p.element and needs_grounding(p, step, settings)
        ]
        for step, row in zip(steps, plans, strict=True)
    ]
    answers = ground_elements(members, steps, elements)
    return [
        [_score(plan, step, mine, settings) for plan in row]
        for step, row, mine in zip(steps, plans, answers, strict=True)
    ]


def _score(
    plan: Plan | None, step: Step, answers: Answers, settings: RewardSettings
) -> RewardBreakdown | None:
    groundings = answers.get(plan.element, {}) if plan is not None and plan.element else {}
    try:
        return score_plan(plan, step, groundings, settings)
    except InfrastructureError:
        return None


def score_rollouts(
    members: Mapping[str, Grounder],
    steps: Sequence[Step],
    groups: Sequence[Sequence[Rollout]],
    settings: RewardSettings,
) -> list[list[Rollout]]:
    """The same rollouts with their rewards filled in (None: not to be scored)."""
    scored = score_plans(members, steps, [[r.plan for r in group] for group in groups], settings)
    return [
        [replace(rollout, reward=reward) for rollout, reward in zip(group, rewards, strict=True)]
        for group, rewards in zip(groups, scored, strict=True)
    ]
