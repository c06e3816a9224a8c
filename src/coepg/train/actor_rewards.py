"""The reward of the end-to-end baseline: the same gates, and its own point instead of votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from coepg.models.base import ActorRollout
from coepg.rewards.gates import type_match, value_match
from coepg.types import RewardBreakdown, Rollout, Step


def actor_reward(acted: ActorRollout, step: Step, value_f1_threshold: float) -> RewardBreakdown:
    """1 if type and value pass their gates and the point lies in the gold box, else 0.

    Actions without a target need the gates only.
    """
    plan, point = acted.rollout.plan, acted.point_px
    if plan is None:
        return RewardBreakdown(0.0, False, False, 0.0)
    same_type = type_match(plan.action_type, step.action_type)
    same_value = value_match(plan.value, step.value, value_f1_threshold)
    if step.target_box_px is None:
        return RewardBreakdown(float(same_type and same_value), same_type, same_value, 1.0)
    hit = float(step.is_hit(point))
    return RewardBreakdown(
        total=hit if same_type and same_value else 0.0,
        type_match=same_type,
        value_match=same_value,
        r_plan=hit,
        hits={"actor": hit},
        weights={"actor": 1.0},
        confidences={"actor": 1.0},
        points_px={"actor": point},
    )


def actor_rollouts(
    groups: Sequence[Sequence[ActorRollout]], steps: Sequence[Step], value_f1_threshold: float
) -> list[list[Rollout]]:
    """The rollouts of each group with their rewards."""
    return [
        [replace(a.rollout, reward=actor_reward(a, step, value_f1_threshold)) for a in group]
        for group, step in zip(groups, steps, strict=True)
    ]
