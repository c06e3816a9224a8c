"""The reward of one sampled plan: gates, then the grounders' weighted votes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from coepg.errors import ConfigError, InfrastructureError
from coepg.rewards.cdrem import (
    SINGLE_MEMBER,
    ConfidenceMode,
    Weighting,
    confidence,
    member_weights,
)
from coepg.rewards.gates import names_element, type_match, value_match
from coepg.types import Grounding, Plan, RewardBreakdown, Step


@dataclass(frozen=True, slots=True)
class RewardSettings:
    """How plans are rewarded.

    Attributes:
        confidence: see `coepg.rewards.cdrem.confidence`.
        weighting: see `coepg.rewards.cdrem.member_weights`.
        priors: sigma by member, 1 where none is given; the paper gives the grounder in training
            twice the others'.
        single_member: who counts under ``weighting="single"``.
        value_f1_threshold: a value must be above it to match.
    """

    confidence: ConfidenceMode = "geo_mean_prob"
    weighting: Weighting = "cdrem"
    priors: Mapping[str, float] = field(default_factory=dict)
    single_member: str = SINGLE_MEMBER
    value_f1_threshold: float = 0.5

    def __post_init__(self) -> None:
        if not 0.0 <= self.value_f1_threshold < 1.0:
            raise ConfigError(
                "value_f1_threshold",
                found=str(self.value_f1_threshold),
                expected="at least 0 and below 1 (at 1 no value could match)",
            )


def needs_grounding(plan: Plan | None, step: Step, settings: RewardSettings) -> bool:
    """Whether the reward of this plan depends on the grounders, so that they must be asked.

    They need not be when the plan is unparsable or shut out by a gate, when it names no element,
    and when the gold action has no target.
    """
    if plan is None or step.target_box_px is None or not names_element(plan.element):
        return False
    return all(_gates(plan, step, settings))


def score_plan(
    plan: Plan | None,
    step: Step,
    groundings: Mapping[str, Grounding | None],
    settings: RewardSettings,
) -> RewardBreakdown:
    """The reward r of a plan (Co-EPG section 4.3).

        r = 0 if r_type = 0 or r_value = 0, else r_plan
        r_plan = sum_j w_j * Acc_j

    ``Acc_j`` is 1 if the point of grounder j lies in the gold box (edges included), else 0;
    ``w_j`` comes from `member_weights`. Where the paper is silent: an unparsable plan earns 0; a
    gold action without a target has r_plan = 1; a plan that names no element for a target has
    r_plan = 0. A member without token log-probabilities takes the mean confidence of the members
    that have them, and 1 if none has: neutral, neither trusted nor doubted.

    Args:
        plan: the parsed plan, or None if the answer could not be parsed.
        step: the gold step.
        groundings: by member. None means that the member failed: it is left out. A grounding
            whose point is None is an answer, and a miss. May be empty where `needs_grounding`
            is false; votes that are there are reported even if a gate shuts the plan out.
        settings: confidence, weighting, priors, threshold.

    Raises:
        InfrastructureError: the votes decide and no member answered, or a member's
            log-probabilities are no log-probabilities. Such a plan has no reward; it is not 0.
    """
    if plan is None:
        return RewardBreakdown(total=0.0, type_match=False, value_match=False, r_plan=0.0)
    same_type, same_value = _gates(plan, step, settings)
    is_open = same_type and same_value
    if step.target_box_px is None:
        return RewardBreakdown(float(is_open), same_type, same_value, r_plan=1.0)
    if not names_element(plan.element):
        return RewardBreakdown(0.0, same_type, same_value, r_plan=0.0)
    try:
        votes = _collect_votes(step, groundings, settings)
    except InfrastructureError as error:
        if is_open:
            raise InfrastructureError(f"step {step.step_id}: {error}") from error
        return RewardBreakdown(0.0, same_type, same_value, r_plan=0.0)
    return RewardBreakdown(
        total=votes.r_plan if is_open else 0.0,
        type_match=same_type,
        value_match=same_value,
        r_plan=votes.r_plan,
        hits=votes.hits,
        weights=votes.weights,
        confidences=votes.confidences,
        points_px={member: g.point_px for member, g in groundings.items() if g is not None},
    )


@dataclass(frozen=True, slots=True)
class _Votes:
    """What the members that answered say of one plan."""

    r_plan: float
    hits: dict[str, float]
    weights: dict[str, float]
    confidences: dict[str, float]


def _collect_votes(
    step: Step, groundings: Mapping[str, Grounding | None], settings: RewardSettings
) -> _Votes:
    """Acc_j, c_j and w_j of the members that answered, and their weighted share of hits."""
    answers = {member: g for member, g in groundings.items() if g is not None}
    if not answers:
        asked = ", ".join(groundings) or "none asked"
        raise InfrastructureError(f"no grounder of the ensemble answered ({asked})")
    hits = {member: float(step.is_hit(g.point_px)) for member, g in answers.items()}
    confidences = _confidences(answers, settings.confidence)
    weights = member_weights(
        confidences, settings.priors, settings.weighting, settings.single_member
    )
    return _Votes(_weighted_share(weights, hits), hits, weights, confidences)


def _gates(plan: Plan, step: Step, settings: RewardSettings) -> tuple[bool, bool]:
    """r_type and r_value."""
    return (
        type_match(plan.action_type, step.action_type),
        value_match(plan.value, step.value, settings.value_f1_threshold),
    )


def _confidences(answers: Mapping[str, Grounding], mode: ConfidenceMode) -> dict[str, float]:
    """c_j of each member; the mean of the known ones where a member gives none."""
    known: dict[str, float] = {}
    for member, grounding in answers.items():
        if mode == "none" or grounding.token_logprobs:
            try:
                known[member] = confidence(grounding.token_logprobs, mode)
            except ValueError as error:
                raise InfrastructureError(f"grounder {member!r}: {error}") from error
    neutral = math.fsum(known.values()) / len(known) if known else 1.0
    return {member: known.get(member, neutral) for member in answers}


def _weighted_share(weights: Mapping[str, float], hits: Mapping[str, float]) -> float:
    """Sum of the weights that hit; exactly 1 if all hit and exactly 0 if none does.

    Rounding must not make unanimous answers differ: a group of equal rewards has no variance, and
    dividing by a spread of 1e-16 would turn that noise into advantages.
    """
    counted = [member for member, weight in weights.items() if weight > 0]
    if all(hits[member] for member in counted):
        return 1.0
    return min(1.0, math.fsum(weights[member] * hits[member] for member in counted))
