"""``coepg evolve``: run the whole loop of a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def evolve(
    recipe: Annotated[
        str, typer.Option(help="A shipped recipe's name (see `coepg recipes`) or a TOML file.")
    ] = "default",
    run: Annotated[
        Path | None, typer.Option(help="The run's folder; default runs/<name of the recipe>.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Same as --set run.seed=N.")] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a setting: grpo.max_steps=5."),
    ] = None,
    reuse: Annotated[
        list[Path] | None,
        typer.Option(help="Another run whose finished stages of equal inputs are copied."),
    ] = None,
    profile: Annotated[
        bool,
        typer.Option("--profile", help="Same as --set run.profile=true: traces, table of stages."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print every setting as TOML, and stop.")
    ] = False,
) -> None:
    """Train planner and grounder by Co-EPG: SFT, GRPO, new data, again.

    The run is a folder. The same command again continues an interrupted run; nothing that is
    finished is done twice.
    """
    from coepg.config import dump_recipe, load_recipe

    overrides = list(set_ or [])
    if seed is not None:
        overrides.append(f"run.seed={seed}")
    if profile:
        overrides.append("run.profile=true")
    settings = load_recipe(recipe, overrides)
    if dry_run:
        typer.echo(dump_recipe(settings), nl=False)
        return
    from coepg.evolve.run import evolve as run_loop

    run_loop(settings, run or Path("runs") / settings.name, reuse=tuple(reuse or ()))
