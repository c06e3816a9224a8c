"""Load and save a vision-language model with its tokenizer and picture processor.

A model folder holds what transformers writes (``config.json``, ``*.safetensors``, tokenizer
files, ``preprocessor_config.json``) and ``coepg.json``, which names the profile.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from PIL import Image

from coepg.errors import ModelError
from coepg.models.local.folder import (
    FORMAT_VERSION,
    MODEL_CLASSES,
    SHIPPED,
    load_image_processor,
    load_tokenizer,
    load_weights,
    model_folder,
    named_profile,
    read_json,
    require_file,
)
from coepg.models.profile import ModelProfile, get_profile
from coepg.models.prompts import Prompt
from coepg.types import Frame, Size

RANDOM_NANO = "random-nano"

_IMAGE_PAD = "<|image_pad|>"
_END = "<|im_end|>"


@dataclass(slots=True)
class LocalModel:
    """A model in this process and everything needed to ask it.

    Attributes:
        model: a Qwen2.5-VL or Qwen3-VL model of transformers.
        tokenizer: its tokenizer, with a chat template.
        image_processor: turns a picture into patches.
        profile: how the model answers; its resize bounds are those of ``image_processor``.
        name: for logs and reports.
    """

    model: Any
    tokenizer: Any
    image_processor: Any
    profile: ModelProfile
    name: str

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        device: torch.device = next(self.model.parameters()).device
        return device

    @property
    def image_token_id(self) -> int:
        """The placeholder that stands for one merged patch."""
        return int(self.model.config.image_token_id)

    @property
    def merge(self) -> int:
        """Patches a side that become one token."""
        return int(self.image_processor.merge_size)

    @property
    def pad_id(self) -> int:
        """Fills short rows; never seen by any other token."""
        pad = self.tokenizer.pad_token_id
        return int(pad if pad is not None else self.end_id)

    @property
    def end_id(self) -> int:
        """The end of a chat message."""
        return int(self.tokenizer.convert_tokens_to_ids(_END))

    @property
    def eos_ids(self) -> frozenset[int]:
        """Every id that ends an answer."""
        listed = getattr(self.model.generation_config, "eos_token_id", None)
        ids = listed if isinstance(listed, list) else [listed]
        return frozenset(
            int(i) for i in (*ids, self.tokenizer.eos_token_id, self.end_id) if i is not None
        )

    def frame(self, image: Size) -> Frame:
        """The frame of a screenshot as this model really processes it."""
        return self.profile.frame(image)

    def encode_image(self, image: Image.Image) -> tuple[torch.Tensor, torch.Tensor, Size]:
        """A picture as patches.

        Returns:
            ``(num_patches, patch_dim)`` float32, the ``(1, 3)`` patch grid, and the size of the
            picture after the model's resize.
        """
        encoded = self.image_processor(images=[image.convert("RGB")], return_tensors="pt")
        grid = encoded["image_grid_thw"]
        patch_px = int(self.image_processor.patch_size)
        size = Size(int(grid[0, 2]) * patch_px, int(grid[0, 1]) * patch_px)
        return encoded["pixel_values"].float(), grid, size

    def prompt_ids(self, prompt: Prompt, image_grid_thw: torch.Tensor) -> list[int]:
        """The chat prompt, up to the assistant's turn, with the picture's placeholders expanded.

        Text from screens and tasks cannot forge the chat's control tokens: ``<|`` is split.
        """
        content = [{"type": "image"}, {"type": "text", "text": _defuse(prompt.user)}]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if prompt.system:
            messages.insert(0, {"role": "system", "content": _defuse(prompt.system)})
        text = self.tokenizer.apply_chat_template(
            messages, add_generation_prompt=True, tokenize=False
        )
        if text.count(_IMAGE_PAD) != 1:
            raise ModelError(
                f"chat template of {self.name}",
                found=f"{text.count(_IMAGE_PAD)} times {_IMAGE_PAD} for one picture",
                expected="once",
                fix="use the model's own chat template",
            )
        count = int(image_grid_thw[0].prod()) // self.merge**2
        text = text.replace(_IMAGE_PAD, _IMAGE_PAD * count)
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def answer_ids(self, text: str) -> list[int]:
        """An answer and the end of its message."""
        ids: list[int] = self.tokenizer(text, add_special_tokens=False)["input_ids"]
        return [*ids, self.end_id]

    def decode(self, token_ids: Sequence[int]) -> str:
        """The text of an answer, without its end token."""
        keep = [i for i in token_ids if i not in self.eos_ids and i != self.pad_id]
        text: str = self.tokenizer.decode(
            keep, skip_special_tokens=False, clean_up_tokenization_spaces=False
        )
        return text


def _defuse(text: str) -> str:
    return text.replace("<|", "< |")


def load_local(
    name_or_path: str | Path,
    *,
    profile: str | None = None,
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    attn_implementation: str = "sdpa",
) -> LocalModel:
    """Load a model.

    Args:
        name_or_path: ``tiny`` or ``micro`` (shipped), ``random-nano`` (untrained, for checks), or
            a folder of a Qwen2.5-VL or Qwen3-VL model.
        profile: name of the profile; None takes the folder's own, or the one that fits its
            architecture.
        dtype: of the weights.
        device: of the weights.
        attn_implementation: ``sdpa`` or ``eager``; packed batches need arbitrary masks, which
            flash attention does not take.

    Raises:
        ModelError: the folder is missing, incomplete or damaged, or the profile is unknown.
    """
    if attn_implementation not in ("sdpa", "eager"):
        raise ModelError(
            f"attention of {name_or_path}",
            found=repr(attn_implementation),
            expected="'sdpa' or 'eager'",
            fix="use 'sdpa'; shared prefixes need arbitrary attention masks",
        )
    if str(name_or_path) == RANDOM_NANO:
        local = _random_nano(profile)
        local.model.set_attn_implementation(attn_implementation)
    else:
        local = _from_folder(
            name_or_path, profile, dtype=dtype, attn_implementation=attn_implementation
        )
    local.model.to(device=device, dtype=dtype).eval()
    return local


def _random_nano(profile: str | None) -> LocalModel:
    from coepg.models.tiny import build_image_processor, build_model
    from coepg.models.tokenizer import shipped_tokenizer

    tokenizer = shipped_tokenizer()
    return from_parts(
        build_model("nano", tokenizer, seed=0),
        tokenizer,
        build_image_processor(),
        profile or "tiny",
        RANDOM_NANO,
    )


def from_parts(
    model: Any, tokenizer: Any, image_processor: Any, profile_name: str, name: str
) -> LocalModel:
    """A `LocalModel` from its parts, checked to fit each other.

    Raises:
        ModelError: the parts do not fit, or the model's attention is not full.
    """
    profile = _processed_profile(get_profile(profile_name), image_processor)
    local = LocalModel(model, tokenizer, image_processor, profile, name)
    if not tokenizer.chat_template:
        raise ModelError(
            f"model {name}: tokenizer",
            found="no chat template",
            expected="Qwen's chat template",
            fix="add chat_template.jinja from the model's repository",
        )
    found = tokenizer.convert_tokens_to_ids(_IMAGE_PAD)
    if found != local.image_token_id:
        raise ModelError(
            f"model {name}: image token",
            found=f"{_IMAGE_PAD} is id {found} in the tokenizer",
            expected=f"id {local.image_token_id}, as config.json says",
            fix="use the model's own tokenizer",
        )
    text_config = model.config.get_text_config()
    if len(tokenizer) > text_config.vocab_size:
        raise ModelError(
            f"model {name}: vocabulary",
            found=f"{len(tokenizer)} tokens in the tokenizer",
            expected=f"at most {text_config.vocab_size}, the rows of the embedding",
            fix="use the model's own tokenizer",
        )
    if "sliding_attention" in (getattr(text_config, "layer_types", None) or ()):
        raise ModelError(
            f"model {name}: attention",
            found="sliding windows",
            expected="full attention in every layer",
            fix="set use_sliding_window to false in config.json",
        )
    return local


def _processed_profile(profile: ModelProfile, image_processor: Any) -> ModelProfile:
    """The profile with the resize rule that the processor really applies."""
    size = dict(image_processor.size)
    return replace(
        profile,
        resize_factor_px=int(image_processor.patch_size) * int(image_processor.merge_size),
        min_pixels=int(size["shortest_edge"]),
        max_pixels=int(size["longest_edge"]),
    )


def _from_folder(name_or_path: str | Path, profile: str | None, **options: Any) -> LocalModel:
    path = model_folder(name_or_path)
    if not path.is_dir():
        raise ModelError(
            f"model {name_or_path}",
            found="no such folder" if not path.exists() else "a file",
            expected=f"a model folder, {' or '.join(map(repr, (*SHIPPED, RANDOM_NANO)))}",
            fix="check the path; it is relative to the working directory",
        )
    for file in ("config.json", "tokenizer_config.json", "preprocessor_config.json"):
        require_file(path, file)
    model_type = read_json(path / "config.json").get("model_type")
    if model_type not in MODEL_CLASSES:
        raise ModelError(
            f"{path / 'config.json'}: model_type",
            found=repr(model_type),
            expected=" or ".join(map(repr, MODEL_CLASSES)),
            fix='serve other architectures over HTTP (kind = "http")',
        )
    profile_name = profile or named_profile(path) or str(model_type)
    get_profile(profile_name)
    return from_parts(
        load_weights(path, str(model_type), options),
        load_tokenizer(path),
        load_image_processor(path),
        profile_name,
        path.name if str(name_or_path) not in SHIPPED else str(name_or_path),
    )


def save_local(local: LocalModel, path: Path | str) -> Path:
    """Write a model folder atomically: it is there complete or not at all."""
    return save_local_parts(
        local.model, local.tokenizer, local.image_processor, local.profile.name, Path(path)
    )


def save_local_parts(
    model: Any, tokenizer: Any, image_processor: Any, profile_name: str, path: Path
) -> Path:
    """As `save_local`, from the parts. Other files that ``path`` holds already are kept."""
    get_profile(profile_name)
    path.parent.mkdir(parents=True, exist_ok=True)
    work = path.with_name(f".{path.name}.writing-{os.getpid()}")
    shutil.rmtree(work, ignore_errors=True)
    model.save_pretrained(work, safe_serialization=True)
    tokenizer.save_pretrained(work)
    image_processor.save_pretrained(work)
    record = {"format_version": FORMAT_VERSION, "profile": profile_name}
    (work / "coepg.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    _publish(work, path)
    return path


def _publish(work: Path, path: Path) -> None:
    """Move a finished folder to its name, keeping what an older folder holds beside the model."""
    if not path.exists():
        os.replace(work, path)
        return
    new = {p.name for p in work.iterdir()}
    old = path.with_name(f".{path.name}.old-{os.getpid()}")
    shutil.rmtree(old, ignore_errors=True)
    for entry in path.iterdir():
        if entry.name not in new and entry.suffix != ".safetensors":
            os.replace(entry, work / entry.name)
    os.replace(path, old)
    os.replace(work, path)
    shutil.rmtree(old)
