"""ScreenSpot and ScreenSpot-v2: does the predicted point lie in the target's box?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coepg.evaluate.benchmarks.base import BenchmarkReport, Score, mean_score, parts_of
from coepg.evaluate.definitions import MetricDefinition
from coepg.types import Box, Point

PLATFORMS = ("mobile", "desktop", "web")
UI_TYPES = ("text", "icon")
VERSIONS = ("v1", "v2")


@dataclass(frozen=True, slots=True)
class ScreenSpotAnswer:
    """One instruction, its box and the answer; point and box in one space.

    Attributes:
        image: name of the picture; instructions on one picture are drawn together.
        platform: ``mobile``, ``desktop`` or ``web``: the annotation file, not the data source.
        ui_type: ``text`` or ``icon``.
        box: of the target.
        point: predicted, or None if the answer could not be parsed or is missing.
    """

    image: str
    platform: str
    ui_type: str
    box: Box
    point: Point | None

    @property
    def category(self) -> str:
        """Such as ``mobile/text``."""
        return f"{self.platform}/{self.ui_type}"


def is_hit(box: Box, point: Point | None) -> bool:
    """Whether the point lies in the box, edges included, numbers not rounded.

    njucckevin/SeeClick pretrain/screenspot_test.py. An unparsable answer (None) is a miss.

    Example:
        >>> is_hit(Box(0, 0, 10, 10), Point(10, 5)), is_hit(Box(0, 0, 10, 10), None)
        (True, False)
    """
    return point is not None and box.contains(point)


def screenspot_metrics(version: str) -> dict[str, MetricDefinition]:
    """The metrics of one edition of the annotations, by short name.

    The editions differ in boxes, instructions and types, so their numbers are not comparable.
    """
    name, label = f"screenspot_{version}", f"ScreenSpot-{version}"
    hit = "The point lies in the target's box, edges included; an unparsable answer is a miss."
    source = "SeeClick (arXiv 2401.10935), pretrain/screenspot_test.py"
    if version == "v2":
        source = f"OS-Atlas (arXiv 2410.23218) for the annotations; {source} for the rule"
    return {
        "acc": MetricDefinition(
            f"{name}_acc", 1, f"Share of instructions that are hit (micro). {hit}", label,
            source=source,
            differs="SeeClick and UGround print the mean of six categories instead; the mean over "
            "instructions is what OS-Atlas and later papers print.",
        ),
        "acc_category_mean": MetricDefinition(
            f"{name}_acc_category_mean", 1,
            "Plain mean of the accuracies of the six categories (mobile, desktop, web; text, "
            f"icon). {hit}",
            f"{label} (category mean)",
            source=f"{source}; OSU-NLP-Group/UGround offline_evaluation/ScreenSpot/eval.py",
            differs="Weighs the small categories more than the micro mean. A category that is "
            "absent from the data is left out, where UGround's script counts it as 0.",
        ),
        "parse_failures": MetricDefinition(
            f"{name}_parse_failures", 1,
            "Share of answers that are missing or could not be parsed; they count as misses.",
            f"{label} unparsed",
        ),
    }  # fmt: skip


METRICS = tuple(m for version in VERSIONS for m in screenspot_metrics(version).values())


def screenspot_report(
    answers: Sequence[ScreenSpotAnswer], version: str, seed: int = 0
) -> BenchmarkReport:
    """Both means, and the share of hits of each category and platform.

    Args:
        answers: one an instruction.
        version: ``v1`` or ``v2``, of the annotations.
        seed: of the intervals, which draw whole pictures.
    """
    metrics = screenspot_metrics(version)
    unparsed = [float(a.point is None) for a in answers]
    scores = [
        _hits(metrics["acc"], answers, seed),
        _category_mean(metrics["acc_category_mean"], answers, seed),
        mean_score(metrics["parse_failures"], unparsed, seed=seed),
    ]
    keys: tuple[Callable[[ScreenSpotAnswer], str], ...] = (
        lambda a: a.platform,
        lambda a: a.ui_type,
        lambda a: a.category,
    )
    for key in keys:
        for part, found in parts_of(answers, key).items():
            scores.append(_hits(metrics["acc"], found, seed, part))
    return BenchmarkReport(f"screenspot_{version}", len(answers), int(sum(unparsed)), tuple(scores))


def count_categories(answers: Sequence[ScreenSpotAnswer]) -> dict[str, int]:
    """How many instructions each category has."""
    return dict(sorted(Counter(a.category for a in answers).items()))


def _hits(
    metric: MetricDefinition, answers: Sequence[ScreenSpotAnswer], seed: int, part: str = ""
) -> Score:
    outcomes = [float(is_hit(a.box, a.point)) for a in answers]
    return mean_score(metric, outcomes, [a.image for a in answers], seed=seed, part=part)


def _category_mean(
    metric: MetricDefinition, answers: Sequence[ScreenSpotAnswer], seed: int
) -> Score:
    # A picture may carry text and icons; a group of the bootstrap must stay in one category.
    return mean_score(
        metric,
        [float(is_hit(a.box, a.point)) for a in answers],
        [f"{a.category} {a.image}" for a in answers],
        average="macro_task",
        tasks=[a.category for a in answers],
        seed=seed,
    )
