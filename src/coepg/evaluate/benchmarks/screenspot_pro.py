"""ScreenSpot-Pro, with the five tables that its own script prints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from coepg.evaluate.benchmarks.base import BenchmarkReport, mean_score, parts_of
from coepg.evaluate.benchmarks.screenspot import is_hit
from coepg.evaluate.definitions import MetricDefinition
from coepg.types import Box, Point

ProVerdict = Literal["correct", "wrong", "wrong_format"]


@dataclass(frozen=True, slots=True)
class ScreenSpotProAnswer:
    """One instruction on a high-resolution screen, and the answer.

    Attributes:
        image: name of the picture; instructions on one picture are drawn together.
        group: ``Dev``, ``Creative``, ``CAD``, ``Scientific``, ``Office`` or ``OS``.
        platform, application: such as ``windows`` and ``quartus``.
        instruction_style: ``instruction``, ``action`` or ``description``.
        gt_type: ``positive``: the target is on the screen.
        ui_type: ``text`` or ``icon``.
        box_px: of the target, in pixels of the picture.
        point_px: predicted, in the same pixels, or None if the answer could not be parsed.
    """

    image: str
    group: str
    platform: str
    application: str
    instruction_style: str
    gt_type: str
    ui_type: str
    box_px: Box
    point_px: Point | None


_SOURCE = (
    "ScreenSpot-Pro (arXiv 2504.07981), likaixin2000/ScreenSpot-Pro-GUI-Grounding "
    "eval_screenspot_pro.py"
)
_HIT = (
    "The point lies in the target's box, edges included and not rounded; an answer that could not "
    "be parsed (wrong_format) is a miss and stays in the denominator."
)

PRO_METRICS = {
    "acc": MetricDefinition(
        "screenspot_pro_acc", 1, f"Share of instructions that are hit (micro). {_HIT}",
        "ScreenSpot-Pro", source=_SOURCE,
        differs="overall.action_acc of the official script; boxes are x0,y0,x1,y1 where v1 and v2 "
        "have x,y,w,h.",
    ),
    "acc_group_mean": MetricDefinition(
        "screenspot_pro_acc_group_mean", 1,
        f"Plain mean of the accuracies of the six groups of applications. {_HIT}",
        "ScreenSpot-Pro (group mean)", source=_SOURCE,
        differs="Not printed by the official script, whose average is the micro mean.",
    ),
    "parse_failures": MetricDefinition(
        "screenspot_pro_parse_failures", 1,
        "Share of answers that could not be parsed (wrong_format); they count as misses.",
        "ScreenSpot-Pro unparsed", source=_SOURCE,
    ),
}  # fmt: skip

METRICS = tuple(PRO_METRICS.values())


def verdict(answer: ScreenSpotProAnswer) -> ProVerdict:
    """The official verdict on one answer."""
    if answer.point_px is None:
        return "wrong_format"
    return "correct" if is_hit(answer.box_px, answer.point_px) else "wrong"


def official_row(answers: Sequence[ScreenSpotProAnswer]) -> dict[str, float]:
    """The six numbers that the official script prints of any set of answers; empty sets give 0."""
    verdicts = [verdict(a) for a in answers]

    def share(ui_type: str | None) -> float:
        chosen = [v for a, v in zip(answers, verdicts, strict=True) if ui_type in (None, a.ui_type)]
        return chosen.count("correct") / len(chosen) if chosen else 0.0

    return {
        "num_correct_action": verdicts.count("correct"),
        "num_total": len(answers),
        "wrong_format_num": verdicts.count("wrong_format"),
        "action_acc": share(None),
        "text_acc": share("text"),
        "icon_acc": share("icon"),
    }


def official_blocks(answers: Sequence[ScreenSpotProAnswer]) -> dict[str, dict[str, object]]:
    """The five tables of the official result file, with its keys; rows in sorted order."""

    def block(key: Callable[[ScreenSpotProAnswer], str]) -> dict[str, object]:
        return {name: official_row(part) for name, part in parts_of(answers, key).items()}

    def style(a: ScreenSpotProAnswer) -> str:
        return f"inst_style:{a.instruction_style} gt_type:{a.gt_type}"

    return {
        "fine_grained": block(lambda a: f"plat:{a.platform} app:{a.application} {style(a)}"),
        "seeclick_style": block(lambda a: f"plat:{a.platform} {style(a)}"),
        "leaderboard_simple_style": block(lambda a: f"group:{a.group}"),
        "leaderboard_detailed_style": block(lambda a: f"app:{a.application}"),
        "overall": dict(official_row(answers)),
    }


def screenspot_pro_report(answers: Sequence[ScreenSpotProAnswer], seed: int = 0) -> BenchmarkReport:
    """Both means, the parts by group and type, and the official tables.

    Args:
        answers: one an instruction, all of them positive.
        seed: of the intervals, which draw whole pictures.
    """
    outcomes = [float(verdict(a) == "correct") for a in answers]
    images = [a.image for a in answers]
    unparsed = [float(a.point_px is None) for a in answers]
    scores = [
        mean_score(PRO_METRICS["acc"], outcomes, images, seed=seed),
        mean_score(
            PRO_METRICS["acc_group_mean"],
            outcomes,
            [f"{a.group} {a.image}" for a in answers],
            average="macro_task",
            tasks=[a.group for a in answers],
            seed=seed,
        ),
        mean_score(PRO_METRICS["parse_failures"], unparsed, images, seed=seed),
    ]
    keys: tuple[Callable[[ScreenSpotProAnswer], str], ...] = (
        lambda a: a.ui_type,
        lambda a: a.group,
        lambda a: f"{a.group}/{a.ui_type}",
    )
    for key in keys:
        for part, found in parts_of(answers, key).items():
            hits = [float(verdict(a) == "correct") for a in found]
            group_images = [a.image for a in found]
            scores.append(mean_score(PRO_METRICS["acc"], hits, group_images, seed=seed, part=part))
    return BenchmarkReport(
        "screenspot_pro",
        len(answers),
        int(sum(unparsed)),
        tuple(scores),
        blocks=official_blocks(answers),
    )
