"""Steps, episodes, plans, groundings and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from coepg.types.actions import has_target
from coepg.types.geometry import Box, Point
from coepg.types.screen import Screenshot, ScreenText


@dataclass(frozen=True, slots=True)
class Plan:
    """What the planner says: which element, what to do with it, with which value.

    Attributes:
        element: a referring expression of the target, or None for an action without a target.
        action_type: a kind of `coepg.types.actions.ACTION_CLASSES`.
        value: text, option, direction or key; None when unused.
    """

    element: str | None
    action_type: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One annotated decision: screen before the action, task, history, and the gold action.

    Attributes:
        step_id: unique in its dataset, ``<episode_id>/<step_index>``.
        episode_id: unique in its dataset.
        task_name: the family of tasks that the episode belongs to (MiniWoB++: the page).
        split: ``train``, ``test_seed``, ``test_task``, or the source's own name.
        step_index: 0-based position in the episode.
        num_steps: length of the episode.
        instruction: the task in words.
        history: the actions done so far, oldest first, as ``[role] name -> type: value``.
        screenshot: the screen before the action.
        action_type: gold action kind.
        value: gold value, or None.
        target_box_px: the target element in pixels of the screenshot, or None when the action
            has no target.
        target_repr: the target in the form that history uses, ``[role] name``; "" without one.
        screen_text: text found on the screen, by any number of sources.
        alternative_boxes_px: other boxes that are as right as ``target_box_px`` (several positive
            candidates of Mind2Web).
        target_point_px: where the annotator acted, if the source says so.
        end_point_px: where a drag or swipe ends, if the source says so.
        step_instruction: what this one step is to do, in words; "" if the source has none.
        target_expression: a referring expression of the target that came with the source.
        tags: what else the source says, by name: platform, application, ui_type, crop, ...
    """

    step_id: str
    episode_id: str
    task_name: str
    split: str
    step_index: int
    num_steps: int
    instruction: str
    history: tuple[str, ...]
    screenshot: Screenshot
    action_type: str
    value: str | None
    target_box_px: Box | None
    target_repr: str = ""
    seed: int = 0
    screen_text: tuple[ScreenText, ...] = ()
    alternative_boxes_px: tuple[Box, ...] = ()
    target_point_px: Point | None = None
    end_point_px: Point | None = None
    step_instruction: str = ""
    target_expression: str = ""
    tags: Mapping[str, str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.target_box_px is None and has_target(self.action_type):
            raise ValueError(f"step {self.step_id}: action {self.action_type!r} needs a target box")

    def is_hit(self, point_px: Point | None) -> bool:
        """Whether a point lies in the target box or an alternative, edges included."""
        if point_px is None or self.target_box_px is None:
            return False
        boxes = (self.target_box_px, *self.alternative_boxes_px)
        return any(box.contains(point_px) for box in boxes)


@dataclass(frozen=True, slots=True)
class Episode:
    """The steps of one task, in order."""

    episode_id: str
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Grounding:
    """A grounder's answer to (screenshot, plan).

    Attributes:
        point_px: where to act, in pixels of the screenshot; None if the answer has no point.
        token_logprobs: natural-log probability of each coordinate token, from an untruncated
            distribution at temperature 1; empty if the member gives none.
        raw: the answer as it came.
    """

    point_px: Point | None
    token_logprobs: tuple[float, ...] = ()
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gold step says of one prediction.

    ``element_hit`` is None when the gold action has no target.
    """

    type_match: bool
    value_match: bool
    element_hit: bool | None
    op_f1: float
    step_success: bool


@dataclass(frozen=True, slots=True)
class RewardBreakdown:
    """The parts of one reward: gates, the members' votes, and their weights.

    Attributes:
        total: the reward.
        type_match, value_match: the gates.
        r_plan: weighted share of members that hit the target (1 for actions without a target).
        hits: per member, 1.0 on a hit and 0.0 on a miss; a member that failed is absent.
        weights: per member, summing to 1 over the members in ``hits``.
        confidences: per member, as fed to the weighting.
        points_px: per member, for reports.
    """

    total: float
    type_match: bool
    value_match: bool
    r_plan: float
    hits: dict[str, float] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)
    confidences: dict[str, float] = field(default_factory=dict)
    points_px: dict[str, Point | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Rollout:
    """One sampled answer of the planner and its reward.

    Attributes:
        step_id: which step was answered.
        sample_index: position in the group.
        text: the answer as sampled.
        plan: the parsed plan, or None if the answer could not be parsed.
        token_ids: the sampled ids, end token included (never re-tokenised).
        token_logprobs: log-probability of each sampled id, at the sampling temperature.
        reward: filled once scored.
    """

    step_id: str
    sample_index: int
    text: str
    plan: Plan | None
    token_ids: tuple[int, ...]
    token_logprobs: tuple[float, ...]
    reward: RewardBreakdown | None = None
