"""``coepg recipes``: list the shipped recipes."""

from __future__ import annotations

import typer


def recipes() -> None:
    """List the shipped recipes."""
    from coepg.config import list_recipes

    found = list_recipes()
    width = max(map(len, found))
    for name, description in found.items():
        typer.echo(f"{name:<{width}}  {description}")
