"""Small random models of both architectures, with the features that trip shared prefixes."""

from __future__ import annotations

import numpy as np
import torch
from PIL import Image

from coepg.models.local.load import LocalModel, from_parts
from coepg.models.tiny import build_config, build_image_processor
from coepg.models.tokenizer import train_tokenizer

ARCHITECTURES = ("qwen3_vl", "qwen2_5_vl")
TEXTS = ["click the button Save", "type bob into the field Name", "select Red in the list Colour"]


def random_model(architecture: str, seed: int = 0) -> LocalModel:
    """Grouped query heads; deepstack features (Qwen3-VL); windowed vision layers (Qwen2.5-VL)."""
    import transformers

    tokenizer = train_tokenizer(TEXTS, 64)
    config = build_config("nano", tokenizer, architecture)
    config.text_config.num_attention_heads = 4
    config.text_config.num_key_value_heads = 2
    config.text_config.hidden_size = config.vision_config.out_hidden_size = 64
    if architecture == "qwen3_vl":
        config.vision_config.deepstack_visual_indexes = [0]
        cls = transformers.Qwen3VLForConditionalGeneration
    else:
        config.vision_config.fullatt_block_indexes = [1]
        cls = transformers.Qwen2_5_VLForConditionalGeneration
    config._attn_implementation = "sdpa"
    torch.manual_seed(seed)
    model = cls(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.dim() >= 2:
                # Far from transformers' near-zero start: differences must show in the outputs.
                parameter.normal_(std=1.5 * parameter[0].numel() ** -0.5)
            elif name.endswith("bias"):
                parameter.normal_(std=0.1)
    return from_parts(model, tokenizer, build_image_processor(), "tiny", f"random-{architecture}")


def random_picture(width: int, height: int, seed: int) -> Image.Image:
    """Coloured noise in blocks."""
    rng = np.random.default_rng(seed)
    small = rng.integers(0, 256, size=(height // 10 + 1, width // 10 + 1, 3), dtype=np.uint8)
    return Image.fromarray(small).resize((width, height), Image.Resampling.NEAREST)
