"""Shared prefixes give what separate sequences give: values, gradients and samples.

Measured on a CPU in float32: log-probabilities differ by at most 1e-6 relative, gradients by
about 1e-6 of the largest one; the limits here are 1e-4.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from coepg.models.local.load import LocalModel
from coepg.models.prompts import Prompt
from coepg.prefix import pack as pack_module
from coepg.prefix.backbone import base_model
from coepg.prefix.distribution import placeholder_ids, sampling_logprobs
from coepg.prefix.generate import generate
from coepg.prefix.pack import answer_logits, answer_logprobs, pack, prefix_positions
from coepg.prefix.score import score_answers
from coepg.prefix.tree import Branch, Tree, make_tree

SCREENS = [
    ((160, 160), ["find: Save", "find: the field Name", "find: x"]),
    ((120, 60), ["plan: type bob into the field Name\n1. click"]),
    ((80, 150), ["find: button Save", "plan: select Red in the list Colour"]),
]
ANSWERS = ["<loc_10><loc_22>", "<plan>Name</plan><type>type</type><value>bob</value>", "no"]


def make_trees(local: LocalModel, picture) -> list[Tree]:
    trees, k = [], 0
    for seed, (size, questions) in enumerate(SCREENS):
        pixels, grid, _ = local.encode_image(picture(*size, seed))
        prompts = [local.prompt_ids(Prompt(q), grid) for q in questions]
        answers = [local.answer_ids(ANSWERS[(k + i) % 3]) for i in range(len(questions))]
        k += len(questions)
        trees.append(
            make_tree(prompts, answers, pixels, grid, [0.5 + i for i in range(len(prompts))])
        )
    return trees


def packed(local: LocalModel, trees: list[Tree]):
    return pack(
        trees, image_token_id=local.image_token_id, pad_token_id=local.pad_id, merge=local.merge
    )


def plain_inputs(local: LocalModel, tree: Tree, branch: Branch) -> dict[str, torch.Tensor]:
    ids = torch.tensor([tree.prefix_ids + branch.token_ids])
    return {
        "input_ids": ids,
        "attention_mask": torch.ones_like(ids),
        "pixel_values": tree.pixel_values,
        "image_grid_thw": tree.image_grid_thw,
        "mm_token_type_ids": (ids == local.image_token_id).int(),
    }


def plain_logits(local: LocalModel, tree: Tree, branch: Branch) -> torch.Tensor:
    """The ordinary way: own sequence, own picture, transformers' own positions and mask."""
    logits = local.model(**plain_inputs(local, tree, branch), use_cache=False).logits[0]
    count = len(branch.answer_ids)
    return logits[-count - 1 : -1]


def pairs(trees: list[Tree]) -> list[tuple[Tree, Branch]]:
    return [(t, b) for t in trees for b in t.branches]


def relative(a: torch.Tensor, b: torch.Tensor) -> float:
    a, b = a.detach(), b.detach()
    return float((a - b).abs().max() / b.abs().max().clamp_min(1e-12))


def gradients(local: LocalModel, loss: torch.Tensor) -> dict[str, torch.Tensor]:
    local.model.zero_grad()
    loss.backward()
    found = {n: p.grad.clone() for n, p in local.model.named_parameters() if p.grad is not None}
    local.model.zero_grad()
    return found


def test_packed_logprobs_and_gradients_equal_the_plain_ones(local, picture, record_property):
    trees = make_trees(local, picture)
    batch = packed(local, trees)
    shared = answer_logprobs(local.model, batch)
    barred = placeholder_ids(local.model.config)
    plain = torch.cat(
        [
            sampling_logprobs(plain_logits(local, t, b), 1.0, barred).gather(
                1, torch.tensor(b.answer_ids)[:, None]
            )[:, 0]
            for t, b in pairs(trees)
        ]
    )
    weights = batch.answer_weight[batch.answer_mask]
    assert weights.tolist() == [b.weight for _, b in pairs(trees) for _ in b.answer_ids]
    value_error = relative(shared, plain)
    ours = gradients(local, (shared * weights).sum())
    theirs = gradients(local, (plain * weights).sum())
    assert ours.keys() == theirs.keys()
    largest = max(float(g.abs().max()) for g in theirs.values())
    per_parameter = {
        n: relative(ours[n], g) for n, g in theirs.items() if g.abs().max() > 1e-5 * largest
    }
    gradient_error = max(per_parameter.values())
    print(f"\n{local.name}: log-probs {value_error:.1e}, gradients {gradient_error:.1e}")
    record_property("logprob_error", value_error)
    record_property("gradient_error", gradient_error)
    assert value_error < 1e-4
    assert gradient_error < 1e-4, per_parameter
    assert any("visual" in n for n in per_parameter), "the picture's tower gets gradients"


def test_logits_in_pieces_give_the_same_values_and_gradients(local, picture, monkeypatch):
    batch = packed(local, make_trees(local, picture))
    whole = answer_logprobs(local.model, batch)
    whole_gradients = gradients(local, whole.sum())
    monkeypatch.setattr(pack_module, "MAX_LOGITS", 5 * len(local.tokenizer))
    assert len(whole) > 10
    pieces = answer_logprobs(local.model, batch)
    assert relative(pieces, whole) < 1e-6
    piece_gradients = gradients(local, pieces.sum())
    largest = max(float(g.abs().max()) for g in whole_gradients.values())
    for name, gradient in whole_gradients.items():
        assert float((piece_gradients[name] - gradient).abs().max()) < 1e-5 * largest, name


def test_the_picture_matters(local, picture):
    """Guards the tests above: they would pass on a model that ignores its picture."""
    tree = make_trees(local, picture)[0]
    other = replace(tree, pixel_values=tree.pixel_values.flip(0))
    a, b = (answer_logprobs(local.model, packed(local, [t])) for t in (tree, other))
    assert relative(a, b) > 1e-2


