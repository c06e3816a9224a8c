"""One evaluation of one agent on a dataset: a folder that an interrupted command continues.

evaluation.json            who, on what, with which definitions, and every number
predictions-<split>.jsonl  one line a step: answer, point, verdict
chunks/                    answers made so far
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from coepg.data.choice import derive_seed, evaluation_steps
from coepg.data.chunks import chunk, write_json
from coepg.data.table import StepTable
from coepg.errors import ConfigError, DataError
from coepg.evaluate.agent import (
    Evaluation,
    Store,
    evaluate_actor,
    evaluate_grounder,
    evaluate_pair,
)
from coepg.evaluate.benchmarks.base import BenchmarkReport
from coepg.evaluate.benchmarks.from_steps import benchmark_report
from coepg.evaluate.definitions import METRICS
from coepg.evaluate.intervals import Estimate
from coepg.evaluate.predictions.report_text import report_record
from coepg.models.base import Actor, Grounder, Planner
from coepg.types import Step

RESULT_FILE = "evaluation.json"
INPUTS_FILE = "inputs.json"
FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class EvaluationSettings:
    """How answers are made.

    Attributes:
        max_steps: of each split, in whole episodes, the same for every agent; None for all.
        max_completion_tokens: longest answer.
        num_sampled_plans: per step, for purity and diversity; 0 leaves both out.
        sampling_temperature: of these.
        seed: of sampling and intervals.
    """

    max_steps: int | None = None
    max_completion_tokens: int = 96
    num_sampled_plans: int = 0
    sampling_temperature: float = 0.9
    seed: int = 0


class Agent(Protocol):
    """Anything that answers steps."""

    def evaluate(
        self, steps: Sequence[Step], settings: EvaluationSettings, store: Store
    ) -> Evaluation:
        """Answers and metrics."""
        ...


@dataclass(frozen=True, slots=True)
class PairAgent:
    """A planner and a grounder."""

    planner: Planner
    grounder: Grounder

    def evaluate(
        self, steps: Sequence[Step], settings: EvaluationSettings, store: Store
    ) -> Evaluation:
        """See `evaluate_pair`."""
        return evaluate_pair(
            self.planner,
            self.grounder,
            steps,
            max_tokens=settings.max_completion_tokens,
            num_sampled_plans=settings.num_sampled_plans,
            temperature=settings.sampling_temperature,
            seed=derive_seed(settings.seed, "eval"),
            store=store,
        )


@dataclass(frozen=True, slots=True)
class EndToEndAgent:
    """One model that answers with action and point."""

    actor: Actor

    def evaluate(
        self, steps: Sequence[Step], settings: EvaluationSettings, store: Store
    ) -> Evaluation:
        """See `evaluate_actor`."""
        return evaluate_actor(
            self.actor,
            steps,
            max_tokens=settings.max_completion_tokens,
            seed=derive_seed(settings.seed, "eval"),
            store=store,
        )


@dataclass(frozen=True, slots=True)
class GrounderAlone:
    """A grounder that is told the expression."""

    grounder: Grounder

    def evaluate(
        self, steps: Sequence[Step], settings: EvaluationSettings, store: Store
    ) -> Evaluation:
        """See `evaluate_grounder`."""
        return evaluate_grounder(
            self.grounder, steps, seed=derive_seed(settings.seed, "eval"), store=store
        )


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The numbers of one split, and what they count.

    Attributes:
        split: its name.
        num_steps, num_episodes: that were answered.
        num_unparsed: answers that could not be parsed.
        estimates: the metrics that every dataset has.
        benchmark: the report of the benchmark that the dataset was imported from, if there is one.
    """

    split: str
    num_steps: int
    num_episodes: int
    num_unparsed: int
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    benchmark: BenchmarkReport | None = None


def run_evaluation(
    table: StepTable,
    splits: Sequence[str],
    agent: Agent,
    about: Mapping[str, Any],
    out_dir: Path,
    settings: EvaluationSettings,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[SplitResult]:
    """Answer and score the splits, or go on where an earlier process stopped.

    Args:
        table: the dataset.
        splits: names of its splits.
        agent: who answers.
        about: who that is, as JSON values; a folder belongs to one agent and one setting.
        out_dir: the folder of this evaluation.
        settings: how answers are made.
        progress: called with (steps done, steps in all).

    Raises:
        ConfigError: the folder holds another evaluation.
        DataError: no such split.
    """
    inputs = {
        "format_version": FORMAT_VERSION,
        "dataset": {"name": table.info.get("name"), "path": str(table.path.resolve())},
        "splits": list(splits),
        "agent": dict(about),
        "settings": asdict(settings),
    }
    _claim(out_dir, inputs)
    chosen = {s: evaluation_steps(table.steps(s), settings.max_steps, s) for s in splits}
    total, done, results = sum(map(len, chosen.values())), 0, []
    for split, steps in chosen.items():
        evaluation = agent.evaluate(steps, settings, _store(out_dir, split))
        with (out_dir / f"predictions-{split}.jsonl").open("w", encoding="utf-8") as file:
            for p in evaluation.predictions:
                file.write(json.dumps(p.to_record(), ensure_ascii=False) + "\n")
        done += len(steps)
        progress(done, total)
        unparsed = sum(p.plan is None for p in evaluation.predictions)
        episodes = len({s.episode_id for s in steps})
        report = benchmark_report(
            table, split, steps, evaluation.predictions, seed=derive_seed(settings.seed, "eval"),
            is_told_the_action=isinstance(agent, GrounderAlone),
        )  # fmt: skip
        results.append(
            SplitResult(split, len(steps), episodes, unparsed, evaluation.estimates, report)
        )
    write_json(out_dir / RESULT_FILE, inputs | _results(results))
    return results


def _store(out_dir: Path, split: str) -> Store:
    return lambda name, make: chunk(out_dir, f"{split}-{name}", make)


def _claim(out_dir: Path, inputs: Mapping[str, Any]) -> None:
    """Begin a folder, or see that it belongs to the same evaluation."""
    path = out_dir / INPUTS_FILE
    out_dir.mkdir(parents=True, exist_ok=True)
    if not path.is_file():
        write_json(path, inputs)
        return
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(
            str(path), found=f"not JSON: {error}", expected="the inputs of an evaluation",
            fix="delete the folder, or choose another --out",
        ) from error  # fmt: skip
    differ = sorted(k for k in inputs if found.get(k) != json.loads(json.dumps(inputs[k])))
    if differ:
        raise ConfigError(
            str(out_dir),
            found=f"an evaluation with other {', '.join(differ)}",
            expected="the same agent, data and settings",
            fix="choose another --out folder",
        )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _results(results: Sequence[SplitResult]) -> dict[str, Any]:
    rows = [
        {
            "split": r.split,
            "num_steps": r.num_steps,
            "num_episodes": r.num_episodes,
            "num_unparsed": r.num_unparsed,
            "metrics": {
                name: {
                    "value": _finite(e.value),
                    "low": _finite(e.low),
                    "high": _finite(e.high),
                    "n": e.n,
                }
                for name, e in r.estimates.items()
            },
        }
        for r in results
    ]
    names = dict.fromkeys(name for r in results for name in r.estimates)
    definitions = [
        {"name": d.name, "version": d.version, "text": d.text}
        for d in (METRICS[name] for name in names)
    ]
    benchmarks = [
        report_record(r.benchmark, {"split": r.split}) for r in results if r.benchmark is not None
    ]
    return {"results": rows, "definitions": definitions, "benchmarks": benchmarks}
