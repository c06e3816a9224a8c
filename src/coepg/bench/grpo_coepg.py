"""The project's own side: `coepg.train.grpo.run_grpo` on the workload."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import torch

from coepg.bench.workload import TOKEN_PX, GrpoWorkload, image_grid, pictures, reward_of
from coepg.config.finetune import FinetuneConfig
from coepg.config.grpo import GrpoConfig
from coepg.config.run import RunConfig
from coepg.models.local.load import LocalModel, load_local
from coepg.models.prompts import Prompt
from coepg.prefix.generate import generate
from coepg.prefix.tree import make_tree
from coepg.train.grpo import run_grpo
from coepg.types import Box, RewardBreakdown, Rollout, Screenshot, Size, Step

INSTRUCTION = "Click the button that saves the form."


def measure(work: GrpoWorkload, model_dir: Path, work_dir: Path) -> list[float]:
    """Seconds of every step, warm-up included."""
    local, reference = load_local(model_dir), load_local(model_dir).model.eval()
    reference.requires_grad_(False)
    screens = dict(zip(_names(work), pictures(work), strict=True))

    def prompt_tree(step: Step) -> tuple[list[int], torch.Tensor, torch.Tensor]:
        pixels, grid, _ = local.encode_image(screens[step.screenshot.image_hash])
        return local.prompt_ids(Prompt(INSTRUCTION), grid), pixels, grid

    def sampler(steps: Sequence[Step], seed: int) -> list[list[Rollout]]:
        trees = []
        for step in steps:
            ids, pixels, grid = prompt_tree(step)
            trees.append(make_tree([ids], [()], pixels, grid))
        answers = generate(
            local, trees, num_samples=work.group, temperature=1.0,
            max_tokens=work.answer_tokens, seed=seed, forbid_ids=tuple(local.eos_ids),
        )  # fmt: skip
        pairs = zip(steps, answers, strict=True)
        return [[_rollout(local, s, i, g) for i, g in enumerate(tree[0])] for s, tree in pairs]

    moments = [time.perf_counter()]
    total = work.warmup + work.steps
    run_grpo(
        local, reference, _steps(work), sampler, prompt_tree,
        GrpoConfig(
            num_generations=work.group, num_prompts_per_step=work.num_prompts, max_steps=total,
            temperature=1.0, max_completion_tokens=work.answer_tokens, kl_beta=work.kl_beta,
            learning_rate=1e-6, save_steps=10**6,
        ),
        RunConfig(device="cpu", report_to=()), FinetuneConfig(), work_dir, seed=work.seed,
        progress=lambda done, total: moments.append(time.perf_counter()),
    )  # fmt: skip
    return [b - a for a, b in zip(moments, moments[1:], strict=False)]


def _names(work: GrpoWorkload) -> list[str]:
    return [f"screen-{k}" for k in range(work.num_prompts)]


def _steps(work: GrpoWorkload) -> list[Step]:
    rows, columns = image_grid(work.image_tokens)
    size = Size(columns * TOKEN_PX, rows * TOKEN_PX)
    return [
        Step(
            step_id=name, episode_id=name, task_name="bench", split="train", step_index=0,
            num_steps=1, instruction=INSTRUCTION, history=(),
            screenshot=Screenshot(name, size), action_type="click", value=None,
            target_box_px=Box(1, 1, 9, 9),
        )
        for name in _names(work)
    ]  # fmt: skip


def _rollout(local: LocalModel, step: Step, index: int, answer: object) -> Rollout:
    ids, logprobs = answer.token_ids, answer.token_logprobs  # type: ignore[attr-defined]
    text = local.decode(ids)
    reward = RewardBreakdown(reward_of(text), True, True, reward_of(text))
    return Rollout(step.step_id, index, text, None, ids, logprobs, reward)
