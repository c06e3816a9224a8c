"""OmniACT: sequence score and action score of desktop scripts."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score
from coepg.evaluate.benchmarks.omniact_script import POINTING, ScriptCall
from coepg.evaluate.definitions import MetricDefinition
from coepg.evaluate.intervals import weighted_mean
from coepg.types import Box, Point


@dataclass(frozen=True, slots=True)
class OmniActTask:
    """A task with its gold script and an answer.

    Attributes:
        task_id: as in the index.
        gold: calls of the gold script.
        predicted: calls of the answer; () if it has none.
        boxes_px: boxes of the screen's elements, in pixels of the picture.
    """

    task_id: str
    gold: tuple[ScriptCall, ...]
    predicted: tuple[ScriptCall, ...]
    boxes_px: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class OmniActVerdict:
    """What is said of one task.

    Attributes:
        task_id: as in the index.
        num_gold_lines: length of the gold script; the weight is ``num_gold_lines - 0.9``.
        is_parsed: whether the answer has any call.
        sequence: 1 if all function names match in order, else 0.
        action: sequence less the penalties, at least 0; None where points were not predicted.
        click, press, write: penalties; 0 where the sequence does not match.
    """

    task_id: str
    num_gold_lines: int
    is_parsed: bool
    sequence: float
    action: float | None = None
    click: float = 0.0
    press: float = 0.0
    write: float = 0.0

    @property
    def weight(self) -> float:
        """``num_gold_lines - 0.9``: the benchmark's weight of a task.

        Below 0 for the few tasks whose file has no script.
        """
        return self.num_gold_lines - 0.9


def sequence_matches(task: OmniActTask) -> bool:
    """Whether both scripts call the same functions in the same order, letter for letter."""
    return [c.name for c in task.gold] == [c.name for c in task.predicted]


def click_penalty(box: Box, point: Point | None) -> float:
    """1 - mu / (mu + d): mu the box's diagonal, d the distance from the point to the box.

    In [0, 1): 0 inside. A missing point costs 1. OmniACT (arXiv 2402.17553), section on metrics.

    Example:
        >>> click_penalty(Box(0, 0, 30, 40), Point(80, 20))
        0.5
    """
    if point is None:
        return 1.0
    mu = math.hypot(box.x1 - box.x0, box.y1 - box.y0)
    dx = max(box.x0 - point.x, 0.0, point.x - box.x1)
    dy = max(box.y0 - point.y, 0.0, point.y - box.y1)
    d = math.hypot(dx, dy)
    if d == 0:
        return 0.0
    return 1 - mu / (mu + d)


def letter_bleu(reference: str, candidate: str) -> float:
    """BLEU of letters and pairs of letters, weights (0.5, 0.5), without smoothing.

    BP * sqrt(p1 * p2), with p_n the clipped precision of the candidate's n-grams and
    BP = min(1, exp(1 - r/c)) for r letters of the reference and c of the candidate. Texts without
    a common letter or pair score 0, so a single letter scores 0 even against itself: see
    `write_penalty`.
    """
    if not candidate:
        return 0.0
    product = 1.0
    for n in (1, 2):
        grams = _grams(candidate, n)
        shared = (grams & _grams(reference, n)).total()
        product *= shared / max(grams.total(), 1)
    brevity = min(1.0, math.exp(1 - len(reference) / len(candidate)))
    return brevity * math.sqrt(product)


def write_penalty(reference: str, candidate: str) -> float:
    """1 - BLEU of letters, and 0 for equal texts, also those of one letter or none."""
    return 0.0 if reference == candidate else 1 - letter_bleu(reference, candidate)


def judge_omniact(task: OmniActTask) -> OmniActVerdict:
    """Sequence and action score of one task.

    action = max(sequence - click - press - write, 0). Each penalty is the mean over the L gold
    lines: a pointing call by `click_penalty` to the box whose centre is the gold point (none such:
    no penalty); press 1 unless the key agrees; hotkey 1 unless the sets of keys agree; write by
    `write_penalty`. Scrolls cost nothing. A task without a gold script (the data have a few) has
    no action score.
    """
    verdict = OmniActVerdict(task.task_id, len(task.gold), bool(task.predicted), 0.0, 0.0)
    if not task.gold:
        return replace(verdict, sequence=float(not task.predicted))
    if not sequence_matches(task):
        return verdict
    click = press = write = 0.0
    for gold, predicted in zip(task.gold, task.predicted, strict=True):
        if gold.name in POINTING:
            box = _box_of(gold.point_px, task.boxes_px)
            click += click_penalty(box, predicted.point_px) if box is not None else 0.0
        elif gold.name == "press":
            keys = [[text.strip() for text in call.texts[:1]] for call in (gold, predicted)]
            press += float(keys[0] != keys[1])
        elif gold.name == "hotkey":
            press += float(set(gold.texts) != set(predicted.texts))
        elif gold.name == "write":
            write += write_penalty(*(("".join(c.texts[:1])) for c in (gold, predicted)))
    lines = len(task.gold)
    click, press, write = click / lines, press / lines, write / lines
    return replace(
        verdict, sequence=1.0, action=max(1.0 - click - press - write, 0.0),
        click=click, press=press, write=write,
    )  # fmt: skip


def lower_cased_gold(task: OmniActTask) -> OmniActTask:
    """The task as UGround's scripts see it: every gold line in lower case, the answer as it is.

    Names such as ``rightClick`` then never match, nor do keys and texts with capitals.
    """
    gold = tuple(
        replace(c, name=c.name.lower(), texts=tuple(t.lower() for t in c.texts)) for c in task.gold
    )
    return replace(task, gold=gold)


def judge_omniact_uground(task: OmniActTask) -> OmniActVerdict:
    """`judge_omniact` with UGround's lower-casing of gold lines, a known bug of its scripts.

    A call without a point is put at (0, 0), as there. OSU-NLP-Group/UGround
    offline_evaluation/OmniACT/extract_grounding_query.py, eval_action.py.
    """
    origin = Point(0, 0)
    predicted = tuple(
        replace(c, point_px=c.point_px or origin) if c.name in POINTING else c
        for c in task.predicted
    )
    return judge_omniact(lower_cased_gold(replace(task, predicted=predicted)))


_SEQUENCE = (
    "Sum of s * match / sum of s, with s = (gold lines - 0.9) a task, and match 1 if the answer "
    "calls the same pyautogui functions in the same order; n counts tasks."
)
_ACTION = (
    "Sum of s * max(match - click - press - write, 0) / sum of s: penalties are means over the "
    "gold lines; click 1 - mu/(mu + distance to the box), mu its diagonal; press 1 for another key "
    "or set of keys; write 1 - BLEU(0.5, 0.5) of letters; n counts tasks."
)
_PAPER = "OmniACT (arXiv 2402.17553)"
_UGROUND = "OSU-NLP-Group/UGround offline_evaluation/OmniACT"
_BUG = (
    "The script lower-cases the gold lines and not the answer: rightClick, doubleClick, moveTo, "
    "dragTo, and capitals in text, can never match."
)
SEQUENCE = MetricDefinition(
    "omniact_sequence_score", 1,
    f"{_SEQUENCE} Names are compared letter for letter; tasks without a gold script are left out.",
    "Sequence score", source=_PAPER,
    differs="UGround's numbers are lower: see omniact_uground_sequence_score.",
)  # fmt: skip
ACTION = MetricDefinition(
    "omniact_action_score", 1,
    f"{_ACTION} Equal texts cost nothing, also of one letter; a call without a point costs 1.",
    "Action score", source=_PAPER,
    differs="UGround's numbers are lower: see omniact_uground_action_score. OS-Atlas and GUI-R1 "
    "score single steps instead, which is not comparable.",
)  # fmt: skip
UGROUND_SEQUENCE = MetricDefinition(
    "omniact_uground_sequence_score", 1,
    f"{_SEQUENCE} Gold lines are lower-cased first; a task without a gold script weighs -0.9. "
    f"{_BUG}",
    "Sequence score (UGround)", source=f"{_UGROUND}/extract_grounding_query.py",
    differs="As published by UGround and by those who use its scripts.",
)  # fmt: skip
UGROUND_ACTION = MetricDefinition(
    "omniact_uground_action_score", 1,
    f"{_ACTION} Gold lines are lower-cased first; a call without a point acts at (0, 0). {_BUG}",
    "Action score (UGround)", source=f"{_UGROUND}/eval_action.py",
    differs="As published by UGround, but a text of one letter that is equal costs nothing, and "
    "points are not cut to integers.",
)  # fmt: skip
METRICS = (SEQUENCE, ACTION, UGROUND_SEQUENCE, UGROUND_ACTION)


def omniact_scores(
    verdicts: Sequence[OmniActVerdict],
    sequence: MetricDefinition,
    action: MetricDefinition | None,
    seed: int = 0,
) -> tuple[Score, ...]:
    """The weighted means of verdicts; the action score only where all verdicts have one."""
    weights = [v.weight for v in verdicts]
    scores = [Score(sequence, weighted_mean([v.sequence for v in verdicts], weights, seed=seed))]
    actions = [v.action for v in verdicts if v.action is not None]
    if action is not None and len(actions) == len(verdicts):
        scores.append(Score(action, weighted_mean(actions, weights, seed=seed)))
    return tuple(scores)


def omniact_report(
    tasks: Sequence[OmniActTask], *, has_points: bool, seed: int = 0
) -> BenchmarkReport:
    """Both scores, right and as UGround's scripts compute them.

    Args:
        tasks: one an instruction.
        has_points: whether points were predicted; without them there is no action score.
        seed: of the intervals, which draw tasks.
    """
    right = [judge_omniact(task) for task in tasks if task.gold]
    uground = [judge_omniact_uground(task) for task in tasks]
    scores = (
        *omniact_scores(right, SEQUENCE, ACTION if has_points else None, seed),
        *omniact_scores(uground, UGROUND_SEQUENCE, UGROUND_ACTION if has_points else None, seed),
    )
    notes = [] if has_points else ["no points in the file: no action score"]
    if len(right) < len(tasks):
        notes.append(no_script_note(len(tasks) - len(right)))
    unparsed = sum(not v.is_parsed for v in uground)
    return BenchmarkReport("omniact", len(tasks), unparsed, scores, tuple(notes))


def no_script_note(count: int) -> str:
    """What a report says of tasks without a gold script."""
    return (
        f"{count} tasks have no gold script: UGround's scripts weigh each with -0.9, the other "
        "scores leave them out"
    )


def _grams(text: str, n: int) -> Counter[str]:
    return Counter(text[i : i + n] for i in range(len(text) - n + 1))


def _box_of(point: Point | None, boxes: Sequence[Box]) -> Box | None:
    for box in boxes:
        if box.center == point:
            return box
    return None
