"""Write a recipe as TOML, and name it by a hash of what changes results."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping

from coepg.config.recipe import Recipe

_BARE_KEY = re.compile(r"^[A-Za-z0-9_-]+$")


def dump_recipe(recipe: Recipe) -> str:
    """The recipe as TOML, every setting written out. Loads again to an equal recipe."""
    return "\n".join(_lines(recipe.model_dump(mode="python", exclude_none=True), ())) + "\n"


def recipe_hash(recipe: Recipe) -> str:
    """Hex SHA-256 of all settings that can change a result (not name, description, trackers)."""
    settings = recipe.model_dump(
        mode="json", exclude={"name": True, "description": True, "run": {"report_to"}}
    )
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def _lines(table: Mapping[str, object], path: tuple[str, ...]) -> Iterator[str]:
    tables = {k: v for k, v in table.items() if isinstance(v, Mapping)}
    values = {k: v for k, v in table.items() if k not in tables}
    if path and (values or not tables):
        yield f"\n[{'.'.join(_key(part) for part in path)}]"
    for key, value in values.items():
        yield f"{_key(key)} = {_value(value)}"
    for key, sub in tables.items():
        yield from _lines(sub, (*path, key))


def _key(key: str) -> str:
    return key if _BARE_KEY.match(key) else _string(key)


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    raise TypeError(f"a {type(value).__name__} has no TOML form here")


def _string(text: str) -> str:
    # JSON escapes are TOML escapes, except that TOML also wants DEL escaped.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
