"""``coepg eval``: scores with definitions and intervals."""

from __future__ import annotations

from pathlib import Path

import typer

from coepg.cli import eval_options as o
from coepg.errors import ConfigError


def eval_(
    dataset: o.Dataset = None,
    out: o.Out = None,
    planner: o.PlannerModel = None,
    grounder: o.GrounderModel = None,
    actor: o.ActorModel = None,
    split: o.Splits = None,
    max_steps: o.MaxSteps = None,
    max_completion_tokens: o.MaxCompletionTokens = 96,
    num_sampled_plans: o.NumSampledPlans = 0,
    screen_text: o.ScreenTextOption = o.ScreenText.NONE,
    batch_size: o.BatchSize = 16,
    predictions: o.Predictions = None,
    format_: o.Format = None,
    gold: o.Gold = None,
    option: o.FormatOptions = None,
    json_: o.Json = None,
    seed: o.Seed = 0,
    formats: o.ListFormats = False,
) -> None:
    """Score an agent on a dataset, or stored answers of a benchmark.

    Every number comes with its definition and interval. The same command again continues an
    interrupted evaluation.
    """
    if formats:
        list_formats()
    elif dataset is not None:
        from coepg.cli.eval_agent import score_agent

        if predictions is not None or format_ is not None or out is None:
            raise ConfigError(
                "coepg eval",
                found="no --out" if out is None else "a dataset and --predictions or --format",
                expected="a dataset with models and --out, or --predictions with --format",
                fix="score an agent or a file, one at a time",
            )
        settings = {
            "max_steps": max_steps,
            "max_completion_tokens": max_completion_tokens,
            "num_sampled_plans": num_sampled_plans,
            "seed": seed,
        }
        models = {"planner": planner, "grounder": grounder, "actor": actor}
        score_agent(dataset, split or [], models, out, settings, screen_text.value, batch_size)
    else:
        path, name = _file_and_format(predictions, format_)
        score_predictions(path, name, gold, option or [], json_, seed)


def _file_and_format(predictions: Path | None, format_: str | None) -> tuple[Path, str]:
    """Both, or an error that says which is missing."""
    if predictions is not None and format_ is not None:
        return predictions, format_
    given = "--format" if format_ is not None else "--predictions" if predictions else "neither"
    raise ConfigError(
        "coepg eval",
        found=f"{given} alone" if given != "neither" else "neither --predictions nor --format",
        expected="a dataset, or --predictions FILE --format NAME",
        fix="give both; `coepg eval --formats` lists the formats",
    )


def score_predictions(
    path: Path, format_: str, gold: Path | None, options: list[str], json_: Path | None, seed: int
) -> None:
    """Read a result file, print its report, and write it as JSON where asked."""
    from coepg.cli.data_options import key_values
    from coepg.evaluate.predictions.base import ReadOptions
    from coepg.evaluate.predictions.registry import make_reader
    from coepg.evaluate.predictions.report_text import report_lines, report_record

    reader = make_reader(format_, ReadOptions(gold, key_values(options)))
    report = reader.report(reader.read(path), seed)
    typer.echo("\n".join(report_lines(report)))
    if json_ is not None:
        about = {"predictions": str(path), "format": format_, "seed": seed}
        write_json(json_, report_record(report, about))
        typer.echo(f"\nwrote {json_}")


def write_json(path: Path, record: dict[str, object]) -> None:
    """Write JSON whole or not at all.

    Raises:
        ConfigError: the folder does not exist, or the path is a folder.
    """
    import json

    if not path.parent.is_dir() or path.is_dir():
        raise ConfigError(
            f"--json {path}",
            found="a folder" if path.is_dir() else f"no folder {path.parent}",
            expected="a file in a folder that exists",
            fix="choose another path",
        )
    draft = path.with_name(path.name + ".part")
    draft.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(path)


def list_formats() -> None:
    """Print every format with its conventions."""
    from coepg.evaluate.predictions.registry import READERS, reader_class

    for name in sorted(READERS):
        form = reader_class(name).format
        typer.echo(f"{name}\n  {form.title}; {form.url}")
        typer.echo(f"  points: {form.point_unit}; boxes: {form.box_unit}, {form.box_order}")
        if form.gold:
            typer.echo(f"  --gold: {form.gold}")
        for key, text in form.options.items():
            typer.echo(f"  --option {key}=...: {text}")
