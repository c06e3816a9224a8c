"""The vocabulary of coepg. Imported by every layer; imports none of them."""

from coepg.types.actions import (
    ACTION_CLASSES,
    Action,
    action_class,
    build_action,
    format_call,
    has_target,
)
from coepg.types.geometry import Box, Frame, Point, Size, Space
from coepg.types.screen import Screenshot, ScreenText, TextSource, content_hash
from coepg.types.step import Episode, Grounding, Plan, RewardBreakdown, Rollout, Step, Verdict

__all__ = [
    "ACTION_CLASSES",
    "Action",
    "Box",
    "Episode",
    "Frame",
    "Grounding",
    "Plan",
    "Point",
    "RewardBreakdown",
    "Rollout",
    "Screenshot",
    "ScreenText",
    "Size",
    "Space",
    "Step",
    "TextSource",
    "Verdict",
    "action_class",
    "build_action",
    "content_hash",
    "format_call",
    "has_target",
]
