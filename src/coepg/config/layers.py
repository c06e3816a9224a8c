"""Layers of raw settings: TOML files that extend others, and ``key=value`` from the command line.

A layer is a nested dict. Each setting remembers which layer gave it, so that a mistake can name
its file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from coepg.config.hints import did_you_mean
from coepg.errors import ConfigError

Table = dict[str, object]


@dataclass
class Layers:
    """Merged raw settings and, per dotted key, where the setting came from."""

    table: Table = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    def add(self, layer: Table, origin: str) -> None:
        """Lay ``layer`` on top: tables merge, everything else replaces."""
        _merge(self.table, layer, (), origin, self.origins)

    def origin_of(self, key: str) -> str:
        """The layer that set a dotted key; for a table, the one that set anything in it last."""
        for candidate in reversed(self.origins):
            if not key or candidate == key or candidate.startswith(f"{key}."):
                return self.origins[candidate]
        return self.origin_of(key.rpartition(".")[0]) if key and self.origins else "recipe"


def _merge(
    below: Table, layer: Table, path: tuple[str, ...], origin: str, origins: dict[str, str]
) -> None:
    for key, value in layer.items():
        here = (*path, key)
        old = below.get(key)
        if isinstance(value, dict):
            if not isinstance(old, dict) or _other_kind(old, value):
                below[key] = old = {}
            _remember(origins, here, origin)
            _merge(old, value, here, origin, origins)
        else:
            below[key] = value
            _remember(origins, here, origin)


def _remember(origins: dict[str, str], path: tuple[str, ...], origin: str) -> None:
    key = ".".join(path)
    origins.pop(key, None)  # so that the order of the dict is the order of setting
    origins[key] = origin


def _other_kind(old: Table, new: Table) -> bool:
    """A model whose kind changes starts afresh: its old settings mean nothing to the new kind."""
    return "kind" in new and new["kind"] != old.get("kind")


def shipped_recipes() -> dict[str, str]:
    """The text of every shipped recipe, by name."""
    folder = files("coepg") / "recipes"
    found = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return {
        entry.name.removesuffix(".toml"): entry.read_text(encoding="utf-8")
        for entry in found
        if entry.name.endswith(".toml")
    }


def read_layers(name_or_path: str | Path) -> Layers:
    """The layers of a recipe: what it extends first, itself last."""
    layers = Layers()
    for origin, table in reversed(_chain(str(name_or_path), None, ())):
        layers.add(table, origin)
    return layers


def parse_toml(text: str, origin: str) -> Table:
    """TOML text as a dict.

    Raises:
        ConfigError: the text is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(
            f"{origin}: not a TOML file",
            found=str(error),
            expected="lines such as  key = value  and  [section]",
            fix="mend the line; text needs quotes, true and false are lower case",
        ) from None


def parse_override(assignment: str) -> tuple[Table, str]:
    """``a.b=value`` as a nested dict and its origin. The value is TOML, or else plain text.

    Example:
        >>> parse_override("grpo.max_steps=5")
        ({'grpo': {'max_steps': 5}}, '--set grpo.max_steps=5')
    """
    origin = f"--set {assignment}"
    key, equals, text = assignment.partition("=")
    parts = [part.strip() for part in key.split(".")]
    if not equals or not all(parts):
        raise ConfigError(origin, found=repr(assignment), expected="section.key=value")
    try:
        value: object = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    for part in reversed(parts):
        value = {part: value}
    assert isinstance(value, dict)
    return value, origin


def _chain(name: str, base: Path | None, seen: tuple[str, ...]) -> list[tuple[str, Table]]:
    """The recipe and what it extends, nearest first, as (origin, table)."""
    origin, text, folder = _find(name, base, seen)
    if origin in seen:
        raise ConfigError(
            f"{seen[-1]}: key 'extends'",
            found=" -> ".join([*seen, origin]),
            expected="a chain of recipes that ends",
        )
    table = parse_toml(text, origin)
    parent = table.pop("extends", None)
    if parent is None:
        return [(origin, table)]
    if not isinstance(parent, str):
        raise ConfigError(
            f"{origin}: key 'extends'", found=repr(parent), expected="a recipe's name or file"
        )
    return [(origin, table), *_chain(parent, folder, (*seen, origin))]


def _find(name: str, base: Path | None, seen: tuple[str, ...]) -> tuple[str, str, Path | None]:
    """Origin, text and folder of a recipe given by file or by shipped name."""
    if name.endswith(".toml") or "/" in name or "\\" in name:
        path = (base or Path()) / name
        try:
            return str(path), path.read_text(encoding="utf-8"), path.parent
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"recipe file {path}" + (f" (extended by {seen[-1]})" if seen else ""),
                found=getattr(error, "strerror", None) or "not UTF-8 text",
                expected="a readable TOML file",
            ) from None
    shipped = shipped_recipes()
    if name not in shipped:
        raise ConfigError(
            f"recipe {name!r}" + (f" (extended by {seen[-1]})" if seen else ""),
            found="no shipped recipe of this name" + did_you_mean(name, shipped),
            expected=f"one of {', '.join(shipped)}, or a file ending in .toml",
        )
    return f"{name}.toml (shipped)", shipped[name], None


def add_overrides(layers: Layers, overrides: Sequence[str]) -> None:
    """Lay command-line settings on top, in order."""
    for assignment in overrides:
        table, origin = parse_override(assignment)
        layers.add(table, origin)
