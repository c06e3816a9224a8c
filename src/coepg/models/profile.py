"""Model profiles: the space a model answers in, its resize rule and its prompt style."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from coepg.errors import ModelError
from coepg.types import Frame, Size, Space

PromptStyle = Literal["tiny", "qwen_vl"]
PointFormat = Literal["loc_tokens", "xy_text"]


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What must be known of a model to ask it and to read its answer.

    Attributes:
        name: ``tiny``, ``qwen2_5_vl`` or ``qwen3_vl``.
        point_space: the space of the coordinates in its answers.
        point_format: ``loc_tokens`` (two tokens ``<loc_XX>``, a grid of 100 bins a side) or
            ``xy_text`` (``(x, y)`` in digits).
        prompt_style: which wording of `coepg.models.prompts` it gets.
        resize_factor_px: both sides of the processed picture are multiples of this
            (patch size times merge size).
        min_pixels: smallest area after the resize.
        max_pixels: largest area after the resize.
    """

    name: str
    point_space: Space
    point_format: PointFormat
    prompt_style: PromptStyle
    resize_factor_px: int
    min_pixels: int
    max_pixels: int

    def frame(self, image: Size) -> Frame:
        """The frame of a screenshot as this model processes it."""
        model = smart_resize(image, self.resize_factor_px, self.min_pixels, self.max_pixels)
        return Frame(image=image, model=model, device=None)

    def num_image_tokens(self, image: Size) -> int:
        """How many image tokens a screenshot costs."""
        model = smart_resize(image, self.resize_factor_px, self.min_pixels, self.max_pixels)
        return (model.width // self.resize_factor_px) * (model.height // self.resize_factor_px)


def smart_resize(image: Size, factor_px: int, min_pixels: int, max_pixels: int) -> Size:
    """The Qwen-VL resize rule: multiples of ``factor_px``, area within bounds, ratio kept.

    Sides are rounded to the nearest multiple (half to even, as Python's ``round``); if the area
    then leaves ``[min_pixels, max_pixels]`` both sides are scaled by the square root of the
    excess and rounded down (too large) or up (too small). A side below half of ``factor_px``
    rounds to 0, which makes the area too small.

    Raises:
        ModelError: one side is more than 200 times the other.
    """
    w, h = image.width, image.height
    if max(w, h) / min(w, h) > 200:
        raise ModelError(
            f"picture of {w}x{h} px",
            found=f"aspect ratio {max(w, h) / min(w, h):.0f}",
            expected="at most 200",
            fix="cut the picture into pieces first",
        )
    new_w = round(w / factor_px) * factor_px
    new_h = round(h / factor_px) * factor_px
    if new_w * new_h > max_pixels:
        scale = math.sqrt(w * h / max_pixels)
        new_w = max(factor_px, math.floor(w / scale / factor_px) * factor_px)
        new_h = max(factor_px, math.floor(h / scale / factor_px) * factor_px)
    elif new_w * new_h < min_pixels:
        scale = math.sqrt(min_pixels / (w * h))
        new_w = math.ceil(w * scale / factor_px) * factor_px
        new_h = math.ceil(h * scale / factor_px) * factor_px
    return Size(new_w, new_h)


PROFILES: dict[str, ModelProfile] = {
    "tiny": ModelProfile("tiny", Space.NORM1000, "loc_tokens", "tiny", 20, 20 * 20, 160 * 160),
    "qwen2_5_vl": ModelProfile(
        "qwen2_5_vl", Space.MODEL_PX, "xy_text", "qwen_vl", 28, 56 * 56, 2_007_040
    ),
    "qwen3_vl": ModelProfile(
        "qwen3_vl", Space.NORM1000, "xy_text", "qwen_vl", 32, 64 * 64, 2_097_152
    ),
}
"""The profiles that coepg knows."""


def get_profile(name: str) -> ModelProfile:
    """A profile by name.

    Raises:
        ModelError: no such profile; the text lists the known ones.
    """
    if name not in PROFILES:
        raise ModelError(
            "model profile",
            found=repr(name),
            expected=" or ".join(PROFILES),
            fix="name one of these",
        )
    return PROFILES[name]
