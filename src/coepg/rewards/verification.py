"""When a plan is verified, and when two plans are the same: the rules that build each dataset D_k.

Data enhancement keeps the verified, distinct plans; purity and diversity count them. Both use the
functions here, so that what is reported is what was kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from coepg.rewards.gates import clean_value
from coepg.types import Plan, RewardBreakdown


def is_verified(
    breakdown: RewardBreakdown, min_votes: int = 1, *, match_type_value: bool = True
) -> bool:
    """Whether grounders executed the plan: both gates open and enough members hit the target.

    Co-EPG section 4.2 validates plans by the grounder pool without saying how many must agree;
    one is the default. An action without a target needs the gates only.

    Args:
        breakdown: what `coepg.rewards.plan_reward.score_plan` said of the plan.
        min_votes: how many members must hit; at least 1.
        match_type_value: whether the gates must be open. If not, members must have been asked
            although a gate shuts the plan out.
    """
    if min_votes < 1:
        raise ValueError(f"min_votes is {min_votes}; expected at least 1")
    if match_type_value and not (breakdown.type_match and breakdown.value_match):
        return False
    if not breakdown.hits:
        return breakdown.r_plan == 1.0
    return sum(hit > 0 for hit in breakdown.hits.values()) >= min_votes


def distinct_plans(plans: Iterable[Plan]) -> list[Plan]:
    """The first of each set of equal plans, in order.

    Two plans are equal when type, value and element description agree but for case and white
    space.

    Example:
        >>> distinct_plans([Plan("the OK button", "click"), Plan("The OK  button", "click")])
        [Plan(element='the OK button', action_type='click', value=None)]
    """
    first: dict[tuple[str, str, str], Plan] = {}
    for plan in plans:
        key = (_plain(plan.element), plan.action_type, _plain(clean_value(plan.value)))
        first.setdefault(key, plan)
    return list(first.values())


def _plain(text: str | None) -> str:
    return " ".join((text or "").casefold().split())
