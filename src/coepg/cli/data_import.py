"""``coepg data import``: turn somebody's annotated steps into the project's Step table."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

MANY_BAD = 0.05
"""Share of bad records from which the source itself is in doubt: a box of the other order often
lies inside its picture, so the rows that were not refused may be wrong too."""


class CropChoice(str, Enum):
    """How large pictures are cut."""

    NONE = "none"
    BLOCKS = "blocks"
    AROUND = "around"


def import_(
    source: Annotated[Path, typer.Argument(help="File or folder of the source.")],
    format_: Annotated[str, typer.Option("--format", help="Format of the source.")],
    out: Annotated[Path, typer.Option(help="Folder of the new dataset.")],
    images: Annotated[
        Path | None, typer.Option(help="Folder of the pictures, if they come apart.")
    ] = None,
    split: Annotated[
        str | None, typer.Option(help="Name of the split, or which of the source's to take.")
    ] = None,
    crop: Annotated[
        CropChoice, typer.Option(help="Cut large pictures: overlapping blocks, or around targets.")
    ] = CropChoice.NONE,
    crop_size: Annotated[
        str, typer.Option(help="WIDTHxHEIGHT of a block in pixels.")
    ] = "1280x1000",
    limit: Annotated[int | None, typer.Option(min=1, help="Only this many records.")] = None,
    option: Annotated[
        list[str] | None, typer.Option(help="Setting of one format, key=value; may be given again.")
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Set bad records aside in a file that says why.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
) -> None:
    """Import a public or own dataset into a dataset folder, all or nothing."""
    from coepg.cli.data_options import key_values, width_height
    from coepg.data.crop import Crop
    from coepg.data.importers.base import ImportOptions
    from coepg.data.importers.registry import make_importer
    from coepg.data.importers.run import import_dataset

    width_px, height_px = width_height(crop_size, "--crop-size")
    chosen = None
    if crop is CropChoice.BLOCKS:
        chosen = Crop("blocks", width_px, height_px)
    elif crop is CropChoice.AROUND:
        chosen = Crop("around", width_px, height_px, overlap_px=0)
    importer = make_importer(format_, ImportOptions(images, split, key_values(option or [])))
    report = import_dataset(
        importer, source, out, crop=chosen, keep_going=keep_going, limit=limit, overwrite=overwrite
    )
    counts = ", ".join(f"{name} {count}" for name, count in sorted(report.steps.items()))
    typer.echo(f"wrote {out}: {report.num_steps} steps ({counts})")
    if report.left_out:
        reasons = ", ".join(f"{name} {count}" for name, count in sorted(report.left_out.items()))
        typer.echo(f"left out, to be scored as failed: {reasons} (listed in left_out.jsonl)")
    if report.num_set_aside:
        typer.echo(f"set aside {report.num_set_aside} bad records: {report.set_aside_path}")
        if report.num_set_aside > MANY_BAD * report.num_records:
            typer.echo("These are many: check --format, and the unit and order of boxes.", err=True)
