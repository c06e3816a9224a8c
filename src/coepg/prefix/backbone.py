"""Running a Qwen-VL model on packed rows, whatever wraps it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch

from coepg.errors import ModelError

Head = Callable[[torch.Tensor], torch.Tensor]
"""Hidden states to logits."""


def base_model(model: Any) -> Any:
    """The transformers model inside adapters and data-parallel wrappers."""
    while hasattr(model, "module") and isinstance(model.module, torch.nn.Module):
        model = model.module
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def forward_with_head(
    model: Any, inputs: dict[str, Any], head: Callable[[Head, torch.Tensor], torch.Tensor]
) -> torch.Tensor:
    """One forward pass of the outermost module, with another use of its output layer.

    Data-parallel wrappers, sharded modules and mixed precision live in hooks and patches of the
    outermost forward: calling an inner module would skip them without a word. So the pass starts
    at the top, and only what becomes of the last hidden states is exchanged.

    Args:
        model: a Qwen-VL model, perhaps wrapped.
        inputs: keyword arguments of its forward.
        head: gets the model's own output layer and the hidden states ``(rows, length, width)``.

    Returns:
        What ``head`` returns, in float32 if the wrapper makes it so.
    """
    layer = base_model(model).lm_head
    own: Head = layer.forward
    patched = layer.__dict__.get("forward")
    layer.forward = lambda hidden: head(own, hidden)
    try:
        output: torch.Tensor = model(**inputs).logits
    finally:
        if patched is None:
            del layer.forward  # the class's method shows again
        else:
            layer.forward = patched
    return output


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
