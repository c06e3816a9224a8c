"""Multimodal-Mind2Web as SeeAct, UGround and SeeClick score it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score, mean_score, parts_of
from coepg.evaluate.benchmarks.boxes import hits_any
from coepg.evaluate.benchmarks.words import set_f1, without_punctuation
from coepg.evaluate.definitions import MetricDefinition
from coepg.evaluate.intervals import EMPTY, bootstrap_interval
from coepg.types import Box, Point

Variant = Literal["uground", "seeact", "seeclick"]


@dataclass(frozen=True, slots=True)
class Mind2WebStep:
    """One step of a task and the answer to it.

    Attributes:
        step_id: ``<annotation_id>_<action_uid>``.
        task_id: the annotation id; a task is one episode.
        gold_op: ``CLICK``, ``TYPE`` or ``SELECT`` (HOVER and ENTER are scored as CLICK).
        gold_value: text or option; "" without one.
        positive_boxes_px: boxes of the positive candidates, in pixels of the page picture.
        positive_ids: backend node ids of the positive candidates (SeeAct).
        predicted_op: or None if the answer could not be parsed or is missing.
        predicted_value: "" without one.
        point_px: where the answer acts, in the same pixels, or None.
        element_id: backend node id that was chosen (SeeAct), or None.
    """

    step_id: str
    task_id: str
    gold_op: str
    gold_value: str
    positive_boxes_px: tuple[Box, ...] = ()
    positive_ids: frozenset[str] = frozenset()
    predicted_op: str | None = None
    predicted_value: str = ""
    point_px: Point | None = None
    element_id: str | None = None


@dataclass(frozen=True, slots=True)
class Mind2WebVerdict:
    """Element hit, operation F1, and whether both are perfect."""

    element_hit: bool
    op_f1: float

    @property
    def step_success(self) -> bool:
        """Element hit, and Op.F1 equal to 1."""
        return self.element_hit and self.op_f1 == 1.0


MISS = Mind2WebVerdict(False, 0.0)
"""A step without an answer."""

_RULES: dict[Variant, tuple[str, str, str]] = {
    "uground": (
        "The point lies in any positive candidate's box, edges included. Op.F1 compares the sets "
        "of lower-cased words of 'op value', lone punctuation dropped. Steps of a sampled task "
        "that have no row count as failed.",
        "OSU-NLP-Group/UGround offline_evaluation/Multimodal-Mind2Web/eval.py",
        "Any of several boxes where SeeClick takes one; a point where SeeAct takes an element.",
    ),
    "seeact": (
        "The chosen element is a positive candidate. Op.F1 compares the sets of lower-cased words "
        "of 'op value', lone punctuation dropped. A step without a positive candidate, or without "
        "a chosen element, is failed in all three numbers.",
        "OSU-NLP-Group/SeeAct src/data_utils/evaluation_utils.py",
        "Choice among candidates, not a point; UGround still gives Op.F1 to a step without a "
        "positive candidate.",
    ),
    "seeclick": (
        "The point lies in the one box of the step, edges included. Op.F1 compares the sets of "
        "words of 'op value' as they are, the value lower-cased and only for TYPE and SELECT; an "
        "answer that cannot be parsed fails in all three.",
        "njucckevin/SeeClick agent_tasks/mind2web_test.py",
        "Other pictures and boxes than Multimodal-Mind2Web's, rounded to 3 digits of the width "
        "there and not here; its headline Op.F1 is the mean over the three operations.",
    ),
}


def mind2web_metrics(variant: Variant) -> dict[str, MetricDefinition]:
    """The metrics of one variant, by short name."""
    rule, source, differs = _RULES[variant]
    texts = {
        "ele_acc": ("Ele.Acc", "Share of steps whose element is hit"),
        "op_f1": ("Op.F1", "Mean F1 of the operation"),
        "step_sr": ("Step SR", "Share of steps with the element hit and Op.F1 equal to 1"),
    }
    found = {}
    for short, (label, text) in texts.items():
        for suffix, how in (
            ("", "(micro); n counts steps."),
            ("_macro", "as the mean over tasks of each task's mean; n counts steps."),
        ):
            found[short + suffix] = MetricDefinition(
                f"mind2web_{variant}_{short}{suffix}", 1, f"{text} {how} {rule}",
                label + (" (task mean)" if suffix else ""), source=source, differs=differs,
            )  # fmt: skip
    found["task_sr"] = MetricDefinition(
        f"mind2web_{variant}_task_sr", 1,
        f"Share of tasks whose every step succeeds; n counts tasks. {rule}",
        "Task SR", source=source, differs=differs,
    )  # fmt: skip
    if variant == "seeclick":
        found["op_f1_op_mean"] = MetricDefinition(
            "mind2web_seeclick_op_f1_op_mean", 1,
            "Mean over the operations CLICK, TYPE and SELECT of the mean F1 of steps with this "
            f"gold operation; n counts steps. {rule}",
            "Op.F1 (operation mean)", source=source, differs=differs,
        )  # fmt: skip
    return found


METRICS = tuple(
    m for variant in ("uground", "seeact", "seeclick") for m in mind2web_metrics(variant).values()
)


def operation_words(op: str, value: str) -> set[str]:
    """The lower-cased words of ``"op value"``.

    Example:
        >>> sorted(operation_words("TYPE", "New York"))
        ['new', 'type', 'york']
    """
    return set(f"{op} {value}".lower().split())


def judge_uground(step: Mind2WebStep) -> Mind2WebVerdict:
    """UGround's verdict on one step (see `mind2web_metrics`)."""
    hit = step.point_px is not None and hits_any(step.point_px, step.positive_boxes_px)
    return Mind2WebVerdict(hit, _op_f1(step))


