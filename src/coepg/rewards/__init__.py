"""Rewards of the planner: gates on type and value, and the grounders' weighted votes (C-DREM).

Plain floats throughout; nothing here imports torch.
"""

from coepg.rewards.cdrem import ConfidenceMode, Weighting, confidence, member_weights
from coepg.rewards.gates import clean_value, token_f1, type_match, value_match
from coepg.rewards.plan_reward import RewardSettings, needs_grounding, score_plan
from coepg.rewards.verification import distinct_plans, is_verified

__all__ = [
    "ConfidenceMode",
    "RewardSettings",
    "Weighting",
    "clean_value",
    "confidence",
    "distinct_plans",
    "is_verified",
    "member_weights",
    "needs_grounding",
    "score_plan",
    "token_f1",
    "type_match",
    "value_match",
]
