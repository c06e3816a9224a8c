"""Sampling from shared prefixes against transformers' own generate and against scoring."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from test_equality import make_trees, plain_inputs, relative

from coepg.models.prompts import Prompt
from coepg.prefix.distribution import bar, choose, placeholder_ids, sampling_logprobs
from coepg.prefix.generate import generate
from coepg.prefix.score import score_answers
from coepg.prefix.tree import Branch, make_tree

MAX_TOKENS = 12


def answered(trees, results, sample: int):
    return [
        replace(
            t,
            branches=tuple(
                Branch(b.prompt_ids, r[sample].token_ids)
                for b, r in zip(t.branches, result, strict=True)
            ),
        )
        for t, result in zip(trees, results, strict=True)
    ]


def test_greedy_equals_transformers_generate(local, picture):
    trees = make_trees(local, picture)
    results = generate(local, trees, num_samples=1, temperature=0, max_tokens=MAX_TOKENS, seed=0)
    barred = list(placeholder_ids(local.model.config))
    for tree, result in zip(trees, results, strict=True):
        for branch, (answer,) in zip(tree.branches, result, strict=True):
            inputs = plain_inputs(local, tree, Branch(branch.prompt_ids))
            theirs = local.model.generate(
                **inputs,
                do_sample=False,
                max_new_tokens=MAX_TOKENS,
                suppress_tokens=barred,
                eos_token_id=sorted(local.eos_ids),
                pad_token_id=local.pad_id,
            )[0, inputs["input_ids"].shape[1] :]
            assert list(answer.token_ids) == theirs.tolist()


@pytest.mark.parametrize("temperature", [0.0, 0.7, 1.0, 1.5])
def test_logprobs_equal_scoring(local, picture, temperature):
    trees = make_trees(local, picture)
    results = generate(
        local, trees, num_samples=3, temperature=temperature, max_tokens=MAX_TOKENS, seed=3
    )
    for sample in range(3):
        scored = score_answers(local, answered(trees, results, sample), temperature)
        theirs = torch.tensor([x for t in scored for b in t for x in b])
        ours = torch.tensor([x for t in results for b in t for x in b[sample].token_logprobs])
        assert relative(ours, theirs) < 1e-5


def test_samples_do_not_depend_on_the_batch(local, picture):
    trees = make_trees(local, picture)
    settings = {"num_samples": 4, "temperature": 1.0, "max_tokens": MAX_TOKENS, "seed": 11}
    together = generate(local, trees, **settings)
    split = generate(local, trees, **settings, max_batch_tokens=1)
    again = generate(local, trees, **settings)
    other = generate(local, trees, **(settings | {"seed": 12}))

    def ids(results):
        return [g.token_ids for t in results for b in t for g in b]

    assert ids(together) == ids(split) == ids(again)
    assert ids(together) != ids(other)
    assert len(set(ids(together))) > len(trees), "samples of one branch differ"


def test_answers_end_where_the_end_token_is(local, picture):
    """Early ends of some answers must not disturb the others (rows are dropped on the way)."""
    trees = make_trees(local, picture)
    free = generate(local, trees, num_samples=4, temperature=1.0, max_tokens=MAX_TOKENS, seed=5)
    common = free[0][0][0].token_ids[2]
    other = type(local)(local.model, local.tokenizer, local.image_processor, local.profile, "x")
    stopping = _stopping_at(other, [common])
    cut = generate(stopping, trees, num_samples=4, temperature=1.0, max_tokens=MAX_TOKENS, seed=5)
    seen = set()
    for tree, cut_tree in zip(free, cut, strict=True):
        for branch, cut_branch in zip(tree, cut_tree, strict=True):
            for a, b in zip(branch, cut_branch, strict=True):
                end = min(
                    (a.token_ids.index(i) for i in stopping.eos_ids if i in a.token_ids),
                    default=None,
                )
                assert b.finished is (end is not None)
                assert b.token_ids == (a.token_ids if end is None else a.token_ids[: end + 1])
                assert len(b.token_ids) == len(b.token_logprobs)
                seen.add(b.finished)
    assert seen == {True, False}


def test_trees_that_end_early_leave_the_others_alone(local, picture):
    """Finished trees leave the cache; whichever are left must keep their own rows."""
    trees = [replace(t, branches=t.branches[:1]) for t in make_trees(local, picture)]
    trees += [replace(t, prefix_ids=(7, *t.prefix_ids)) for t in trees]
    settings = {"num_samples": 1, "temperature": 1.5, "max_tokens": MAX_TOKENS, "seed": 8}
    free = [g for t in generate(local, trees, **settings) for b in t for g in b]
    for survivor in range(len(trees)):
        keep = set(free[survivor].token_ids)
        # The others end one after another, each at a token of its own.
        stops = {g.token_ids[k] for k, g in enumerate(free)} - keep
        stopping = _stopping_at(local, stops)
        cut = [g for t in generate(stopping, trees, **settings) for b in t for g in b]
        assert len(cut[survivor].token_ids) == MAX_TOKENS
        assert sum(g.finished for g in cut) >= len(trees) // 2
        for a, b in zip(free, cut, strict=True):
            end = len(b.token_ids)
            assert b.token_ids == a.token_ids[:end]
            assert b.token_logprobs == pytest.approx(a.token_logprobs[:end], rel=1e-4)


def _stopping_at(local, token_ids):
    class Stopping(type(local)):
        @property
        def eos_ids(self):
            return frozenset({*token_ids, self.end_id})

    return Stopping(local.model, local.tokenizer, local.image_processor, local.profile, local.name)


def test_barred_ids_are_never_sampled(local, picture):
    trees = make_trees(local, picture)[:1]
    allowed = {1, 2, 3, local.end_id}
    forbidden = [i for i in range(len(local.tokenizer)) if i not in allowed]
    results = generate(
        local, trees, num_samples=8, temperature=2.0, max_tokens=6, seed=0, forbid_ids=forbidden
    )
    sampled = {i for b in results[0] for g in b for i in g.token_ids}
    assert sampled <= allowed and len(sampled) > 1
    scored = score_answers(local, answered(trees, results, 0), 2.0, forbid_ids=forbidden)
    assert scored[0][0] == pytest.approx(list(results[0][0][0].token_logprobs), rel=1e-4)


def test_training_mode_is_restored_and_no_gradient_kept(local, picture):
    trees = make_trees(local, picture)[1:2]
    local.model.train()
    try:
        generate(local, trees, num_samples=1, temperature=0, max_tokens=2, seed=0)
        assert local.model.training
    finally:
        local.model.eval()


def test_generation_does_not_leak_into_later_plain_passes(local, picture):
    """transformers keeps position offsets on the model; giving positions leaves them alone."""
    tree = make_trees(local, picture)[0]
    inputs = plain_inputs(local, tree, tree.branches[0])
    before = local.model(**inputs).logits
    generate(local, [tree], num_samples=2, temperature=1.0, max_tokens=4, seed=0)
    assert torch.equal(before, local.model(**inputs).logits)


def test_one_branch_and_no_tree(local, picture):
    pixels, grid, _ = local.encode_image(picture(60, 60, 1))
    prompt = local.prompt_ids(Prompt("find: x"), grid)
    tree = make_tree([prompt], [()], pixels, grid)
    assert len(tree.branches[0].prompt_ids) == 1
    result = generate(local, [tree], num_samples=1, temperature=0, max_tokens=1, seed=0)
    assert len(result[0][0][0].token_ids) == 1
    assert generate(local, [], num_samples=1, temperature=0, max_tokens=1, seed=0) == []
    with pytest.raises(ValueError, match="num_samples"):
        generate(local, [tree], num_samples=0, temperature=0, max_tokens=1, seed=0)


def test_choose_draws_from_the_distribution():
    logits = torch.tensor([2.0, 0.0, float("-inf"), 1.0, -1.0])
    logprobs = sampling_logprobs(logits, 1.0, [4])
    count = 20_000
    u = torch.rand(count, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    drawn = choose(logprobs.expand(count, -1), u, max_rows=1000)
    share = torch.bincount(drawn, minlength=5) / count
    assert torch.allclose(share, logprobs.exp(), atol=0.015)
    assert share[2] == share[4] == 0
    edge = torch.tensor([0.0, 1 - 2**-53], dtype=torch.float64)
    assert choose(logprobs.expand(2, -1), edge).tolist() == [0, 3]


def test_bar_keeps_other_logits_and_gradients_finite():
    logits = torch.randn(3, 7, requires_grad=True)
    assert torch.equal(bar(logits, []), logits)
    sampling_logprobs(logits, 0.5, [1, 2])[:, 0].sum().backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[:, 1:3] == 0).all()
