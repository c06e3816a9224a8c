"""The peer's side: TRL's GRPOTrainer on the same workload, with what makes it faster switched on.

Gradient checkpointing is off (TRL's default is on, and slower); answers are forced to the full
length as on the other side. The model, pictures, prompt text and reward are the same.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch

from coepg.bench.grpo_coepg import INSTRUCTION
from coepg.bench.workload import GrpoWorkload, pictures, reward_of
from coepg.errors import ConfigError
from coepg.models.local.load import load_local
from coepg.prefix.pack import answer_logits, pack
from coepg.prefix.tree import make_tree
from coepg.train.grpo_loss import grpo_loss


def _trl() -> Any:
    try:
        import trl
    except ImportError as error:
        raise ConfigError(
            "--peer trl", found=f"it cannot be imported ({error})", expected="TRL 1.16",
            fix="pip install 'coepg[bench]' in an environment of its own, with a torchvision that "
            "fits its torch; see docs/performance.md",
        ) from None  # fmt: skip
    return trl


def check() -> None:
    """Raises ConfigError where the peer is not installed."""
    _trl()


def _trainer(work: GrpoWorkload, model_dir: Path, work_dir: Path, callbacks: list[Any]) -> Any:
    from datasets import Dataset
    from transformers import Qwen2_5_VLForConditionalGeneration, Qwen2_5_VLProcessor
    from transformers.models.qwen2_vl.video_processing_qwen2_vl import Qwen2VLVideoProcessor

    trl = _trl()
    local = load_local(model_dir)
    tokenizer = local.tokenizer
    processor = Qwen2_5_VLProcessor(
        local.image_processor, tokenizer, Qwen2VLVideoProcessor(),
        chat_template=tokenizer.chat_template,
    )  # fmt: skip
    total = work.warmup + work.steps
    batch = work.num_prompts * work.group
    arguments = trl.GRPOConfig(
        output_dir=str(work_dir), max_steps=total, per_device_train_batch_size=batch,
        num_generations=work.group, max_completion_length=work.answer_tokens,
        temperature=1.0, beta=work.kl_beta, loss_type="grpo", epsilon=0.2,
        scale_rewards="group", learning_rate=1e-6, lr_scheduler_type="constant",
        use_bias_correction_kl=False, gradient_checkpointing=False, logging_steps=1,
        save_strategy="no", report_to=[], use_cpu=True, bf16=False, disable_tqdm=True,
        seed=work.seed, max_grad_norm=0.0 if callbacks and callbacks[0].wants_gradient else 1.0,
        generation_kwargs={"min_new_tokens": work.answer_tokens},
    )  # fmt: skip
    rows = [
        {"prompt": [{"role": "user", "content": INSTRUCTION}], "image": picture}
        for picture in pictures(work)
    ]

    def reward(completions: list[Any], **_: Any) -> list[float]:
        return [reward_of(row[0]["content"]) for row in completions]

    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(
        model_dir, attn_implementation="sdpa", dtype=torch.float32
    )
    dataset = Dataset.from_list(rows * total)
    return trl.GRPOTrainer(
        model=model, reward_funcs=reward, args=arguments, train_dataset=dataset,
        processing_class=processor, callbacks=callbacks,
    )  # fmt: skip


def _clock_callback() -> Any:
    from transformers import TrainerCallback

    class Clock(TrainerCallback):
        """Notes the end of every step."""

        wants_gradient = False

        def __init__(self) -> None:
            self.moments: list[float] = []

        def on_train_begin(self, *_: Any, **__: Any) -> None:
            self.moments.append(time.perf_counter())

        def on_step_end(self, *_: Any, **__: Any) -> None:
            self.moments.append(time.perf_counter())

    return Clock()


def measure(work: GrpoWorkload, model_dir: Path, work_dir: Path) -> list[float]:
    """Seconds of every step, warm-up included."""
    clock = _clock_callback()
    _trainer(work, model_dir, work_dir, [clock]).train()
    return [b - a for a, b in zip(clock.moments, clock.moments[1:], strict=False)]


def compare_gradients(work: GrpoWorkload, model_dir: Path, work_dir: Path) -> dict[str, float]:
    """One step of the peer, and this project's loss and gradient on the very same answers.

    Returns:
        ``loss_error`` and ``gradient_error``, relative, and ``gradient_norm``.
    """
    from transformers import TrainerCallback

    seen: dict[str, Any] = {}

    class Catch(TrainerCallback):
        """Keeps the gradient of the first step."""

        wants_gradient = True

        def on_pre_optimizer_step(self, *_: Any, model: Any = None, **__: Any) -> None:
            seen["gradient"] = {
                n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None
            }

    trainer = _trainer(work, model_dir, work_dir, [Catch()])
    plain = trainer._compute_loss

    def compute(model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        seen["inputs"] = {k: v for k, v in inputs.items() if torch.is_tensor(v)}
        loss: torch.Tensor = plain(model, inputs)
        seen["loss"] = loss.detach().clone()
        return loss

    trainer._compute_loss = compute
    trainer.args.max_steps = 1
    trainer.train()
    loss, gradient = _own_loss(work, model_dir, seen["inputs"])
    theirs = seen["gradient"]
    largest = max(float(g.abs().max()) for g in theirs.values())
    errors = [float((gradient[n] - g).abs().max()) for n, g in theirs.items()]
    scale = max(abs(float(seen["loss"])), 1e-3)
    return {
        "loss_error": abs(loss - float(seen["loss"])) / scale,
        "gradient_error": max(errors) / largest,
        "gradient_norm": float(sum(float(g.square().sum()) for g in theirs.values()) ** 0.5),
    }


def _own_loss(
    work: GrpoWorkload, model_dir: Path, inputs: dict[str, Any]
) -> tuple[float, dict[str, torch.Tensor]]:
    """This project's packed loss and gradient on the peer's prompts, answers and advantages."""
    local = load_local(model_dir)
    sizes = inputs["image_grid_thw"].prod(dim=1).tolist()
    pixels = inputs["pixel_values"].split(sizes)
    groups: dict[bytes, list[int]] = {}
    for i, picture in enumerate(pixels):  # the peer shuffles its answers
        groups.setdefault(picture.numpy().tobytes(), []).append(i)
    trees, order = [], []
    for members in groups.values():
        mask = inputs["prompt_mask"][members[0]].bool()
        prompt = inputs["prompt_ids"][members[0]][mask].tolist()
        answers = inputs["completion_ids"][members].tolist()
        grid = inputs["image_grid_thw"][members[:1]]
        trees.append(make_tree([prompt] * len(members), answers, pixels[members[0]], grid))
        order += members
    batch = pack(
        trees, image_token_id=local.image_token_id, pad_token_id=local.pad_id, merge=local.merge
    )
    logits, targets = answer_logits(local.model, batch)
    logprobs = logits.float().log_softmax(-1).gather(1, targets[:, None])[:, 0]
    rows, columns = batch.answer_mask.nonzero(as_tuple=True)
    sequence = rows * work.group + batch.branch_index[rows, columns]
    advantages = inputs["advantages"].reshape(-1)[order][sequence]
    reference = logprobs.detach()  # the first step: the reference has the same weights
    terms = grpo_loss(
        logprobs, reference, reference, advantages, sequence, work.num_prompts * work.group,
        clip_epsilon=0.2, kl_beta=work.kl_beta,
    )  # fmt: skip
    terms.loss.backward()
    parameters = local.model.named_parameters()
    return float(terms.loss), {n: p.grad.clone() for n, p in parameters if p.grad is not None}
