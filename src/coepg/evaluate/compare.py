r"""Runs side by side, on the same steps, with paired tests.

    before, after = (read_step_scores(path) for path in paths)
    comparison = compare_runs([before, after])
    print("\n".join(comparison_lines(comparison)))

Every run is compared with the first one. Two systems that answered the same steps are compared
step by step: the interval of the difference is much narrower than the two intervals apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from coepg.errors import DataError
from coepg.evaluate.intervals import LEVEL, Difference, paired_bootstrap
from coepg.evaluate.paired_tests import PairedTest, holm, sign_flip_test
from coepg.evaluate.step_scores import StepScores

Splits = Mapping[str, StepScores]
"""The scores of one run, by split."""

NUM_NAMED = 3
"""How many differing steps an error names."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """One metric of one run against the first run.

    Attributes:
        split, metric: what is compared.
        first, second: labels of the runs.
        first_mean, second_mean: means over the steps (micro).
        num_steps, num_episodes: how many were compared.
        num_better, num_worse: steps on which the second scores more, or less.
        difference: second minus first, with its bootstrap interval over episodes.
        test: paired test of the difference, by episodes.
        corrected_p: its p-value, corrected for the number of comparisons by Holm's rule.
    """

    split: str
    metric: str
    first: str
    second: str
    first_mean: float
    second_mean: float
    num_steps: int
    num_episodes: int
    num_better: int
    num_worse: int
    difference: Difference
    test: PairedTest
    corrected_p: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """All comparisons, and what must be said of them."""

    rows: tuple[PairedComparison, ...]
    notes: tuple[str, ...]


def compare_runs(
    runs: Sequence[Splits],
    *,
    metrics: Sequence[str] = (),
    splits: Sequence[str] = (),
    common_only: bool = False,
    seed: int = 0,
) -> Comparison:
    """Compare every run with the first.

    Args:
        runs: at least two, as from `read_step_scores`.
        metrics: only these; by default all that every run has.
        splits: only these; by default all that every run has.
        common_only: go on with the steps that all runs have, if their steps differ.
        seed: of bootstrap and sign flips.

    Raises:
        DataError: the runs share no split, metric or step, or their steps differ and
            ``common_only`` is not set.
    """
    if len(runs) < 2:
        raise DataError(
            "runs to compare", found=str(len(runs)), expected="two or more", fix="name another"
        )
    found: list[PairedComparison] = []
    notes: list[str] = []
    for split in _shared("split", [list(run) for run in runs], splits, notes):
        aligned = align([run[split] for run in runs], split, common_only, notes)
        names = _shared("metric", [list(s.scores) for s in aligned], metrics, notes)
        found += [
            compare_pair(aligned[0], other, metric, split, seed)
            for metric in names
            for other in aligned[1:]
        ]
    corrected = holm([row.test.p_value for row in found])
    rows = tuple(replace(row, corrected_p=p) for row, p in zip(found, corrected, strict=True))
    return Comparison(rows, (*notes, *_general_notes(rows)))


def align(
    runs: Sequence[StepScores], split: str, common_only: bool, notes: list[str]
) -> list[StepScores]:
    """The runs on the same steps; appends to ``notes`` what was left out.

    Raises:
        DataError: the steps differ and ``common_only`` is not set, or none is shared.
    """
    common = frozenset.intersection(*[run.step_ids for run in runs])
    every = frozenset.union(*[run.step_ids for run in runs])
    place = f"split {split!r}" if split else "the files"
    runs = _with_known_episodes(runs)
    guessed = [run.label for run in runs if run.are_episodes_guessed]
    if guessed:
        notes.append(
            f"{place}: no episode_id in {', '.join(guessed)}; what stands before the last '/' of "
            "a step id is taken for its episode."
        )
    if common == every:
        return list(runs)
    lost = "; ".join(
        f"{run.label} lacks {len(every - run.step_ids)} ({_names(every - run.step_ids)})"
        for run in runs
        if every - run.step_ids
    )
    if not common_only or not common:
        raise DataError(
            f"{place}: the runs did not answer the same steps",
            found=f"{len(every)} steps in all, {len(common)} of them in every run; {lost}",
            expected="the same step ids in every run",
            fix="evaluate on the same data, or pass --common-only to compare the shared steps"
            if common
            else "evaluate on the same data",
        )
    notes.append(
        f"WARNING, {place}: only the {len(common)} steps that all runs share of {len(every)} are "
        f"compared; {lost}. The means are not those of the whole split."
    )
    return [_only(run, common) for run in runs]


def _with_known_episodes(runs: Sequence[StepScores]) -> list[StepScores]:
    """The runs, those that guess their episodes with the episodes of a run that knows them."""
    known: dict[str, str] = {}
    for run in reversed(runs):
        known |= {} if run.are_episodes_guessed else run.episodes
    return [
        replace(
            run,
            episodes={step: known.get(step, name) for step, name in run.episodes.items()},
            are_episodes_guessed=any(step not in known for step in run.episodes),
        )
        if run.are_episodes_guessed
        else run
        for run in runs
    ]


def compare_pair(
    first: StepScores, second: StepScores, metric: str, split: str = "", seed: int = 0
) -> PairedComparison:
    """One metric of two runs on the same steps.

    Raises:
        DataError: the metric applies to other steps in one run than in the other.
    """
    a, b = first.scores[metric], second.scores[metric]
    if a.keys() != b.keys():
        differing = a.keys() ^ b.keys()
        raise DataError(
            f"metric {metric!r} of {first.label} and {second.label}",
            found=f"{len(differing)} steps with a value in one of them only ({_names(differing)})",
            expected="the same steps",
            fix="evaluate both on the same data",
        )
    steps = sorted(a)
    old, new = [a[s] for s in steps], [b[s] for s in steps]
    episodes = [first.episodes[s] for s in steps]
    changes = [n - o for o, n in zip(old, new, strict=True)]
    return PairedComparison(
        split=split,
        metric=metric,
        first=first.label,
        second=second.label,
        first_mean=sum(old) / len(old),
        second_mean=sum(new) / len(new),
        num_steps=len(steps),
        num_episodes=len(set(episodes)),
        num_better=sum(c > 0 for c in changes),
        num_worse=sum(c < 0 for c in changes),
        difference=paired_bootstrap(new, old, episodes, seed),
        test=sign_flip_test(changes, episodes, seed=seed),
        corrected_p=float("nan"),
    )


def comparison_lines(comparison: Comparison) -> list[str]:
    """The comparisons as a table for people, with the notes below."""
    head = ("metric", "first", "second", "difference", "better", "worse", "p", "p (Holm)", "n")
    lines: list[str] = []
    group = None
    for row in comparison.rows:
        if group != (row.split, row.second):
            group = (row.split, row.second)
            split = f"{row.split}: " if row.split else ""
            lines += ["", f"{split}{row.second} against {row.first}", _line(head)]
        d = row.difference
        lines.append(
            _line(
                (
                    row.metric,
                    f"{row.first_mean:.4f}",
                    f"{row.second_mean:.4f}",
                    f"{d.value:+.4f} [{d.low:+.4f}, {d.high:+.4f}]",
                    str(row.num_better),
                    str(row.num_worse),
                    f"{row.test.p_value:.4g}",
                    f"{row.corrected_p:.4g}",
                    str(row.num_steps),
                )
            )
        )
    return [*lines[1:], "", *comparison.notes]


def _line(cells: Sequence[str]) -> str:
    widths = (16, 8, 8, 27, 7, 7, 9, 9, 6)
    return " ".join(
        f"{cell:<{w}}" if k == 0 else f"{cell:>{w}}"
        for k, (cell, w) in enumerate(zip(cells, widths, strict=True))
    ).rstrip()


def _general_notes(rows: Sequence[PairedComparison]) -> list[str]:
    methods = ", ".join(sorted({row.test.method for row in rows}))
    return [
        f"Means over steps. Intervals: paired bootstrap over episodes, {LEVEL:.0%}. p: paired "
        f"test that flips whole episodes, two-sided ({methods}).",
        f"{len(rows)} comparisons were made: with that many, the uncorrected p of one of them is "
        f"below 0.05 in {1 - 0.95 ** len(rows):.0%} of cases by chance alone, were they "
        "independent. Judge by p (Holm), which is corrected for all that are shown.",
        "The tests know of no other training seed: they compare these models, not the methods.",
    ]


def _shared(
    what: str, names: Sequence[Sequence[str]], asked: Sequence[str], notes: list[str]
) -> list[str]:
    """The names that all have, in the first one's order; says which are left out."""
    shared = [name for name in names[0] if all(name in other for other in names)]
    if asked:
        missing = [name for name in asked if name not in shared]
        if missing:
            raise DataError(
                f"{what} {missing[0]!r}",
                found=f"not in every run; those have {', '.join(shared) or 'none in common'}",
                expected="one that every run has",
            )
        return [name for name in shared if name in asked]
    if not shared:
        have = "; ".join(", ".join(map(repr, other)) for other in names)
        raise DataError(f"{what}s of the runs", found=have, expected="one that every run has")
    left = sorted({name for other in names for name in other} - set(shared))
    if left:
        notes.append(f"WARNING: not in every run, hence left out: {what} {', '.join(left)}.")
    return shared


def _only(run: StepScores, steps: frozenset[str]) -> StepScores:
    scores = {
        metric: {step: value for step, value in values.items() if step in steps}
        for metric, values in run.scores.items()
    }
    return replace(
        run,
        scores={metric: values for metric, values in scores.items() if values},
        episodes={step: name for step, name in run.episodes.items() if step in steps},
    )


def _names(steps: Iterable[str]) -> str:
    ordered = sorted(steps)
    more = f" and {len(ordered) - NUM_NAMED} more" if len(ordered) > NUM_NAMED else ""
    return ", ".join(ordered[:NUM_NAMED]) + more
