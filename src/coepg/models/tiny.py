"""Tiny Qwen-VL models: transformers' own classes at a few million parameters.

Initialisation decides whether so small a model learns to see at all: with transformers' defaults
(standard deviation 0.02 everywhere) it stays at chance. Weights here have the standard deviation
``1/sqrt(fan_in)`` at the patch projection and ``1/sqrt(width)`` in the blocks; pictures are scaled
so that a white page is near 0. Places start as sine waves, both in the vision tower's position
table and in the ``<loc_XX>`` tokens: as many random position vectors as the tower has dimensions
would drown the letters, and looking up what stands at a place is learned sooner where near places
are alike.

Every 10 px patch is a token of its own (no merging): in a merged token of 20 px up to seven
letters of two lines share a vector, and a tower of this size does not keep them apart.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import torch

from coepg.models.tokenizer import LOC_TOKENS

Architecture = Literal["qwen3_vl", "qwen2_5_vl"]

IMAGE_MEAN = (0.9, 0.9, 0.9)
IMAGE_STD = (0.4, 0.4, 0.4)
PATCH_SIZE_PX = 10
MERGE = 1
GRID = 16
"""Patches a side of a 160 px screen: the size of the learned position table."""


@dataclass(frozen=True, slots=True)
class TinySize:
    """Widths and depths. All heads are 32 wide (16 in ``nano``)."""

    vision_width: int
    vision_depth: int
    text_width: int
    text_depth: int
    text_intermediate: int
    head_dim: int = 32


SIZES: dict[str, TinySize] = {
    "tiny": TinySize(128, 4, 192, 6, 512),
    "micro": TinySize(96, 3, 128, 5, 384),
    "nano": TinySize(32, 2, 32, 2, 64, head_dim=16),
}
"""``tiny`` is the embedded default, ``micro`` the other ensemble member, ``nano`` for tests."""


def build_config(size: str, tokenizer: Any, architecture: Architecture = "qwen3_vl") -> Any:
    """The transformers config of a tiny model for this tokenizer."""
    from transformers import Qwen2_5_VLConfig, Qwen3VLConfig

    s = SIZES[size]
    ids = {name: tokenizer.convert_tokens_to_ids(f"<|{name}|>") for name in
           ("image_pad", "video_pad", "vision_start", "vision_end")}  # fmt: skip
    section = [s.head_dim // 2 - 2 * (s.head_dim // 6), s.head_dim // 6, s.head_dim // 6]
    rope: dict[str, Any] = {
        "rope_type": "default",
        "rope_theta": 10_000.0,
        "mrope_section": section,
    }
    if architecture == "qwen3_vl":
        rope["mrope_interleaved"] = True
    text: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": s.text_width,
        "intermediate_size": s.text_intermediate,
        "num_hidden_layers": s.text_depth,
        "num_attention_heads": s.text_width // s.head_dim,
        "num_key_value_heads": s.text_width // s.head_dim,
        "max_position_embeddings": 4096,
        "initializer_range": s.text_width**-0.5,
        "rope_parameters": rope,
        "tie_word_embeddings": True,
        "bos_token_id": None,
        "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }
    vision: dict[str, Any] = {
        "depth": s.vision_depth,
        "hidden_size": s.vision_width,
        "intermediate_size": 3 * s.vision_width,
        "num_heads": s.vision_width // s.head_dim,
        "patch_size": PATCH_SIZE_PX,
        "spatial_merge_size": MERGE,
        "temporal_patch_size": 1,
        "out_hidden_size": s.text_width,
        "initializer_range": s.vision_width**-0.5,
    }
    common: dict[str, Any] = {
        "image_token_id": ids["image_pad"],
        "video_token_id": ids["video_pad"],
        "vision_start_token_id": ids["vision_start"],
        "vision_end_token_id": ids["vision_end"],
        "tie_word_embeddings": True,
    }
    if architecture == "qwen3_vl":
        text["head_dim"] = s.head_dim
        vision |= {"num_position_embeddings": GRID * GRID, "deepstack_visual_indexes": []}
        return Qwen3VLConfig(text_config=text, vision_config=vision, **common)
    vision |= {
        "window_size": PATCH_SIZE_PX * MERGE * 4,
        "fullatt_block_indexes": list(range(s.vision_depth)),
    }
    return Qwen2_5_VLConfig(text_config=text, vision_config=vision, **common)


def build_model(
    size: str, tokenizer: Any, *, seed: int, architecture: Architecture = "qwen3_vl"
) -> torch.nn.Module:
    """A randomly initialised tiny model (see the module's text for the initialisation)."""
    from transformers import Qwen2_5_VLForConditionalGeneration, Qwen3VLForConditionalGeneration

    config = build_config(size, tokenizer, architecture)
    config._attn_implementation = "sdpa"
    cls = (
        Qwen3VLForConditionalGeneration
        if architecture == "qwen3_vl"
        else Qwen2_5_VLForConditionalGeneration
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model: torch.nn.Module = cls(config)
        _initialise(model)
        _place_codes(model, tokenizer)
    return model


def _initialise(model: torch.nn.Module) -> None:
    for name, parameter in model.named_parameters():
        if "patch_embed.proj.weight" in name:
            fan_in = parameter[0].numel()
            torch.nn.init.normal_(parameter, std=fan_in**-0.5)
        elif parameter.dim() == 2 and "embed_tokens" not in name:
            torch.nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)
        elif "embed_tokens" in name:
            # Tied with the output head: larger values start with over-confident answers.
            torch.nn.init.normal_(parameter, std=parameter.shape[1] ** -0.5)


def sine_code(place: torch.Tensor, num_waves: int) -> torch.Tensor:
    """Sine and cosine of ``num_waves`` frequencies, half a wave to 8 waves a screen.

    Args:
        place: ``(n,)`` in 0..1, from one edge of the screen to the other.
        num_waves: frequencies, evenly spaced in their logarithm.

    Returns:
        ``(n, 2 * num_waves)``.
    """
    frequency = math.pi * 2.0 ** torch.linspace(0, 4, num_waves)
    angle = place[:, None] * frequency
    return torch.cat([angle.sin(), angle.cos()], dim=1)


@torch.no_grad()
def _place_codes(model: Any, tokenizer: Any) -> None:
    """Writes the sine codes of places into the position table and the ``<loc_XX>`` tokens."""
    table = model.get_input_embeddings().weight
    width = table.shape[1]
    ids = tokenizer.convert_tokens_to_ids(list(LOC_TOKENS))
    code = sine_code((torch.arange(len(ids)) + 0.5) / len(ids), width // 8)
    table[ids] *= 0.5
    table[ids, : code.shape[1]] += code * width**-0.5
    positions = getattr(model.model.visual, "pos_embed", None)
    if positions is None:  # Qwen2.5-VL has rotary positions only
        return
    width = positions.weight.shape[1]
    line = sine_code((torch.arange(GRID) + 0.5) / GRID, width // 12)
    n = line.shape[1]
    grid = positions.weight.zero_().view(GRID, GRID, width)
    grid[:, :, :n] = line[None, :]
    grid[:, :, n : 2 * n] = line[:, None]


def build_image_processor() -> Any:
    """The picture processor of the tiny models: no resize of a 160 x 160 px screen."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    from coepg.models.profile import PROFILES

    profile = PROFILES["tiny"]
    return Qwen2VLImageProcessorPil(
        patch_size=PATCH_SIZE_PX,
        merge_size=MERGE,
        temporal_patch_size=1,
        size={"shortest_edge": profile.min_pixels, "longest_edge": profile.max_pixels},
        image_mean=list(IMAGE_MEAN),
        image_std=list(IMAGE_STD),
        do_convert_rgb=True,
    )
