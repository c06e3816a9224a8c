"""``coepg synth``: draw synthetic screens for pre-training."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class Kind(str, Enum):
    """Kinds of synthetic screens."""

    SCREENS = "screens"
    SHEETS = "sheets"


def synth(
    out: Annotated[Path, typer.Option(help="Folder of the screens.")],
    num_screens: Annotated[int, typer.Option(min=1, help="How many screens.")] = 20_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the screens.")] = 0,
    kind: Annotated[
        Kind, typer.Option(help="Screens of widgets with tasks, or sheets of words to read.")
    ] = Kind.SCREENS,
) -> None:
    """Draw synthetic screens with elements, descriptions and small tasks, with a real Chromium.

    The same command again continues where it was stopped.
    """
    from coepg.evolve.console import RunConsole
    from coepg.synth.dataset import write_screens

    with RunConsole().stage("screens") as progress:
        paths = write_screens(out, num_screens, seed, progress=progress, kind=kind.value)
    typer.echo(f"wrote {len(paths)} files to {out}")
