"""The Trainer's arguments that SFT and GRPO share, from the recipe's settings."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from coepg.config.finetune import FinetuneConfig
from coepg.config.grpo import GrpoConfig
from coepg.config.run import RunConfig
from coepg.config.sft import SftConfig

_RECOMPUTE: dict[str, Any] = {
    "gradient_checkpointing": True,
    "gradient_checkpointing_kwargs": {"use_reentrant": False},
}


def training_arguments(
    work_dir: Path,
    run: RunConfig,
    optim: SftConfig | GrpoConfig,
    finetune: FinetuneConfig,
    *,
    batch_size: int,
    num_epochs: float = 1.0,
    max_steps: int = -1,
    num_updates: int,
    seed: int,
) -> TrainingArguments:
    """Arguments for one stage.

    Args:
        work_dir: of the stage; checkpoints go below it.
        run: device, number format, trackers.
        optim: learning rate, schedule, clipping, checkpoint distance.
        finetune: whether activations are kept.
        batch_size: examples per update and device.
        num_epochs: passes over the data, unless ``max_steps`` is given.
        max_steps: number of updates; -1 means by epochs.
        num_updates: how many updates there will be, for the length of the warm-up.
        seed: of this stage.
    """
    on_cpu = run.device == "cpu" or (run.device == "auto" and not torch.cuda.is_available())
    return TrainingArguments(
        output_dir=str(work_dir / "checkpoints"),
        per_device_train_batch_size=batch_size,
        num_train_epochs=num_epochs,
        max_steps=max_steps,
        learning_rate=optim.learning_rate,
        lr_scheduler_type=optim.lr_scheduler,
        warmup_steps=int(optim.warmup_ratio * num_updates),
        weight_decay=optim.weight_decay,
        max_grad_norm=optim.max_grad_norm,
        logging_steps=1,
        save_steps=optim.save_steps,
        save_total_limit=2,
        seed=seed,
        data_seed=seed,
        use_cpu=on_cpu,
        bf16=run.dtype == "bfloat16",
        **(_RECOMPUTE if finetune.gradient_checkpointing else {}),
        remove_unused_columns=False,
        report_to=list(run.report_to),
        disable_tqdm=True,
        dataloader_num_workers=run.num_workers,
    )


def point_tensorboard_at(work_dir: Path) -> None:
    """Let the next Trainer write its TensorBoard files below ``work_dir``.

    transformers takes this folder from the environment only.
    """
    os.environ["TENSORBOARD_LOGGING_DIR"] = str(work_dir / "tensorboard")


def vision_cache_dir(work_dir: Path) -> Path:
    """Where a stage keeps features of frozen vision towers: beside the stages, for all of them."""
    return work_dir.parent / ".vision-cache"


def drop_checkpoints(work_dir: Path) -> None:
    """Remove the checkpoints of a finished stage; its model is kept."""
    shutil.rmtree(work_dir / "checkpoints", ignore_errors=True)


def last_checkpoint(work_dir: Path) -> str | None:
    """The newest complete checkpoint of a stage, or None.

    A checkpoint counts only once its ``trainer_state.json``, which is written last, is there: a
    process that is killed while it saves leaves a folder that cannot be continued from.
    """
    folder = work_dir / "checkpoints"
    if not folder.is_dir():
        return None
    for path in folder.glob("checkpoint-*"):
        if not _is_complete(path):
            shutil.rmtree(path, ignore_errors=True)
    found: str | None = get_last_checkpoint(str(folder))
    return found


def _is_complete(checkpoint: Path) -> bool:
    try:
        json.loads((checkpoint / "trainer_state.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return True


def log_rows(history: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The Trainer's log as rows of metrics.jsonl, without its closing summary."""
    return [
        {k: v for k, v in row.items() if k != "epoch"}
        for row in history
        if "train_runtime" not in row
    ]
