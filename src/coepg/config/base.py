"""What all settings share: strict, frozen, no unknown keys, a documented unit for every field."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

T = TypeVar("T")


class Settings(BaseModel):
    """Base of every section of a recipe."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        use_attribute_docstrings=True,
        validate_default=True,
        allow_inf_nan=False,
    )


def _word_none(value: object) -> object:
    return None if value == "none" else value


OrNone = Annotated[T | None, BeforeValidator(_word_none)]
"""An optional setting. TOML has no null, so the word "none" unsets what a lower layer has set."""

Names = Annotated[tuple[str, ...], Field(strict=False)]
"""A list of names (TOML gives a list, settings keep a tuple)."""


def settings_classes(annotation: Any) -> list[type[BaseModel]]:
    """All settings classes inside an annotation, such as those of a dict or a union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [cls for arg in get_args(annotation) for cls in settings_classes(arg)]
