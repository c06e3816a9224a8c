"""Members from their settings: one place that knows every kind of model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coepg.config.models import HttpModelConfig, LocalModelConfig, ModelConfig, OcrModelConfig
from coepg.errors import ConfigError
from coepg.models.base import Actor, Describer, Grounder, ImageStore, Observation, Planner

if TYPE_CHECKING:
    from coepg.models.local import LocalModel


def build_grounder(
    name: str, config: ModelConfig, images: ImageStore, *, local: LocalModel | None = None,
    batch_size: int = 16, needs_confidence: bool = True,
) -> Grounder:  # fmt: skip
    """A grounder; ``local`` is the loaded model of a local one.

    ``needs_confidence``: a server without usable log-probabilities is refused.
    """
    if isinstance(config, OcrModelConfig):
        from coepg.models.ocr import OcrGrounder

        return OcrGrounder(images, name=name, min_score=config.min_score)
    if isinstance(config, HttpModelConfig):
        from coepg.models.http import HttpGrounder

        return HttpGrounder(config, images, name=name, needs_confidence=needs_confidence)
    from coepg.models.local import LocalGrounder

    return LocalGrounder(_loaded(config, local), images, name=name, batch_size=batch_size)


def build_planner(
    name: str, config: ModelConfig, images: ImageStore, *, local: LocalModel | None = None,
    observation: Observation, batch_size: int = 16,
) -> Planner:  # fmt: skip
    """A planner; OCR cannot plan."""
    if isinstance(config, OcrModelConfig):
        raise ConfigError(f"planner {name!r}", found="kind ocr", expected="kind local or http")
    if isinstance(config, HttpModelConfig):
        from coepg.models.http import HttpPlanner

        return HttpPlanner(config, images, observation, name=name)
    from coepg.models.local import LocalPlanner

    return LocalPlanner(
        _loaded(config, local), images, observation, name=name, batch_size=batch_size
    )


def build_actor(
    name: str, config: ModelConfig, images: ImageStore, *, observation: Observation,
    batch_size: int = 16,
) -> Actor:  # fmt: skip
    """An end-to-end model; only local ones answer in its format."""
    if not isinstance(config, LocalModelConfig):
        raise ConfigError(
            f"actor {name!r}", found=f"kind {config.kind}", expected="kind local",
            fix="name the folder of a model that was trained end to end",
        )  # fmt: skip
    from coepg.models.local import LocalActor

    return LocalActor(_loaded(config, None), images, observation, name=name, batch_size=batch_size)


def build_describer(
    name: str, config: ModelConfig, images: ImageStore, *, local: LocalModel | None = None,
    observation: Observation | None = None, batch_size: int = 16,
) -> Describer:  # fmt: skip
    """A describer of gold elements; it needs no observation besides the picture."""
    if isinstance(config, OcrModelConfig):
        from coepg.models.ocr import OcrDescriber

        return OcrDescriber(images, name=name)
    if isinstance(config, HttpModelConfig):
        from coepg.models.http import HttpDescriber

        return HttpDescriber(config, images, name=name)
    from coepg.models.local import LocalDescriber

    return LocalDescriber(_loaded(config, local), images, name=name, batch_size=batch_size)


def _loaded(config: LocalModelConfig, local: LocalModel | None) -> LocalModel:
    if local is not None:
        return local
    from coepg.models.local import load_local

    return load_local(config.path, profile=config.profile)
