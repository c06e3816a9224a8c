"""Every metric by name, with a version and a definition that reports print.

A number is only comparable with another one of the same name and version. A change of what a
metric counts raises its version.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """What a metric counts.

    Attributes:
        name: as in metrics.csv.
        version: raised when the definition changes.
        text: the definition, for people.
        label: short name, for table heads.
        is_share: whether it lies in 0..1 and is shown in per cent.
        source: paper or script that the definition follows; "" for coepg's own.
        differs: how it differs from metrics of like names; "" where nothing does.
    """

    name: str
    version: int
    text: str
    label: str
    is_share: bool = True
    source: str = ""
    differs: str = ""


AVERAGED = ("ele_acc", "op_f1", "step_sr")
"""Metrics that exist as a micro mean and as two macro means."""

_AVERAGES = {
    "": ("", "Mean over steps (micro); n counts steps."),
    "_macro_task": (
        " (task mean)",
        "Mean over task names of each one's mean over its steps; n counts steps.",
    ),
    "_macro_episode": (
        " (episode mean)",
        "Mean over episodes of each one's mean over its steps (the macro average that "
        "Multimodal-Mind2Web reports); n counts steps.",
    ),
}

_AVERAGED_TEXTS = {
    "ele_acc": (
        "Ele.Acc",
        "Element accuracy: the predicted point lies inside the gold box, edges included. Only "
        "steps whose gold action has a target count. An unparsable answer is a miss.",
    ),
    "op_f1": (
        "Op.F1",
        'Operation F1: F1 of the sets of lower-cased words of "type value" of prediction and '
        "gold. An unparsable answer scores 0.",
    ),
    "step_sr": (
        "Step SR",
        "Step success rate: element hit (where the gold action has a target) and operation F1 "
        "equal to 1.",
    ),
}

_OTHERS = (
    MetricDefinition(
        "episode_sr",
        1,
        "Share of episodes whose every step succeeds, each step shown with the gold history and "
        "the gold screen (teacher-forced). Episodes that were not evaluated whole are left out; "
        "n counts episodes.",
        "Episode SR",
    ),
    MetricDefinition(
        "parse_failures",
        1,
        "Share of planner answers that could not be parsed; they count as wrong everywhere else. "
        "n counts steps.",
        "Unparsed",
    ),
    MetricDefinition(
        "plan_purity",
        1,
        "Share of sampled plans that grounders execute: type and value agree with the gold "
        "action, and at least min_votes grounders (1 unless the recipe says otherwise) hit the "
        "gold box; a description without a letter or digit names nothing; without a target, type "
        "and value are enough. n counts sampled plans.",
        "Purity",
    ),
    MetricDefinition(
        "plan_diversity",
        1,
        "Mean number of distinct verified plans kept per step, steps without any included. Two "
        "plans are distinct unless type, value and description agree but for case and white "
        "space. n counts steps.",
        "Diversity",
        is_share=False,
    ),
    MetricDefinition(
        "zero_variance_share",
        1,
        "Share of groups of sampled plans whose rewards are all equal, which therefore carry no "
        "gradient. Groups with fewer than two scored plans are left out; n counts groups.",
        "Zero variance",
    ),
)

METRICS: dict[str, MetricDefinition] = {
    **{
        name + suffix: MetricDefinition(
            name + suffix, 1, f"{text} {average_text}", label + average_label
        )
        for name, (label, text) in _AVERAGED_TEXTS.items()
        for suffix, (average_label, average_text) in _AVERAGES.items()
    },
    **{definition.name: definition for definition in _OTHERS},
}
"""Every metric that coepg writes, by its name in metrics.csv."""