def judge_seeact(step: Mind2WebStep) -> Mind2WebVerdict:
    """SeeAct's verdict on one step."""
    if not step.positive_ids or step.element_id is None or step.predicted_op is None:
        return MISS
    return Mind2WebVerdict(step.element_id in step.positive_ids, _op_f1(step))


def judge_seeclick(step: Mind2WebStep) -> Mind2WebVerdict:
    """SeeClick's verdict on one step; ``positive_boxes_px`` holds its one box.

    Raises:
        ValueError: not exactly one box; SeeClick leaves such steps out of its data.
    """
    if len(step.positive_boxes_px) != 1:
        raise ValueError(
            f"step {step.step_id}: {len(step.positive_boxes_px)} boxes; SeeClick's rule needs one"
        )
    if step.predicted_op is None or step.point_px is None:
        return MISS
    hit = step.positive_boxes_px[0].contains(step.point_px)
    predicted = _seeclick_words(step.predicted_op, step.predicted_value)
    return Mind2WebVerdict(hit, set_f1(predicted, _seeclick_words(step.gold_op, step.gold_value)))


JUDGES: dict[Variant, Callable[[Mind2WebStep], Mind2WebVerdict]] = {
    "uground": judge_uground,
    "seeact": judge_seeact,
    "seeclick": judge_seeclick,
}


def mind2web_report(
    steps: Sequence[Mind2WebStep],
    variant: Variant,
    total_steps: Mapping[str, int] | None = None,
    seed: int = 0,
) -> BenchmarkReport:
    """Element accuracy, Op.F1, step and task success: micro, and as the mean over tasks.

    Args:
        steps: one a scored step; no step twice.
        variant: whose rule.
        total_steps: number of steps of each task; steps that are missing count as failed.
        seed: of the intervals, which draw whole tasks.

    Raises:
        ValueError: a step occurs twice, or a task has more steps than it should.
    """
    if len({step.step_id for step in steps}) != len(steps):
        raise ValueError("a step occurs twice; give one answer a step")
    judge = JUDGES[variant]
    judged = [(step.task_id, judge(step)) for step in steps]
    padding = _missing(steps, total_steps or {})
    rows = judged + [(task, MISS) for task, count in padding.items() for _ in range(count)]
    metrics = mind2web_metrics(variant)
    scores = _scores(metrics, rows, seed)
    if variant == "seeclick":
        scores.append(_operation_mean(metrics["op_f1_op_mean"], steps, seed))
    notes = []
    if any(padding.values()):
        notes.append(f"{sum(padding.values())} steps without a row count as failed")
    return BenchmarkReport(
        f"mind2web_{variant}",
        len(rows),
        sum(step.predicted_op is None for step in steps) + sum(padding.values()),
        tuple(scores),
        tuple(notes),
    )


def _scores(
    metrics: Mapping[str, MetricDefinition], rows: Sequence[tuple[str, Mind2WebVerdict]], seed: int
) -> list[Score]:
    tasks = [task for task, _ in rows]
    columns = {
        "ele_acc": [float(v.element_hit) for _, v in rows],
        "op_f1": [v.op_f1 for _, v in rows],
        "step_sr": [float(v.step_success) for _, v in rows],
    }
    scores = []
    for short, values in columns.items():
        scores.append(mean_score(metrics[short], values, tasks, seed=seed))
        scores.append(
            mean_score(metrics[f"{short}_macro"], values, tasks, average="macro_episode", seed=seed)
        )
    by_task = parts_of(rows, lambda row: row[0]).values()
    whole = [float(all(v.step_success for _, v in part)) for part in by_task]
    scores.append(Score(metrics["task_sr"], bootstrap_interval(whole, seed)))
    return scores


def _operation_mean(metric: MetricDefinition, steps: Sequence[Mind2WebStep], seed: int) -> Score:
    f1 = [judge_seeclick(step).op_f1 for step in steps]
    ops = [step.gold_op for step in steps]
    # Operations cut through tasks, so steps are drawn alone: the interval is a little too narrow.
    names = [step.step_id for step in steps]
    if not steps:
        return Score(metric, EMPTY)
    return mean_score(metric, f1, names, average="macro_task", tasks=ops, seed=seed)


def _missing(steps: Sequence[Mind2WebStep], total_steps: Mapping[str, int]) -> dict[str, int]:
    found = parts_of(steps, lambda step: step.task_id)
    missing = {}
    for task, total in total_steps.items():
        missing[task] = total - len(found.get(task, ()))
        if missing[task] < 0:
            raise ValueError(f"task {task} has {total} steps, but {len(found[task])} rows")
    return missing


def _op_f1(step: Mind2WebStep) -> float:
    predicted = operation_words(step.predicted_op or "", step.predicted_value)
    gold = operation_words(step.gold_op, step.gold_value)
    return set_f1(without_punctuation(predicted), without_punctuation(gold))


def _seeclick_words(op: str, value: str) -> set[str]:
    return {op, *(value.lower().split() if op in ("TYPE", "SELECT") else ())}
