"""GRPO of the planner: sample a group, score it by the ensemble, update on packed trees.

One sampling round is `num_prompts_per_step` steps times G answers. Everything of a group shares
one encoded screenshot: sampling (one cache), scoring by local members (one prefix for all plans)
and the update (prefix + G answers in one packed row).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch.autograd.profiler import record_function
from torch.utils.data import Dataset, SequentialSampler
from transformers import PrinterCallback

from coepg.config.finetune import FinetuneConfig
from coepg.config.grpo import GrpoConfig
from coepg.config.run import RunConfig
from coepg.credit.group import group_advantages, zero_variance
from coepg.errors import ConfigError
from coepg.models.local.load import LocalModel
from coepg.prefix.batching import DEFAULT_BATCH_TOKENS
from coepg.prefix.pack import PackedBatch, answer_logprobs, pack
from coepg.prefix.tree import Tree, make_tree
from coepg.rollouts.store import write_rollouts
from coepg.train.adapt import cached_vision, settle, trainable
from coepg.train.arguments import (
    last_checkpoint,
    log_rows,
    point_tensorboard_at,
    training_arguments,
    vision_cache_dir,
)
from coepg.train.grpo_loss import grpo_loss
from coepg.train.profiling import ProfileCallback
from coepg.train.sft import Progress, ProgressCallback
from coepg.train.throughput import MeteredTrainer
from coepg.types import Rollout, Step

PromptTree = Callable[[Step], tuple[list[int], torch.Tensor, torch.Tensor]]
"""Step -> prompt ids, patches, patch grid."""

Sampler = Callable[[Sequence[Step], int], list[list[Rollout]]]
"""(steps, seed) -> G scored rollouts per step."""


class StepOrder(Dataset[Step]):
    """Draw number i -> a training step: a new permutation each epoch, equal for equal seeds.

    The updates of one sampling round draw the same steps, so that every step has its turn.

    Args:
        steps: to draw from.
        num_rounds: sampling rounds.
        num_prompts: steps a round.
        num_iterations: updates a round.
        seed: of the permutations.
    """

    def __init__(
        self,
        steps: Sequence[Step],
        num_rounds: int,
        num_prompts: int,
        num_iterations: int,
        seed: int,
    ) -> None:
        self.steps = steps
        self.length = num_rounds * num_prompts * num_iterations
        self.num_prompts = num_prompts
        self.num_iterations = num_iterations
        self.seed = seed

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Step:
        update, place = divmod(index, self.num_prompts)
        draw = update // self.num_iterations * self.num_prompts + place
        epoch, position = divmod(draw, len(self.steps))
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.steps))
        return self.steps[int(order[position])]


@dataclass(slots=True)
class Round:
    """One sampling round, ready for updates.

    Attributes:
        batches: packed trees of the groups that carry a gradient.
        sequence_index: per batch, the number of the answer that each answer token belongs to.
        advantages, old_logprobs, ref_logprobs: per batch, per answer token.
        num_sequences: all answers of the round, those without gradient included.
        stats: for the log.
    """

    batches: list[PackedBatch]
    sequence_index: list[torch.Tensor]
    advantages: list[torch.Tensor]
    old_logprobs: list[torch.Tensor]
    ref_logprobs: list[torch.Tensor | None]
    num_sequences: int
    stats: dict[str, Any]


class GrpoTrainer(MeteredTrainer):
    """The Hugging Face Trainer with group rollouts and the GRPO loss."""

    def __init__(
        self,
        *args: Any,
        local: LocalModel,
        reference: Any,
        config: GrpoConfig,
        sampler: Sampler,
        prompt_tree: PromptTree,
        rollout_dir: Path,
        sampling_seed: int,
        **kwargs: Any,
    ) -> None:
        self.local = local
        self.reference = reference
        self.config = config
        self.sampler = sampler
        self.prompt_tree = prompt_tree
        self.rollout_dir = rollout_dir
        self.sampling_seed = sampling_seed
        self.round: Round | None = None
        super().__init__(*args, **kwargs)

    def _get_train_sampler(self, train_dataset: Any = None) -> SequentialSampler:
        return SequentialSampler(cast(Sized, train_dataset or self.train_dataset))

    def training_step(
        self, model: Any, inputs: dict[str, list[Step]], num_items_in_batch: Any = None
    ) -> torch.Tensor:
        """Sample a round if the last one is used up, then one update on it."""
        update = self.state.global_step
        started = time.perf_counter()
        if self.round is None or update % self.config.num_iterations == 0:
            with record_function("grpo.sample"):
                self.round = self._sample(inputs["steps"], update // self.config.num_iterations)
        sampled = time.perf_counter()
        with record_function("grpo.update"):
            loss = self._update(model, self.round)
        self._stats |= {"sample_s": sampled - started, "update_s": time.perf_counter() - sampled}
        return loss

    def _sample(self, steps: Sequence[Step], number: int) -> Round:
        seed = int(np.random.default_rng([self.sampling_seed, number]).integers(2**31))
        groups = self.sampler(steps, seed)
        rewards = [[r.reward.total if r.reward else None for r in group] for group in groups]
        advantages = [group_advantages(row, self.config.advantage_epsilon) for row in rewards]
        write_rollouts(self.rollout_dir, number, steps, groups, advantages)
        flat = [zero_variance(row) for row in rewards]
        skip = self.config.skip_zero_variance
        kept = [i for i in range(len(steps)) if not (flat[i] and skip)]
        trees, values, sampled = [], [], []
        for i in kept:
            pairs = zip(groups[i], advantages[i], strict=True)
            scored = [(r, a) for r, a in pairs if a is not None]
            if scored:
                trees.append(self._tree(steps[i], [r for r, _ in scored]))
                values.append([a for _, a in scored])
                sampled.append([lp for r, _ in scored for lp in r.token_logprobs])
        result = Round([], [], [], [], [], sum(len(g) for g in groups), round_stats(groups, flat))
        for start, end in _chunks(trees, DEFAULT_BATCH_TOKENS):
            self._add_batch(result, trees[start:end], values[start:end], sampled[start:end])
        return result

    def _tree(self, step: Step, rollouts: Sequence[Rollout]) -> Tree:
        prompt, pixel_values, grid = self.prompt_tree(step)
        answers = [r.token_ids for r in rollouts]
        return make_tree([prompt] * len(answers), answers, pixel_values, grid)

    def _add_batch(
        self,
        result: Round,
        trees: Sequence[Tree],
        values: Sequence[Sequence[float]],
        sampled: Sequence[Sequence[float]],
    ) -> None:
        batch = pack(
            trees,
            image_token_id=self.local.image_token_id,
            pad_token_id=self.local.pad_id,
            merge=self.local.merge,
        ).to(self.local.device)
        rows, cols = batch.answer_mask.nonzero(as_tuple=True)
        offsets = torch.tensor([0, *np.cumsum([len(v) for v in values])])[:-1].to(rows.device)
        sequence = offsets[rows] + batch.branch_index[rows, cols]
        flat = torch.tensor([a for row in values for a in row], device=rows.device)
        temperature = self.config.temperature
        # As sampled: on fresh samples a logged mean ratio of 1 shows that both agree.
        old = torch.tensor([lp for row in sampled for lp in row], device=rows.device)
        has_kl = self.reference is not None and self.config.kl_beta > 0
        with torch.no_grad():
            ref = answer_logprobs(self.reference, batch, temperature) if has_kl else None
        result.batches.append(batch)
        result.sequence_index.append(sequence)
        result.advantages.append(flat[sequence])
        result.old_logprobs.append(old)
        result.ref_logprobs.append(ref)

    def _update(self, model: Any, data: Round) -> torch.Tensor:
        model.train()
        total = torch.zeros((), device=self.local.device)
        log: dict[str, float] = {"kl": 0.0, "ratio_mean": 0.0, "clip_share": 0.0}
        for b, batch in enumerate(data.batches):
            self.count_tokens(batch)
            with self.compute_loss_context_manager():
                logprobs = answer_logprobs(model, batch, self.config.temperature)
            num_here = int(data.sequence_index[b].max()) + 1
            terms = grpo_loss(
                logprobs, data.old_logprobs[b], data.ref_logprobs[b], data.advantages[b],
                data.sequence_index[b], num_here,
                clip_epsilon=self.config.clip_epsilon, kl_beta=self.config.kl_beta,
            )  # fmt: skip
            share = num_here / data.num_sequences
            self.accelerator.backward(terms.loss * share)
            total += terms.loss.detach() * share
            for name in log:
                log[name] += getattr(terms, name) / len(data.batches)
        self._stats = {**data.stats, **(log if data.batches else {})}
        return total

    def log(self, logs: dict[str, float], *args: Any, **kwargs: Any) -> None:
        """Add the round's numbers to the Trainer's own."""
        super().log({**logs, **getattr(self, "_stats", {})}, *args, **kwargs)


def round_stats(groups: Sequence[Sequence[Rollout]], flat: Sequence[bool]) -> dict[str, Any]:
    """What is logged of a round: rewards, gates, members, groups without variance."""
    rewards = [r.reward for g in groups for r in g if r.reward is not None]
    rollouts = [r for g in groups for r in g]
    stats: dict[str, Any] = {
        "reward_mean": float(np.mean([r.total for r in rewards])) if rewards else 0.0,
        "reward_std": float(np.std([r.total for r in rewards])) if rewards else 0.0,
        "zero_variance_share": float(np.mean(flat)),
        "type_match": float(np.mean([r.type_match for r in rewards])) if rewards else 0.0,
        "value_match": float(np.mean([r.value_match for r in rewards])) if rewards else 0.0,
        "parse_failure_share": float(np.mean([r.plan is None for r in rollouts])),
        "unscored_share": float(np.mean([r.reward is None for r in rollouts])),
        "answer_tokens_mean": float(np.mean([len(r.token_ids) for r in rollouts])),
    }
    for name in sorted({m for r in rewards for m in r.hits}):
        voted = [r for r in rewards if name in r.hits]
        stats[f"member_accuracy/{name}"] = float(np.mean([r.hits[name] for r in voted]))
        stats[f"member_weight/{name}"] = float(np.mean([r.weights[name] for r in voted]))
    return stats


def _chunks(trees: Sequence[Tree], max_tokens: int) -> list[tuple[int, int]]:
    """Consecutive ranges whose padded size stays within the budget (at least one tree each)."""
    ranges: list[tuple[int, int]] = []
    start, longest = 0, 0
    for i, tree in enumerate(trees):
        length = len(tree.prefix_ids) + sum(len(b.token_ids) for b in tree.branches)
        longest = max(longest, length)
        if i > start and longest * (i - start + 1) > max_tokens:
            ranges.append((start, i))
            start, longest = i, length
    if trees:
        ranges.append((start, len(trees)))
    return ranges


def run_grpo(
    local: LocalModel,
    reference: Any,
    steps: Sequence[Step],
    sampler: Sampler,
    prompt_tree: PromptTree,
    config: GrpoConfig,
    run: RunConfig,
    finetune: FinetuneConfig,
    work_dir: Path,
    *,
    seed: int,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Train ``local.model`` in place, continuing from the newest checkpoint if there is one.

    Returns:
        The log: one row per update.
    """
    updates = config.max_steps * config.num_iterations
    arguments = training_arguments(
        work_dir, run, config, finetune,
        batch_size=config.num_prompts_per_step, max_steps=updates, num_updates=updates, seed=seed,
    )  # fmt: skip
    if arguments.world_size > 1:
        raise ConfigError(
            "GRPO", found=f"{arguments.world_size} processes", expected="one",
            fix="start one process: ranks whose groups differ in number would wait for one another",
        )  # fmt: skip
    # A checkpoint inside a round would have to hold the round's old log-probabilities.
    arguments.save_steps = -(-config.save_steps // config.num_iterations) * config.num_iterations
    point_tensorboard_at(work_dir)
    model = trainable(local, finetune, seed)
    trainer = GrpoTrainer(
        model=model,
        args=arguments,
        train_dataset=StepOrder(
            steps, config.max_steps, config.num_prompts_per_step, config.num_iterations, seed
        ),
        data_collator=lambda batch: {"steps": batch},
        callbacks=[ProgressCallback(progress)],
        local=local,
        reference=reference,
        config=config,
        sampler=sampler,
        prompt_tree=prompt_tree,
        rollout_dir=work_dir / "rollouts",
        sampling_seed=seed,
    )
    trainer.remove_callback(PrinterCallback)
    if run.profile:
        trainer.add_callback(ProfileCallback(work_dir / "profile"))
    frozen = [local.model, *([reference] if reference is not None else [])]
    with cached_vision(finetune, vision_cache_dir(work_dir), *frozen):
        trainer.train(resume_from_checkpoint=last_checkpoint(work_dir))
    settle(local, model)
    local.model.eval()
    return log_rows(trainer.state.log_history)
