"""``coepg eval``: scores with definitions and intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def eval_(
    predictions: Annotated[
        Path | None, typer.Option(help="Result file that another script wrote.")
    ] = None,
    format_: Annotated[
        str | None, typer.Option("--format", help="Format of the result file; see --formats.")
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(help="Gold data, for formats whose files do not hold it.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="Setting of one format, key=value; may be given again.")
    ] = None,
    json_: Annotated[
        Path | None, typer.Option("--json", help="Write the report to this file as JSON, too.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the bootstrap intervals.")] = 0,
    formats: Annotated[bool, typer.Option("--formats", help="List the formats and stop.")] = False,
) -> None:
    """Score stored answers of a benchmark, with the definition and interval of every number."""
    from coepg.errors import ConfigError

    if formats:
        list_formats()
    elif predictions is not None and format_ is not None:
        score_predictions(predictions, format_, gold, option or [], json_, seed)
    else:
        given = "--format" if format_ is not None else "--predictions" if predictions else "neither"
        raise ConfigError(
            "coepg eval",
            found=f"{given} alone" if given != "neither" else "neither --predictions nor --format",
            expected="--predictions FILE --format NAME",
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

    from coepg.errors import ConfigError

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
