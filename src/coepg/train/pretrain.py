"""Pre-training of a tiny base from scratch on synthetic screens.

One command, seeded and resumable: ``coepg pretrain``. Letters come before reading and reading
before planning. First the vision tower learns letters on sheets of words (`coepg.train.glyphs`).
Then the whole model learns to read and find, on sheets and on screens of widgets, and at last
descriptions, plans and end-to-end actions on screens.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset
from transformers import TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from coepg.errors import DataError
from coepg.models.local.load import save_local_parts
from coepg.models.tiny import MERGE, Architecture, build_image_processor, build_model
from coepg.models.tokenizer import shipped_tokenizer
from coepg.prefix.pack import PackedBatch, answer_logits, pack
from coepg.prefix.tree import Tree, num_tokens
from coepg.synth.dataset import read_screens
from coepg.synth.types import SynthScreen
from coepg.train.from_scratch import FromScratchTrainer, epoch_order
from coepg.train.glyphs import learn_glyphs
from coepg.train.questions import QuestionMix, QuestionSampler


@dataclass(frozen=True, slots=True)
class PretrainSettings:
    """Settings of one pre-training; the defaults made the shipped models.

    Attributes:
        size: ``tiny``, ``micro`` or ``nano``.
        architecture: ``qwen3_vl`` or ``qwen2_5_vl``.
        num_steps: optimizer steps.
        batch_size: screens a step.
        muon_learning_rate, adamw_learning_rate: peaks; linear warm-up, then a cosine to 2 %.
        glyph_steps, glyph_batch_size: updates of the vision tower on letters, and sheets of each.
        glyph_muon_learning_rate, glyph_adamw_learning_rate: their peaks.
        acting_from: where in the schedule (0..1) reading gives way to acting.
        sheets_share: share of sheets among the pictures that are read.
        seed: of weights, order and questions.
        save_steps: distance of checkpoints.
    """

    size: str = "tiny"
    architecture: Architecture = "qwen3_vl"
    num_steps: int = 3000
    batch_size: int = 16
    muon_learning_rate: float = 2e-3
    adamw_learning_rate: float = 1e-3
    glyph_steps: int = 3500
    glyph_batch_size: int = 4
    glyph_muon_learning_rate: float = 4e-3
    glyph_adamw_learning_rate: float = 2e-3
    acting_from: float = 0.6
    sheets_share: float = 0.5
    seed: int = 0
    save_steps: int = 200
    logging_steps: int = 20


READING = QuestionMix(num_read=12, num_find=4, num_describe=0, num_plan=0, num_act=0)
ACTING = QuestionMix(num_read=0, num_find=4, num_describe=3, num_plan=2, num_act=1)
POOL_BATCHES = 8
"""Batches drawn together and sorted by length, so that hardly a token of a batch is padding."""


class ScreenTrees(Dataset[Tree]):
    """Draw number i -> a tree of questions: every epoch in a new order, with new questions.

    Args:
        screens: screens of widgets.
        sampler: makes the questions.
        settings: the schedule.
        sheets: sheets of words; may be empty.

    The draws of `POOL_BATCHES` batches are sorted by length; the order of these batches is random.
    """

    def __init__(
        self,
        screens: Sequence[SynthScreen],
        sampler: QuestionSampler,
        settings: PretrainSettings,
        sheets: Sequence[SynthScreen] = (),
    ) -> None:
        self.screens = screens
        self.sheets = sheets
        self.sampler = sampler
        self.settings = settings
        self._pool: tuple[int, list[Tree]] = (-1, [])

    def __len__(self) -> int:
        return self.settings.num_steps * self.settings.batch_size

    def mix(self, index: int) -> QuestionMix:
        """The kinds of questions at this point of the schedule."""
        return READING if index < self.settings.acting_from * len(self) else ACTING

    def pictures(self, index: int) -> Sequence[SynthScreen]:
        """Where this draw takes its picture from."""
        s = self.settings
        if not self.sheets or index >= s.acting_from * len(self):
            return self.screens
        chance = np.random.default_rng([s.seed, 79, index]).random()
        return self.sheets if chance < s.sheets_share else self.screens

    def __getitem__(self, index: int) -> Tree:
        number, position = divmod(index, POOL_BATCHES * self.settings.batch_size)
        if self._pool[0] != number:
            self._pool = (number, self._draw_pool(number))
        return self._pool[1][position]

    def _draw_pool(self, number: int) -> list[Tree]:
        size = self.settings.batch_size
        first = number * POOL_BATCHES * size
        trees = [self.draw(i) for i in range(first, min(len(self), first + POOL_BATCHES * size))]
        trees.sort(key=num_tokens)
        batches = [trees[at : at + size] for at in range(0, len(trees), size)]
        order = np.random.default_rng([self.settings.seed, 78, number]).permutation(len(batches))
        return [tree for k in order for tree in batches[k]]

    def draw(self, index: int) -> Tree:
        """The questions of draw number ``index``, before the sorting."""
        pictures = self.pictures(index)
        epoch, position = divmod(index, len(pictures))
        order = epoch_order(self.settings.seed, 77, epoch, len(pictures))
        for attempt in range(len(pictures)):
            screen = pictures[order[(position + attempt) % len(order)]]
            tree = self.sampler.tree(screen, self.mix(index), index)
            if tree is not None:
                return tree
        raise DataError(
            "synthetic screens", found="no question on any screen", fix="make new screens"
        )


class PretrainTrainer(FromScratchTrainer):
    """Trains a tiny model on packed trees."""

    def compute_loss(
        self, model: Any, inputs: dict[str, PackedBatch], return_outputs: bool = False, **_: Any
    ) -> torch.Tensor:
        """Weighted mean cross-entropy over the answer tokens."""
        batch = inputs["batch"]
        self.count_tokens(batch)
        logits, targets = answer_logits(model, batch)
        losses = torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none")
        weights = batch.answer_weight[batch.answer_mask]
        return (losses * weights).sum() / weights.sum()


def training_arguments(out_dir: Path, settings: PretrainSettings) -> TrainingArguments:
    """The Trainer's arguments for a pre-training on one CPU or GPU."""
    return TrainingArguments(
        output_dir=str(out_dir),
        max_steps=settings.num_steps,
        per_device_train_batch_size=settings.batch_size,
        learning_rate=settings.adamw_learning_rate,
        lr_scheduler_type="cosine_with_min_lr",
        lr_scheduler_kwargs={"min_lr_rate": 0.02},
        warmup_steps=min(100, settings.num_steps // 10),
        max_grad_norm=1.0,
        logging_steps=settings.logging_steps,
        save_steps=settings.save_steps,
        save_total_limit=2,
        seed=settings.seed,
        data_seed=settings.seed,
        use_cpu=not torch.cuda.is_available(),
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
        dataloader_num_workers=0,
        save_only_model=False,
    )


def learn_letters(
    model: Any, sheets: Sequence[SynthScreen], work_dir: Path, settings: PretrainSettings
) -> list[dict[str, float]]:
    """The first phase; returns its log."""
    arguments = training_arguments(work_dir / "checkpoints", settings)
    arguments.max_steps = settings.glyph_steps
    arguments.per_device_train_batch_size = settings.glyph_batch_size
    arguments.learning_rate = settings.glyph_adamw_learning_rate
    arguments.warmup_steps = min(100, settings.glyph_steps // 10)
    arguments.save_steps = 5 * settings.save_steps
    arguments.logging_steps = 5 * settings.logging_steps
    peaks = (settings.glyph_muon_learning_rate, settings.glyph_adamw_learning_rate)
    width = model.config.text_config.hidden_size
    return learn_glyphs(model.model.visual, width, sheets, work_dir, arguments, peaks)


def pretrain(
    data_dir: Path, out_dir: Path, settings: PretrainSettings, sheets_dir: Path | None = None
) -> Path:
    """Train a base and write it, with its training log, to ``out_dir``.

    Args:
        data_dir: synthetic screens, made by ``coepg synth``.
        out_dir: model folder; checkpoints go to ``out_dir/checkpoints`` while training.
        settings: see `PretrainSettings`. Re-running with the same settings continues.
        sheets_dir: sheets of words, made by ``coepg synth --kind sheets``.

    Returns:
        ``out_dir``.
    """
    tokenizer = shipped_tokenizer()
    screens = list(read_screens(data_dir))
    if not screens:
        raise DataError(
            str(data_dir), found="no screens", expected="Parquet shards", fix="coepg synth"
        )
    sheets = list(read_screens(sheets_dir)) if sheets_dir is not None else []
    model = build_model(
        settings.size, tokenizer, seed=settings.seed, architecture=settings.architecture
    )
    sampler = QuestionSampler(tokenizer, settings.seed)
    image_token_id = tokenizer.convert_tokens_to_ids("<|image_pad|>")

    def collate(trees: list[Tree]) -> dict[str, PackedBatch]:
        batch = pack(
            trees, image_token_id=image_token_id, pad_token_id=tokenizer.pad_token_id, merge=MERGE
        )
        return {"batch": batch}

    checkpoints = out_dir / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    glyph_log = learn_letters(model, sheets, out_dir / "glyphs", settings) if sheets else []
    trainer = PretrainTrainer(
        model=model,
        args=training_arguments(checkpoints, settings),
        train_dataset=ScreenTrees(screens, sampler, settings, sheets),
        data_collator=collate,
    )
    trainer.learning_rates = (settings.muon_learning_rate, settings.adamw_learning_rate)
    started = time.monotonic()
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(checkpoints)))
    save_local_parts(model, tokenizer, build_image_processor(), "tiny", out_dir)
    record = {
        "settings": asdict(settings),
        "num_screens": len(screens),
        "num_sheets": len(sheets),
        "seconds_of_last_run": round(time.monotonic() - started),
        "torch": torch.__version__,
        "glyph_log": glyph_log,
        "log": trainer.state.log_history,
    }
    (out_dir / "pretraining.json").write_text(json.dumps(record, indent=1))
    return out_dir
