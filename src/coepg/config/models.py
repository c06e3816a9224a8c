"""Models of a recipe: local folders, servers over HTTP, and the OCR grounder."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from coepg.config.base import OrNone, Settings
from coepg.errors import ConfigError


class LocalModelConfig(Settings):
    """A vision-language model that runs in this process and can be trained."""

    kind: Literal["local"] = "local"
    """The word "local"."""

    path: Annotated[str, Field(min_length=1)]
    """A shipped model's name ("tiny", "micro", or "random-nano": untrained, for checks) or a
    Hugging Face model folder, relative to the working directory."""

    profile: OrNone[Annotated[str, Field(min_length=1)]] = None
    """Prompt and coordinate profile; unset: found from the model's own configuration."""


class HttpModelConfig(Settings):
    """A model behind an OpenAI-compatible server (vLLM, SGLang, ...)."""

    kind: Literal["http"] = "http"
    """The word "http"."""

    base_url: Annotated[str, Field(pattern=r"^https?://\S+$")]
    """Address of the server's API, with its version: "http://localhost:8000/v1"."""

    model: Annotated[str, Field(min_length=1)]
    """The model's name at the server."""

    api_key_env: OrNone[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]] = None
    """Name of the environment variable that holds the key (never the key); unset: no key."""

    profile: OrNone[Annotated[str, Field(min_length=1)]] = None
    """Prompt and coordinate profile; unset: found from the model's name."""

    timeout_s: Annotated[float, Field(gt=0)] = 120.0
    """Seconds to wait for one answer before it counts as an infrastructure fault."""

    max_concurrency: Annotated[int, Field(ge=1)] = 16
    """Requests in flight at a time."""


class OcrModelConfig(Settings):
    """A grounder without a network: finds the text that a plan quotes by OCR and fuzzy match."""

    kind: Literal["ocr"] = "ocr"
    """The word "ocr"."""

    min_score: Annotated[float, Field(ge=0, le=1)] = 0.5
    """Least similarity (0..1) between plan and screen text for an answer; below it, no point."""


ModelConfig = Annotated[
    LocalModelConfig | HttpModelConfig | OcrModelConfig, Field(discriminator="kind")
]
"""A model, told apart by ``kind``."""


def model_from_text(text: str) -> LocalModelConfig | HttpModelConfig | OcrModelConfig:
    """A model as one writes it on the command line.

    ``ocr`` is the OCR grounder; ``http://host:8000/v1::name`` the model of that name at a server;
    anything else a shipped model's name or a model folder.

    Raises:
        ConfigError: a server without a model's name.

    Example:
        >>> model_from_text("http://localhost:8000/v1::Qwen/Qwen3-VL-8B-Instruct").model
        'Qwen/Qwen3-VL-8B-Instruct'
    """
    if text == "ocr":
        return OcrModelConfig()
    if not text.startswith(("http://", "https://")):
        if not text:
            raise ConfigError("model", found="an empty text", expected="a name, folder or address")
        return LocalModelConfig(path=text)
    base_url, separator, name = text.partition("::")
    if not separator or not name:
        raise ConfigError(
            f"model {text!r}",
            found="a server without the name of a model",
            expected="http://host:port/v1::model-name",
            fix="add :: and the name that the server gives the model",
        )
    return HttpModelConfig(base_url=base_url, model=name)