def test_rows_do_not_depend_on_their_batch(local, picture):
    trees = make_trees(local, picture)
    together = score_answers(local, trees)
    alone = [score_answers(local, [t])[0] for t in trees]
    assert [[len(b) for b in t] for t in together] == [[len(b) for b in t] for t in alone]
    flat = [torch.tensor([x for t in side for b in t for x in b]) for side in (together, alone)]
    assert relative(*flat) < 1e-5


@pytest.mark.parametrize("budget", [1, 400, 10_000])
def test_scores_do_not_depend_on_the_token_budget(local, picture, budget):
    trees = make_trees(local, picture)
    a, b = score_answers(local, trees), score_answers(local, trees, max_batch_tokens=budget)
    flat = [torch.tensor([x for t in side for branch in t for x in branch]) for side in (a, b)]
    assert relative(*flat) < 1e-5


def test_eager_attention_gives_the_same(local, picture):
    trees = make_trees(local, picture)
    sdpa = answer_logprobs(local.model, packed(local, trees))
    local.model.set_attn_implementation("eager")
    try:
        eager = answer_logprobs(local.model, packed(local, trees))
    finally:
        local.model.set_attn_implementation("sdpa")
    assert relative(eager, sdpa) < 1e-4


def test_a_wrapper_with_its_own_forward_gives_the_same(local, picture):
    class Wrapper(torch.nn.Module):
        def __init__(self, module: torch.nn.Module) -> None:
            super().__init__()
            self.module = module
            self.calls = 0

        def forward(self, **inputs):
            self.calls += 1
            return self.module(**inputs)

    batch = packed(local, make_trees(local, picture))
    wrapper = Wrapper(local.model)
    assert base_model(wrapper) is local.model
    (a, targets), (b, other_targets) = (
        answer_logits(local.model, batch),
        answer_logits(wrapper, batch),
    )
    assert wrapper.calls == 1
    assert torch.equal(targets, other_targets)
    assert relative(a, b) < 1e-5


def test_mixed_precision_of_the_outermost_forward_is_kept(local, picture):
    """accelerate patches the model's forward; a pass that starts further in would miss it."""
    accelerate = pytest.importorskip("accelerate")
    from accelerate.state import AcceleratorState

    batch = packed(local, make_trees(local, picture))
    full = answer_logprobs(local.model, batch)
    seen = []
    layer = local.model.model.language_model.layers[0].mlp
    handle = layer.register_forward_hook(lambda _m, _i, output: seen.append(output.dtype))
    try:
        prepared = accelerate.Accelerator(mixed_precision="bf16", cpu=True).prepare_model(
            local.model
        )
        mixed = answer_logprobs(prepared, batch)
        logits, _ = answer_logits(prepared, batch)
    finally:
        handle.remove()
        local.model.__dict__.pop("forward", None)
        local.model.__dict__.pop("_original_forward", None)
        AcceleratorState._reset_state(True)
    assert set(seen) == {torch.bfloat16}
    assert mixed.dtype == logits.dtype == torch.float32
    assert 0 < relative(mixed, full) < 0.1
    assert torch.equal(answer_logprobs(local.model, batch), full), "nothing stays patched"


def test_a_branch_without_own_prompt_follows_the_prefix(local, picture):
    tree = make_trees(local, picture)[0]
    prompt = tree.branches[0].prompt_ids
    joined = Tree(
        tree.prefix_ids + prompt,
        tree.pixel_values,
        tree.image_grid_thw,
        tuple(Branch((), tuple(local.answer_ids(a))) for a in ANSWERS),
    )
    split = replace(
        tree, branches=tuple(Branch(prompt, tuple(local.answer_ids(a))) for a in ANSWERS)
    )
    a, b = score_answers(local, [joined])[0], score_answers(local, [split])[0]
    for x, y in zip(a, b, strict=True):
        assert x == pytest.approx(y, rel=1e-4)
    sampled = [
        generate(local, [t], num_samples=2, temperature=1.0, max_tokens=5, seed=1)[0][0]
        for t in (joined, replace(split, branches=split.branches[:1]))
    ]
    assert [g.token_ids for g in sampled[0]] == [g.token_ids for g in sampled[1]]


@pytest.mark.parametrize("size", [(160, 160), (20, 160), (160, 20), (60, 100), (40, 40)])
@pytest.mark.parametrize("before", [1, 5])
def test_positions_equal_those_of_transformers(local, picture, size, before):
    _, grid, _ = local.encode_image(picture(*size, 0))
    count = int(grid.prod()) // local.merge**2
    ids = [7] * before + [local.image_token_id] * count + [8, 9, 10]
    ours, following = prefix_positions(ids, grid, local.image_token_id, local.merge)
    tensor = torch.tensor([ids])
    theirs, _ = local.model.model.get_rope_index(
        tensor, image_grid_thw=grid, mm_token_type_ids=(tensor == local.image_token_id).int()
    )
    assert torch.equal(ours, theirs[:, 0])
    assert following == int(theirs.max()) + 1


def test_recomputed_activations_give_the_same_gradients(local, picture):
    batch = packed(local, make_trees(local, picture))
    kept = gradients(local, answer_logprobs(local.model, batch).sum())
    local.model.train()
    local.model.gradient_checkpointing_enable({"use_reentrant": False})
    try:
        again = gradients(local, answer_logprobs(local.model, batch).sum())
    finally:
        local.model.gradient_checkpointing_disable()
        local.model.eval()
    assert again.keys() == kept.keys()
    largest = max(float(g.abs().max()) for g in kept.values())
    for name, gradient in kept.items():
        assert float((again[name] - gradient).abs().max()) < 1e-5 * largest, name
