"""One prediction against one gold step."""

from __future__ import annotations

from dataclasses import dataclass

from coepg.rewards.gates import clean_value, type_match, value_match
from coepg.types import Plan, Point, Step, Verdict


@dataclass(frozen=True, slots=True)
class StepResult:
    """A verdict with what is needed to group it.

    Attributes:
        step_id, episode_id, task_name, split, num_steps: copied from the step.
        action_type: the gold kind.
        is_parsed: whether the planner's answer could be parsed.
        verdict: see `judge_step`.
    """

    step_id: str
    episode_id: str
    task_name: str
    split: str
    num_steps: int
    action_type: str
    is_parsed: bool
    verdict: Verdict


def operation_f1(plan: Plan | None, step: Step) -> float:
    """Op.F1 of one step: F1 of two sets of words (Multimodal-Mind2Web).

    With A and B the sets of lower-cased words of ``"<type> <value>"`` of plan and gold:
    F1 = 2 |A & B| / (|A| + |B|). Repeats and order do not count. An unparsable plan has no words:
    F1 is 0.

    Example:
        A plan "type boston" against the gold "type boston ma" has 2*2 / (2+3) = 0.8.
    """
    words = _operation_words(plan.action_type, plan.value) if plan is not None else set()
    gold_words = _operation_words(step.action_type, step.value)
    if not words and not gold_words:
        return 1.0
    return 2 * len(words & gold_words) / (len(words) + len(gold_words))


def judge_step(plan: Plan | None, point_px: Point | None, step: Step) -> Verdict:
    """What the gold step says of a plan and the point that was found for it.

    * ``element_hit``: the point lies in the gold box, edges included; None if the gold action
      has no target. Without a plan or a point it is a miss.
    * ``op_f1``: see `operation_f1`.
    * ``step_success``: element hit (where the gold action has a target) and Op.F1 equal to 1.
    * ``type_match``, ``value_match``: the gates of the reward, for tables; they do not enter
      ``step_success``.

    Args:
        plan: the parsed plan, or None if the answer could not be parsed.
        point_px: where the agent would act, in pixels of the screenshot, or None.
        step: the gold step.
    """
    element_hit: bool | None = None
    if step.target_box_px is not None:
        element_hit = plan is not None and step.is_hit(point_px)
    op_f1 = operation_f1(plan, step)
    return Verdict(
        type_match=plan is not None and type_match(plan.action_type, step.action_type),
        value_match=plan is not None and value_match(plan.value, step.value),
        element_hit=element_hit,
        op_f1=op_f1,
        step_success=element_hit is not False and op_f1 == 1.0,
    )


def judge_answer(plan: Plan | None, point_px: Point | None, step: Step) -> StepResult:
    """`judge_step`, together with what is needed to group the verdict."""
    return StepResult(
        step_id=step.step_id,
        episode_id=step.episode_id,
        task_name=step.task_name,
        split=step.split,
        num_steps=step.num_steps,
        action_type=step.action_type,
        is_parsed=plan is not None,
        verdict=judge_step(plan, point_px, step),
    )


def _operation_words(action_type: str, value: str | None) -> set[str]:
    return set(f"{action_type} {clean_value(value) or ''}".lower().split())
