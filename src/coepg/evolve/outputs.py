"""What a run leaves behind: metrics.csv, metrics.jsonl, report.html, the table on the screen."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from coepg.config import dump_recipe
from coepg.evaluate.intervals import Estimate
from coepg.evaluate.judging import judge_answer
from coepg.evaluate.metrics import by_task
from coepg.evaluate.results import COLUMNS, ResultRow, result_rows
from coepg.evolve.console import RunConsole
from coepg.evolve.context import Context
from coepg.evolve.examples import read_predictions, report_examples
from coepg.evolve.provenance import provenance
from coepg.evolve.speed import STAGE_COLUMNS, stage_rows, stage_table
from coepg.evolve.stage import Stage, stage_seconds
from coepg.view.curves import curves_from_metrics, stage_times_from_metrics
from coepg.view.data import ReportData, TaskRow, task_rows
from coepg.view.report import write_report
from coepg.view.table import results_table

_ARMS = {
    "3-eval-sft": "sft",
    "5-eval-grpo": "grpo",
    "7-eval-blank": "blank_image",
    "8-eval-no-text": "no_screen_text",
}
_LOGGED = {
    "1-sft-planner": "sft_planner",
    "2-sft-grounder": "sft_grounder",
    "1-sft-actor": "sft_actor",
    "4-grpo": "grpo",
}


def split_name(name: str) -> tuple[int, str]:
    """``02-4-grpo`` -> (2, ``4-grpo``)."""
    return int(name[:2]), name[3:]


def result_table_rows(stages: Mapping[str, Stage]) -> list[ResultRow]:
    """The rows of metrics.csv from the evaluation stages."""
    rows: list[ResultRow] = []
    for name, stage in stages.items():
        iteration, kind = split_name(name)
        if kind not in _ARMS:
            continue
        for split, values in stage.record.items():
            estimates = {metric: Estimate(*numbers) for metric, numbers in values.items()}
            rows += result_rows(estimates, iteration=iteration, arm=_ARMS[kind], split=split)
    return rows


def metric_log(stages: Mapping[str, Stage]) -> list[dict[str, Any]]:
    """The rows of metrics.jsonl: training logs and the time of every stage, in run order."""
    rows: list[dict[str, Any]] = []
    for name, stage in stages.items():
        iteration, kind = split_name(name)
        label = _LOGGED.get(kind, kind.partition("-")[2] if kind[0].isdigit() else kind)
        label = label.replace("-", "_")
        path = stage.folder / "log.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        rows += [{"stage": label, "iteration": iteration, **json.loads(line)} for line in lines]
        seconds = stage_seconds(stage.folder)
        rows.append({"stage": label, "iteration": iteration, "stage_seconds": seconds})
    return rows


def _atomic(path: Path, text: str) -> None:
    work = path.with_name(path.name + ".tmp")
    work.write_text(text, encoding="utf-8", newline="")
    os.replace(work, path)


def write_csv(path: Path, rows: Sequence[ResultRow]) -> None:
    """metrics.csv, atomically."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.to_record() for row in rows)
    _atomic(path, buffer.getvalue())


def _task_rows(context: Context, stages: Mapping[str, Stage]) -> list[TaskRow]:
    rows: list[TaskRow] = []
    for name, stage in stages.items():
        iteration, kind = split_name(name)
        if kind not in ("3-eval-sft", "5-eval-grpo"):
            continue
        for split, steps in context.eval_steps.items():
            found = read_predictions(stage.folder, split)
            results = [
                judge_answer(found[s.step_id].plan, found[s.step_id].point_px, s) for s in steps
            ]
            rows += task_rows(by_task(results), iteration=iteration, arm=_ARMS[kind], split=split)
    return rows


def write_outputs(context: Context, stages: Mapping[str, Stage], console: RunConsole) -> Path:
    """Write all outputs of a finished run and print its table.

    Returns:
        The path of report.html.
    """
    run_dir, recipe = context.run_dir, context.recipe
    rows, log = result_table_rows(stages), metric_log(stages)
    write_csv(run_dir / "metrics.csv", rows)
    _atomic(run_dir / "metrics.jsonl", "".join(json.dumps(row) + "\n" for row in log))
    if recipe.run.profile:
        console.say(_write_stage_table(run_dir, log))
    made_with = provenance()
    report = write_report(
        run_dir / "report.html",
        ReportData(
            title=f"coepg: {recipe.name}",
            recipe=recipe.name,
            description=recipe.description,
            recipe_toml=dump_recipe(recipe),
            versions=made_with["versions"],
            hardware=made_with["hardware"],
            results=tuple(rows),
            curves=curves_from_metrics(log),
            stage_times=stage_times_from_metrics(log),
            tasks=tuple(_task_rows(context, stages)),
            examples=tuple(report_examples(context, stages)),
            notes=_notes(context, stages),
        ),
    )
    console.say(results_table([r for r in rows if r.metric in _SHOWN]))
    console.say(f"report: {report}")
    return report


def _write_stage_table(run_dir: Path, log: Sequence[Mapping[str, Any]]) -> str:
    """Where the time of the run went: stages.csv, and the same as text."""
    rows = stage_rows(log)
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, fieldnames=STAGE_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    _atomic(run_dir / "stages.csv", buffer.getvalue())
    return stage_table(rows)


_SHOWN = ("ele_acc", "op_f1", "step_sr", "plan_purity", "plan_diversity")


def _notes(context: Context, stages: Mapping[str, Stage]) -> tuple[str, ...]:
    seen = context.recipe.data.observation.screen_text
    notes = [
        "The planner sees the screenshot, the task and the gold history"
        + (f", and the screen's text ({seen})." if seen != "none" else "; no screen text.")
        + " The grounder sees only the screenshot and the plan.",
        "Steps are judged one by one, each on its recorded screen (teacher-forced).",
    ]
    for name, stage in stages.items():
        if name.endswith("data"):
            r = stage.record
            notes.append(
                f"D_{int(name[:2])}: {r['num_plans_kept']} verified plans on "
                f"{r['num_steps_with_plans']} of {r['num_steps']} steps."
            )
    return tuple(notes)
