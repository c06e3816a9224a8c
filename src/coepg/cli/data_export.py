"""``coepg data export``: write a dataset as the rows of another training tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export(
    dataset: Annotated[str, typer.Argument(help="A shipped dataset's name, or a folder.")],
    format_: Annotated[str, typer.Option("--format", help="Format of the other tool.")],
    out: Annotated[Path, typer.Option(help="Folder of the rows.")],
    split: Annotated[
        list[str] | None, typer.Option(help="Only this split; may be given again.")
    ] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="Setting of one format, key=value; may be given again.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
) -> None:
    """Export a dataset for ms-swift, LLaMA-Factory, TRL or verl, all or nothing."""
    from coepg.cli.data_options import dataset_folder, key_values
    from coepg.data.exporters.registry import make_exporter
    from coepg.data.exporters.run import export_dataset
    from coepg.data.table import StepTable

    exporter = make_exporter(format_, key_values(option or []))
    table = StepTable.open(dataset_folder(dataset))
    counts = export_dataset(exporter, table, out, splits=split, overwrite=overwrite)
    each = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    typer.echo(f"wrote {out}: {sum(counts.values())} rows ({each})")
