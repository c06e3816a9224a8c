"""``coepg data``: record, import, export and count datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from coepg.cli.data_check import check, show
from coepg.cli.data_export import export
from coepg.cli.data_import import import_

app = typer.Typer(help="Record, import, export, check and count datasets.", no_args_is_help=True)
record = typer.Typer(help="Record a dataset from its source.", no_args_is_help=True)
app.add_typer(record, name="record")
app.command("import")(import_)
app.command("export")(export)
app.command("check")(check)
app.command("show")(show)


@record.command("miniwob")
def record_miniwob(
    out: Annotated[Path, typer.Option(help="Folder of the new dataset.")],
    seed: Annotated[int, typer.Option(help="Seed of the episodes.")] = 0,
    scale: Annotated[float, typer.Option(help="Share of the full number of episodes.")] = 1.0,
    task: Annotated[
        list[str] | None, typer.Option(help="Only this task; may be given again.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
) -> None:
    """Record MiniWoB++ episodes that the pages themselves rewarded, with a real Chromium.

    The same command again continues an interrupted recording.
    """
    from coepg.data.miniwob.record import record_dataset

    record_dataset(
        out,
        seed=seed,
        tasks=task,
        scale=scale,
        progress=lambda line: typer.echo(line, err=True),
        overwrite=overwrite,
    )
    typer.echo(f"wrote {out}")


@app.command()
def stats(
    dataset: Annotated[str, typer.Argument(help="A shipped dataset's name, or a folder.")],
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Count steps, episodes, tasks and action types of each split."""
    from coepg.cli.data_options import dataset_folder
    from coepg.data.stats import dataset_stats
    from coepg.data.table import StepTable

    counts = dataset_stats(StepTable.open(dataset_folder(dataset)))
    if json_:
        import json

        typer.echo(json.dumps(counts, indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(stats_lines(counts)))


def stats_lines(counts: dict[str, Any]) -> list[str]:
    """The counts of `coepg.data.stats.dataset_stats` as a table for people."""
    head = f"{'split':<12}{'steps':>8}{'episodes':>10}{'images':>8}{'tasks':>7}  action types"
    rows = [
        f"{split:<12}{found['steps']:>8}{found['episodes']:>10}{found['images']:>8}"
        f"{len(found['tasks']):>7}  "
        + ", ".join(f"{kind} {number}" for kind, number in found["action_types"].items())
        for split, found in counts["splits"].items()
    ]
    return [f"dataset {counts['name']}", head, *rows]
