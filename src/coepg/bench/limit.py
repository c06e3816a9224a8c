"""``coepg bench limit``: operations done, against the fewest needed and the machine's own rate.

The fewest operations of a stage: every distinct token once through every weight, and every pair
of tokens that see each other once through attention,

    F = 2 (patches W_v + merged W_m + tokens W_t + heads W_h)
        + 4 (d_v pairs_v + d_t pairs_t)

with W the weights that a patch, a merged patch, a text token, or a predicted position meets, d
the width times the number of layers, and 2 operations per multiply-add. Distinct tokens of a
group are the prompt once and ``answer_tokens - 1`` of each answer: nothing follows the last one.
A backward pass costs twice its forward pass.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import (
    FlopCounterMode,
    sdpa_backward_flop_count,
    sdpa_flop_count,
)

from coepg.bench.workload import GrpoWorkload, image_grid, pictures
from coepg.models.local.load import LocalModel
from coepg.models.prompts import Prompt
from coepg.prefix.generate import generate
from coepg.prefix.pack import answer_logprobs, pack
from coepg.prefix.tree import Tree, make_tree


@dataclass(frozen=True, slots=True)
class Weights:
    """Multiply-adds per patch, merged patch, text token and predicted position; widths x layers."""

    patch: int
    merged: int
    token: int
    head: int
    vision_width_layers: int
    text_width_layers: int


def count_weights(model: Any) -> Weights:
    """The weights of a Qwen2.5-VL or Qwen3-VL model by what passes through them."""

    def linear(module: nn.Module) -> int:
        return sum(m.weight.numel() for m in module.modules() if isinstance(m, nn.Linear))

    visual, text = model.model.visual, model.model.language_model
    config = model.config
    return Weights(
        patch=linear(visual.blocks) + visual.patch_embed.proj.weight.numel(),
        merged=linear(visual.merger),
        token=linear(text.layers),
        head=model.lm_head.weight.numel(),
        vision_width_layers=config.vision_config.hidden_size * len(visual.blocks),
        text_width_layers=config.text_config.hidden_size * len(text.layers),
    )


def fewest_flops(
    weights: Weights, *, prompt: int, patches: int, merged: int, group: int, answer: int,
    vision_pairs: float,
) -> float:  # fmt: skip
    """Operations of one forward pass over a prompt and its answers (module text).

    Args:
        weights: of the model.
        prompt: tokens of the prompt, the picture's included.
        patches: of the picture.
        merged: tokens of the picture, after merging.
        group: answers.
        answer: tokens of each.
        vision_pairs: pairs of patches that see each other, averaged over the vision layers.

    Example:
        >>> w = Weights(patch=0, merged=0, token=10, head=100, vision_width_layers=0,
        ...             text_width_layers=1)
        >>> fewest_flops(w, prompt=2, patches=0, merged=0, group=1, answer=1, vision_pairs=0)
        252.0
    """
    fed = answer - 1
    tokens = prompt + group * fed
    heads = 1 + group * fed
    pairs = prompt * (prompt + 1) / 2 + group * (fed * prompt + fed * (fed + 1) / 2)
    through = (
        patches * weights.patch
        + merged * weights.merged
        + tokens * weights.token
        + heads * weights.head
    )
    seen = weights.vision_width_layers * vision_pairs + weights.text_width_layers * pairs
    return float(2 * through + 4 * seen)


def vision_pairs(work: GrpoWorkload, full_share: float, window: int = 8) -> float:
    """Pairs of patches in one picture, a share of the layers seeing all, the others windows."""
    rows, columns = (2 * n for n in image_grid(work.image_tokens))
    sizes = [
        min(window, rows - r) * min(window, columns - c)
        for r in range(0, rows, window)
        for c in range(0, columns, window)
    ]
    full = float((rows * columns) ** 2)
    return full_share * full + (1 - full_share) * sum(s * s for s in sizes)


def matmul_rate(size: int = 1024, repeats: int = 10) -> float:
    """Operations a second of a square float32 product: the best of ``repeats``."""
    a, b = torch.randn(size, size), torch.randn(size, size)
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        a @ b
        best = min(best, time.perf_counter() - started)
    return 2 * size**3 / best


def _trees(local: LocalModel, work: GrpoWorkload, text: str) -> list[Tree]:
    trees = []
    answer = [local.tokenizer.convert_tokens_to_ids("a")] * work.answer_tokens
    for picture in pictures(work):
        pixels, grid, _ = local.encode_image(picture)
        ids = local.prompt_ids(Prompt(text), grid)
        trees.append(make_tree([ids] * work.group, [answer] * work.group, pixels, grid))
    return trees


def bench_limit(local: LocalModel, work: GrpoWorkload, text: str) -> dict[str, Any]:
    """Operations and rates of rollout, scoring and update.

    Returns:
        Per stage ``done``, ``fewest``, ``done_over_fewest``, ``seconds`` and ``rate_share``: the
        rate of the operations done, as a share of ``matmul_rate``.
    """
    trees = _trees(local, work, text)
    questions = []
    for tree in trees:
        prompt = [*tree.prefix_ids, *tree.branches[0].prompt_ids]
        questions.append(make_tree([prompt], [()], tree.pixel_values, tree.image_grid_thw))
    batch = pack(
        trees, image_token_id=local.image_token_id, pad_token_id=local.pad_id, merge=local.merge
    )

    def rollout() -> None:
        generate(
            local, questions, num_samples=work.group, temperature=1.0,
            max_tokens=work.answer_tokens, seed=0, forbid_ids=tuple(local.eos_ids),
        )  # fmt: skip

    def score() -> None:
        with torch.no_grad():
            answer_logprobs(local.model, batch)

    def update() -> None:
        answer_logprobs(local.model, batch).sum().backward()
        local.model.zero_grad()

    visual = local.model.model.visual
    full = getattr(visual, "fullatt_block_indexes", None)
    share = len(full) / len(visual.blocks) if full is not None else 1.0
    forward = work.num_prompts * fewest_flops(
        count_weights(local.model),
        prompt=len(questions[0].prefix_ids) + len(questions[0].branches[0].prompt_ids),
        patches=4 * work.image_tokens, merged=work.image_tokens, group=work.group,
        answer=work.answer_tokens, vision_pairs=vision_pairs(work, share),
    )  # fmt: skip
    rate = matmul_rate()
    stages = {
        "rollout": _stage(rollout, forward, rate),
        "score": _stage(score, forward, rate),
        "update": _stage(update, 3 * forward, rate),
    }
    return {"suite": "limit", "matmul_flop_per_s": rate, "stages": stages}


def _attention(query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return int(sdpa_flop_count(query, key, value))


def _attention_backward(gradient: Any, query: Any, key: Any, value: Any, *_: Any, **__: Any) -> int:
    return int(sdpa_backward_flop_count(gradient, query, key, value))


def _counter() -> FlopCounterMode:
    """Torch's counter, with the CPU's attention, which it leaves out; masked pairs count too."""
    ops = torch.ops.aten
    mapping = {
        ops._scaled_dot_product_flash_attention_for_cpu: _attention,
        ops._scaled_dot_product_flash_attention_for_cpu_backward: _attention_backward,
    }
    return FlopCounterMode(display=False, custom_mapping=mapping)


def _stage(do: Callable[[], None], fewest: float, rate: float) -> dict[str, float]:
    with _counter() as counter:
        do()
    done = float(counter.get_total_flops())
    started = time.perf_counter()
    do()
    seconds = time.perf_counter() - started
    return {
        "done": done, "fewest": fewest, "done_over_fewest": done / fewest,
        "seconds": seconds, "rate_share": done / seconds / rate,
    }  # fmt: skip
