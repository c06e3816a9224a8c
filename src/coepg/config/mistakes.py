"""Turn pydantic's findings into one readable `ConfigError`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from coepg.config.base import settings_classes
from coepg.config.hints import did_you_mean
from coepg.config.layers import Layers
from coepg.config.recipe import Recipe
from coepg.errors import ConfigError

_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text in quotes",
    "tuple_type": 'a list, such as ["a", "b"]',
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
}


def config_error(error: ValidationError, layers: Layers) -> ConfigError:
    """One error that explains the first mistake and lists the keys of the others."""
    details = error.errors(include_url=False)
    paths = [_locate(detail["loc"]) for detail in details]
    key, classes = paths[0]
    what = f"{layers.origin_of(key)}: " + (f"key {key!r}" if key else "settings that conflict")
    found, expected = _explain(details[0], key, classes)
    others = [path[0] or "conflicting settings" for path in paths[1:]]
    fix = f"mend it; also wrong: {', '.join(others)}" if others else ""
    return ConfigError(what, found=found, expected=expected, fix=fix)


def dotted_keys(cls: type[BaseModel] = Recipe, prefix: str = "") -> Iterator[str]:
    """All dotted keys of a settings class, names of free choice shown as ``*``."""
    for name, info in cls.model_fields.items():
        yield prefix + name
        for sub in settings_classes(info.annotation):
            star = "*." if _is_dict(info.annotation) else ""
            yield from dotted_keys(sub, f"{prefix}{name}.{star}")


def _explain(detail: ErrorDetails, key: str, classes: list[type[BaseModel]]) -> tuple[str, str]:
    kind, value = detail["type"], detail["input"]
    if kind == "extra_forbidden":
        return _unknown_key(key, classes)
    if kind in ("value_error", "assertion_error"):
        return str(detail["ctx"]["error"]), ""
    if kind == "missing":
        return "nothing", "a value; this key has no default"
    if kind == "union_tag_not_found":
        return "no key 'kind'", "kind = " + " or ".join(map(repr, _kinds(classes)))
    if kind == "union_tag_invalid":
        tag = str(detail["ctx"]["tag"])
        kinds = _kinds(classes)
        return f"kind = {tag!r}{did_you_mean(tag, kinds)}", " or ".join(map(repr, kinds))
    message = detail["msg"].removeprefix("Input should be ")
    expected = _EXPECTED.get(kind, message[:1].lower() + message[1:])
    hint = did_you_mean(value, _choices(expected)) if isinstance(value, str) else ""
    return f"{value!r}{hint}", expected


def _unknown_key(key: str, classes: list[type[BaseModel]]) -> tuple[str, str]:
    word = key.rpartition(".")[2]
    siblings = sorted({name for cls in classes for name in cls.model_fields})
    hint = did_you_mean(word, siblings)
    if not hint:
        elsewhere = [k for k in dotted_keys() if k.rpartition(".")[2] == word]
        hint = f"; did you mean {' or '.join(map(repr, elsewhere))}?" if elsewhere else ""
    return "an unknown key" + hint, f"one of {', '.join(siblings)}"


def _choices(expected: str) -> list[str]:
    return expected.split("'")[1::2]


def _kinds(classes: list[type[BaseModel]]) -> list[str]:
    return [str(cls.model_fields["kind"].default) for cls in classes if "kind" in cls.model_fields]


def _locate(loc: tuple[int | str, ...]) -> tuple[str, list[type[BaseModel]]]:
    """The dotted key of a location, and the settings classes that the last part belongs to.

    Locations of a union hold the chosen kind as a part of its own; a dotted key does not.
    """
    parts: list[str] = []
    holders: list[type[BaseModel]] = [Recipe]
    annotation: Any = Recipe
    in_dict = False
    for part in loc:
        classes = settings_classes(annotation)
        if not in_dict and len(classes) > 1 and part in _kinds(classes):
            annotation = next(c for c in classes if c.model_fields["kind"].default == part)
            continue
        if part == "[key]":
            continue
        parts.append(str(part))
        if in_dict:  # a name of free choice
            in_dict = False
            continue
        holders = classes or holders
        annotation = next(
            (c.model_fields[str(part)].annotation for c in holders if part in c.model_fields), None
        )
        in_dict = _is_dict(annotation)
    classes = settings_classes(annotation)
    return ".".join(parts), (classes if len(classes) > 1 else holders)


def _is_dict(annotation: Any) -> bool:
    return getattr(annotation, "__origin__", None) is dict
