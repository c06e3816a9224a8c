"""Write docs/reference/recipe.md from the settings classes. Run it after changing a setting."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from coepg.config import Recipe
from coepg.config.base import settings_classes

PATH = Path(__file__).parent.parent / "docs" / "reference" / "recipe.md"
HEAD = """# Recipe reference

Every setting, by its section. Written by `tools/recipe_reference.py` from the classes in
`coepg.config`; do not edit. `*` stands for a name of your choice. Defaults are those of a recipe
that extends nothing; `coepg evolve --recipe NAME --dry-run` prints the values of a shipped one.
The word `"none"` unsets an optional setting.
"""


def type_text(annotation: Any) -> str:
    origin, args = get_origin(annotation), get_args(annotation)
    if hasattr(annotation, "__metadata__"):
        return type_text(args[0])
    if origin is Literal:
        return ", ".join(json.dumps(arg) for arg in args)
    if origin in (Union, UnionType):
        known = [type_text(arg) for arg in args if arg is not NoneType]
        return " or ".join(known) + (", optional" if NoneType in args else "")
    if origin is tuple:
        return f"list of {type_text(args[0])}"
    if origin is dict:
        return f"table of {type_text(args[1])}"
    names = {int: "whole number", float: "number", str: "text", bool: "true or false"}
    return names.get(annotation, annotation.__name__)


def default_text(info: FieldInfo) -> str:
    value = info.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "required"
    return "unset" if value is None else f"`{json.dumps(value)}`"


def section(cls: type[BaseModel], key: str) -> Iterator[str]:
    subsections: list[tuple[type[BaseModel], str]] = []
    title = f"`[{key}]`" if key else "Top level"
    if "kind" in cls.model_fields:
        title += f', kind "{cls.model_fields["kind"].default}"'
    yield f"\n## {title}\n"
    yield (cls.__doc__ or "").replace("``", "`").rstrip() + "\n"
    for name, info in cls.model_fields.items():
        inner = settings_classes(info.annotation)
        text = " ".join((info.description or "").split())
        if inner:
            star = ".*" if get_origin(info.annotation) is dict else ""
            subsections += [(c, f"{key}.{name}{star}".lstrip(".")) for c in inner]
            yield f"- **`{name}`** (table): {text}"
        else:
            yield (f"- **`{name}`** ({type_text(info.annotation)}; {default_text(info)}): {text}")
    for sub, sub_key in subsections:
        yield from section(sub, sub_key)


def page() -> str:
    lines = [line.rstrip() for part in section(Recipe, "") for line in part.split("\n")]
    return HEAD + "\n".join(line.removeprefix("    ") for line in lines) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PATH.read_text(encoding="utf-8") != page())
    PATH.write_text(page(), encoding="utf-8")
