"""Supervised fine-tuning on trees: all plans of a screen in one packed sequence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback, TrainerCallback

from coepg.config.finetune import FinetuneConfig
from coepg.config.run import RunConfig
from coepg.config.sft import SftConfig
from coepg.errors import DataError
from coepg.models.base import ImageStore
from coepg.models.local.load import LocalModel
from coepg.prefix.pack import PackedBatch, answer_logits, pack
from coepg.prefix.tree import Tree
from coepg.train.adapt import cached_vision, settle, trainable
from coepg.train.arguments import (
    last_checkpoint,
    log_rows,
    point_tensorboard_at,
    training_arguments,
    vision_cache_dir,
)
from coepg.train.profiling import ProfileCallback
from coepg.train.throughput import MeteredTrainer
from coepg.train.trees import Example, ExampleTrees

Progress = Callable[[int, int], None]
"""Called with (updates done, updates to do)."""


class ProgressCallback(TrainerCallback):
    """Tells how far the training is after every update."""

    def __init__(self, progress: Progress | None) -> None:
        self.progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Report."""
        if self.progress is not None:
            self.progress(state.global_step, state.max_steps)


class SftTrainer(MeteredTrainer):
    """The Hugging Face Trainer with packed trees."""

    def compute_loss(
        self, model: Any, inputs: dict[str, PackedBatch], return_outputs: bool = False, **_: Any
    ) -> torch.Tensor:
        """Weighted mean negative log-likelihood of the answer tokens.

            L = sum_b w_b sum_t -log P(y_bt | prefix, prompt_b, y_b<t) / sum_b w_b |y_b|

        with b the branches (one plan each) and w_b = 1 / (plans of the step).
        """
        batch = inputs["batch"]
        self.count_tokens(batch)
        logits, targets = answer_logits(model, batch)
        losses = torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")
        weights = batch.answer_weight[batch.answer_mask]
        return (losses * weights).sum() / weights.sum()


def collator(local: LocalModel) -> Callable[[list[Tree]], dict[str, PackedBatch]]:
    """Trees -> a packed batch."""

    def collate(trees: list[Tree]) -> dict[str, PackedBatch]:
        packed = pack(
            trees,
            image_token_id=local.image_token_id,
            pad_token_id=local.pad_id,
            merge=local.merge,
        )
        return {"batch": packed}

    return collate


def run_sft(
    local: LocalModel,
    images: ImageStore,
    examples: Sequence[Example],
    config: SftConfig,
    run: RunConfig,
    finetune: FinetuneConfig,
    work_dir: Path,
    *,
    seed: int,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Fine-tune ``local.model`` in place, continuing from the newest checkpoint if there is one.

    Returns:
        The log: one row per update with loss, grad_norm and learning_rate.

    Raises:
        DataError: there is nothing to learn from.
    """
    if not examples:
        raise DataError(
            "supervised fine-tuning", found="no training examples", expected="at least one",
            fix="look at the previous data stage: no plan passed the verifiers; lower "
            "pools.min_votes or add pool members",
        )  # fmt: skip
    per_epoch = math.ceil(len(examples) / config.batch_size)
    num_updates = config.max_steps or max(1, math.ceil(per_epoch * config.num_epochs))
    arguments = training_arguments(
        work_dir, run, config, finetune,
        batch_size=config.batch_size, num_epochs=config.num_epochs,
        max_steps=config.max_steps or -1, num_updates=num_updates, seed=seed,
    )  # fmt: skip
    point_tensorboard_at(work_dir)
    model = trainable(local, finetune, seed)
    trainer = SftTrainer(
        model=model,
        args=arguments,
        train_dataset=ExampleTrees(local, images, examples),
        data_collator=collator(local),
        callbacks=[ProgressCallback(progress)],
    )
    trainer.remove_callback(PrinterCallback)
    if run.profile:
        trainer.add_callback(ProfileCallback(work_dir / "profile"))
    with cached_vision(finetune, vision_cache_dir(work_dir), local.model):
        trainer.train(resume_from_checkpoint=last_checkpoint(work_dir))
    settle(local, model)
    local.model.eval()
    return log_rows(trainer.state.log_history)
