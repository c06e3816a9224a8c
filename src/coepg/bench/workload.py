"""What a GRPO benchmark does: the same model, prompts, lengths and reward for every side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

from coepg.errors import ConfigError
from coepg.models.local.load import save_local_parts
from coepg.models.tokenizer import shipped_tokenizer

TOKEN_PX = 28
"""Side of one image token of Qwen2.5-VL: patches of 14 px, merged 2 x 2."""


@dataclass(frozen=True, slots=True)
class GrpoWorkload:
    """One GRPO step: sampling, reward, reference, update.

    Attributes:
        image_tokens: of each screenshot; `image_grid` chooses the picture.
        group: answers per prompt.
        num_prompts: prompts a step.
        answer_tokens: every answer has exactly so many.
        steps: measured steps, after ``warmup`` others.
        warmup: steps that are run and not measured.
        width, text_layers, vision_layers: of the random Qwen2.5-VL model (the defaults give
            some 10 million parameters).
        kl_beta: weight of the KL term.
        seed: of weights, pictures and sampling.
        num_threads: of each side.
    """

    image_tokens: int = 300
    group: int = 7
    num_prompts: int = 2
    answer_tokens: int = 32
    steps: int = 3
    warmup: int = 1
    width: int = 256
    text_layers: int = 6
    vision_layers: int = 4
    kl_beta: float = 0.04
    seed: int = 0
    num_threads: int = 2


def image_grid(image_tokens: int) -> tuple[int, int]:
    """Rows and columns of a picture with this many tokens, as square as can be.

    Raises:
        ConfigError: no grid is at most four times as wide as high.

    Example:
        >>> image_grid(300), image_grid(48)
        ((15, 20), (6, 8))
    """
    rows = int(image_tokens**0.5)
    while rows > 1 and image_tokens % rows:
        rows -= 1
    if rows < 1 or image_tokens > 4 * rows * rows:
        raise ConfigError(
            "--image-tokens", found=str(image_tokens), expected="rows x columns of like size",
            fix="for example 48, 300 or 1200",
        )  # fmt: skip
    return rows, image_tokens // rows


def pictures(work: GrpoWorkload) -> list[Image.Image]:
    """One screenshot a prompt: coloured blocks."""
    rows, columns = image_grid(work.image_tokens)
    rng = np.random.default_rng(work.seed)
    small = rng.integers(0, 256, size=(work.num_prompts, rows, columns, 3), dtype=np.uint8)
    size = (columns * TOKEN_PX, rows * TOKEN_PX)
    return [Image.fromarray(s).resize(size, Image.Resampling.NEAREST) for s in small]


def reward_of(text: str) -> float:
    """A reward that both sides compute from the decoded answer: its share of vowels.

    Example:
        >>> reward_of("abe ")
        0.5
    """
    return sum(c in "aeiou" for c in text) / max(1, len(text))


def build_processor() -> Any:
    """The picture processor of Qwen2.5-VL."""
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import Qwen2VLImageProcessorPil

    return Qwen2VLImageProcessorPil(
        patch_size=14, merge_size=2, temporal_patch_size=2,
        size={"shortest_edge": 56 * 56, "longest_edge": 2_007_040},
    )  # fmt: skip


def write_model(work: GrpoWorkload, folder: Path) -> Path:
    """A random Qwen2.5-VL with the tiny models' vocabulary, as a model folder."""
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    tokenizer = shipped_tokenizer()
    ids = {name: tokenizer.convert_tokens_to_ids(f"<|{name}|>") for name in
           ("image_pad", "video_pad", "vision_start", "vision_end")}  # fmt: skip
    heads = max(1, work.width // 64)
    half = work.width // heads // 2
    section = [half - 2 * (3 * half // 8), 3 * half // 8, 3 * half // 8]
    text = {
        "vocab_size": len(tokenizer), "hidden_size": work.width,
        "intermediate_size": 4 * work.width, "num_hidden_layers": work.text_layers,
        "num_attention_heads": heads, "num_key_value_heads": heads,
        "tie_word_embeddings": True, "max_position_embeddings": 8192,
        "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": section},
        "bos_token_id": None, "eos_token_id": tokenizer.eos_token_id,
        "pad_token_id": tokenizer.pad_token_id,
    }  # fmt: skip
    vision = {
        "depth": work.vision_layers, "hidden_size": work.width, "out_hidden_size": work.width,
        "intermediate_size": 3 * work.width, "num_heads": heads, "patch_size": 14,
        "spatial_merge_size": 2, "temporal_patch_size": 2, "window_size": 112,
        "fullatt_block_indexes": [work.vision_layers - 1],
    }  # fmt: skip
    config = Qwen2_5_VLConfig(
        text_config=text, vision_config=vision, tie_word_embeddings=True,
        image_token_id=ids["image_pad"], video_token_id=ids["video_pad"],
        vision_start_token_id=ids["vision_start"], vision_end_token_id=ids["vision_end"],
    )  # fmt: skip
    config._attn_implementation = "sdpa"
    with torch.random.fork_rng():
        torch.manual_seed(work.seed)
        model = Qwen2_5_VLForConditionalGeneration(config)
    return save_local_parts(model, tokenizer, build_processor(), "qwen2_5_vl", folder)
