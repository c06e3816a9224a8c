"""Read recipes: defaults, then files, then ``--set``; every mistake is a `ConfigError`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from coepg.config.layers import Layers, add_overrides, parse_toml, read_layers, shipped_recipes
from coepg.config.mistakes import config_error
from coepg.config.recipe import Recipe


def load_recipe(name_or_path: str | Path = "default", overrides: Sequence[str] = ()) -> Recipe:
    """The recipe of a shipped name or a TOML file, with ``section.key=value`` settings on top.

    A file may begin with ``extends = "name or file"``; a relative file is looked up beside it.

    Raises:
        ConfigError: names the file, the key, what was found and what was expected.

    Example:
        >>> load_recipe("default", ["grpo.max_steps=5"]).grpo.max_steps
        5
    """
    layers = read_layers(name_or_path)
    add_overrides(layers, overrides)
    return _build(layers)


def parse_recipe(text: str, origin: str = "recipe") -> Recipe:
    """The recipe that TOML text describes completely (as `dump_recipe` writes it)."""
    layers = Layers()
    layers.add(parse_toml(text, origin), origin)
    return _build(layers)


def list_recipes() -> dict[str, str]:
    """The description of every shipped recipe, by name."""
    return {
        name: str(parse_toml(text, f"{name}.toml").get("description", ""))
        for name, text in shipped_recipes().items()
    }


def _build(layers: Layers) -> Recipe:
    try:
        return Recipe.model_validate(layers.table)
    except ValidationError as error:
        raise config_error(error, layers) from None
