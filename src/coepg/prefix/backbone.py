"""Running a Qwen-VL model on packed rows, whatever wraps it."""

from __future__ import annotations

import inspect
from typing import Any

import torch

from coepg.errors import ModelError


def base_model(model: Any) -> Any:
    """The transformers model inside adapters and data-parallel wrappers."""
    while hasattr(model, "module") and isinstance(model.module, torch.nn.Module):
        model = model.module
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def needs_own_forward(model: Any) -> bool:
    """Whether gradients are only right if the outermost module's forward is called.

    Data-parallel wrappers and sharded modules gather weights and reduce gradients in hooks of
    their own forward; calling an inner module skips them.
    """
    wrapped = hasattr(model, "module") and isinstance(model.module, torch.nn.Module)
    return wrapped or any(cls.__name__ == "FSDPModule" for cls in type(model).__mro__)


def attention_mask(model: Any, visible: torch.Tensor) -> torch.Tensor:
    """A boolean mask in the form that the model's attention takes.

    Raises:
        ModelError: the model's attention takes no arbitrary masks.
    """
    base = base_model(model)
    kind = base.config._attn_implementation
    if kind == "sdpa":
        return visible
    if kind == "eager":
        dtype = base.get_input_embeddings().weight.dtype
        hidden = torch.finfo(dtype).min
        return torch.zeros(visible.shape, dtype=dtype, device=visible.device).masked_fill(
            ~visible, hidden
        )
    raise ModelError(
        "attention of the model",
        found=repr(kind),
        expected="'sdpa' or 'eager'",
        fix="load the model with attn_implementation='sdpa'; packed prompts need arbitrary masks",
    )


def cache_argument(model: Any) -> str:
    """What this version of transformers calls the KV cache in a model's forward."""
    names = inspect.signature(base_model(model).model.forward).parameters
    return "cache" if "cache" in names else "past_key_values"
