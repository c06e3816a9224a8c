"""Which weights a training moves: all, all but the vision tower, or low-rank adapters."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import torch

from coepg.config.finetune import FinetuneConfig
from coepg.errors import ConfigError
from coepg.models.local.load import LocalModel
from coepg.models.local.vision_cache import VisionCache


def trainable(local: LocalModel, config: FinetuneConfig, seed: int) -> Any:
    """The model as it is to be trained.

    Adapters are put into ``local.model`` in place: whoever samples from ``local`` meanwhile uses
    them. Call `settle` after the training.

    Args:
        local: the model.
        config: what is trained.
        seed: of the adapters' first weights.

    Returns:
        ``local.model``, or a wrapper of it.

    Raises:
        ConfigError: adapters are asked for and cannot be made.
    """
    if config.freeze_vision:
        local.model.model.visual.requires_grad_(False)
    if config.lora_rank is None:
        return local.model
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return _with_adapters(local.model, config, config.lora_rank)


def _with_adapters(model: Any, config: FinetuneConfig, rank: int) -> Any:
    try:
        from peft import LoraConfig, get_peft_model
    except ImportError:
        raise ConfigError(
            "finetune.lora_rank", found="peft is not installed", expected="the extra 'lora'",
            fix="pip install 'coepg[lora]', or leave lora_rank unset",
        ) from None  # fmt: skip
    names = [n for n, _ in model.named_modules() if ".visual." not in f".{n}."]
    targets = [n for n in names if n.rpartition(".")[2] in config.lora_targets]
    if not targets:
        raise ConfigError(
            "finetune.lora_targets", found=", ".join(config.lora_targets) or "nothing",
            expected="names of matrices of the language model",
            fix="for example q_proj, v_proj (the last part of a module's name)",
        )  # fmt: skip
    settings = LoraConfig(
        r=rank,
        lora_alpha=config.lora_alpha,  # type: ignore[arg-type]
        lora_dropout=config.lora_dropout,
        target_modules=targets,
        bias="none",
    )
    return get_peft_model(model, settings)


def cached_vision(config: FinetuneConfig, folder: Path, *models: Any) -> ExitStack:
    """A context in which frozen vision towers read known pictures from ``folder``."""
    stack = ExitStack()
    if config.vision_cache_gib:
        cache = VisionCache(folder, int(config.vision_cache_gib * 2**30))
        for model in models:
            stack.enter_context(cache.installed(model))
    return stack


def settle(local: LocalModel, trained: Any) -> None:
    """Undo `trainable`: adapters become part of the weights, and every weight may move again."""
    if trained is not local.model:
        local.model = trained.merge_and_unload()
    local.model.requires_grad_(True)
