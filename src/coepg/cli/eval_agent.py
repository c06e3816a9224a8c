"""``coepg eval DATASET``: score an agent on annotated steps."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import typer

from coepg.errors import ConfigError


def score_agent(
    dataset: str,
    splits: Sequence[str],
    models: dict[str, str | None],
    out: Path,
    settings: dict[str, Any],
    screen_text: str,
    batch_size: int,
) -> None:
    """Build the agent, score it on the splits, print the report.

    Args:
        dataset: a shipped dataset's name or a folder.
        splits: names of splits; all if empty.
        models: specification by role (``planner``, ``grounder``, ``actor``), or None.
        out: folder of the evaluation.
        settings: of `coepg.evaluate.session.EvaluationSettings`.
        screen_text: what the planner is shown besides the picture: none, ocr or dom.
        batch_size: screens at a time.
    """
    from coepg.cli.data_options import dataset_folder
    from coepg.data.table import StepTable
    from coepg.evaluate.session import RESULT_FILE, EvaluationSettings, run_evaluation
    from coepg.evolve.console import RunConsole

    table = StepTable.open(dataset_folder(dataset))
    chosen = list(splits) or list(table.splits)
    agent, about = build_agent(models, table, screen_text, batch_size)
    with RunConsole().stage("evaluation") as progress:
        results = run_evaluation(
            table, chosen, agent, about, out, EvaluationSettings(**settings), progress
        )
    typer.echo("\n".join(report_lines(results, about)))
    typer.echo(f"\nwrote {out / RESULT_FILE}")


def build_agent(
    models: dict[str, str | None], images: Any, screen_text: str, batch_size: int
) -> tuple[Any, dict[str, Any]]:
    """The agent that the roles make up, and a record of who it is.

    Raises:
        ConfigError: the roles do not make an agent, or a specification is wrong.
    """
    from coepg.config.models import LocalModelConfig, model_from_text
    from coepg.evaluate.session import EndToEndAgent, GrounderAlone, PairAgent
    from coepg.models.base import Observation
    from coepg.models.factory import build_actor, build_grounder, build_planner
    from coepg.models.local.folder import model_fingerprint

    given = {role: model_from_text(text) for role, text in models.items() if text is not None}
    if set(given) not in ({"planner", "grounder"}, {"grounder"}, {"actor"}):
        raise ConfigError(
            "coepg eval",
            found="--" + ", --".join(given) if given else "no model",
            expected="--planner and --grounder, --grounder alone, or --actor alone",
            fix="name the models to score",
        )
    observation = Observation(screen_text)
    about: dict[str, Any] = {"observation": asdict(observation), "models": {}}
    for role, config in given.items():
        about["models"][role] = config.model_dump(mode="json")
        if isinstance(config, LocalModelConfig):
            about["models"][role]["fingerprint"] = model_fingerprint(config.path)
    if "actor" in given:
        actor = build_actor(
            "actor", given["actor"], images, observation=observation, batch_size=batch_size
        )
        return EndToEndAgent(actor), about
    grounder = build_grounder(
        "grounder", given["grounder"], images, batch_size=batch_size, needs_confidence=False
    )
    if "planner" not in given:
        return GrounderAlone(grounder), about
    planner = build_planner(
        "planner", given["planner"], images, observation=observation, batch_size=batch_size
    )
    return PairAgent(planner, grounder), about


def report_lines(results: Sequence[Any], about: dict[str, Any]) -> list[str]:
    """The numbers of every split, then the definitions."""
    from coepg.evaluate.definitions import METRICS
    from coepg.evaluate.predictions.report_text import definition_lines, table_lines

    lines = [f"{role}: {m.get('path') or m.get('model') or m['kind']}"
             for role, m in about["models"].items()]  # fmt: skip
    names: dict[str, None] = {}
    for r in results:
        head = f"{r.split}: {r.num_steps} steps of {r.num_episodes} episodes, "
        lines += ["", f"{head}{r.num_unparsed} answers not parsed"]
        for name, e in r.estimates.items():
            names[name] = None
            factor, unit = (100, " %") if METRICS[name].is_share else (1, "")
            value = f"{factor * e.value:8.2f}{unit}"
            interval = f"[{factor * e.low:.2f}, {factor * e.high:.2f}]"
            lines.append(f"  {METRICS[name].label:<26}{value:>11}  {interval:<18} n={e.n}")
        if r.benchmark is not None:
            lines += ["", *table_lines(r.benchmark)]
    for name in names:
        metric = METRICS[name]
        lines += ["", f"{metric.label}: {metric.name}, version {metric.version}"]
        lines += textwrap.wrap(metric.text, 96, initial_indent="  ", subsequent_indent="  ")
    benchmarks = {r.benchmark.benchmark: r.benchmark for r in results if r.benchmark is not None}
    for report in benchmarks.values():
        lines += definition_lines(report)
    return lines
