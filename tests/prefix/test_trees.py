"""Trees, masks, batches: what holds for all of them."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from coepg.prefix.batching import batches_by_length
from coepg.prefix.pack import pack, predecessors, prefix_positions, tree_mask
from coepg.prefix.tree import Branch, Tree, common_prefix_length, make_tree

IDS = st.lists(st.integers(0, 2), min_size=1, max_size=8)
IMAGE = 99


@given(st.lists(IDS, min_size=1, max_size=4), st.booleans())
def test_common_prefix_is_the_longest_one(sequences, keep_last):
    length = common_prefix_length(sequences, keep_last)
    limit = min(len(s) for s in sequences) - keep_last
    assert 0 <= length <= limit
    assert all(s[:length] == sequences[0][:length] for s in sequences)
    if length < limit:
        assert len({s[length] for s in sequences}) > 1


@given(st.lists(st.tuples(IDS, st.lists(st.integers(0, 2), max_size=4)), min_size=1, max_size=4))
def test_make_tree_keeps_every_sequence(pairs):
    tree = make_tree([p for p, _ in pairs], [a for _, a in pairs], None, None)
    assert [tree.prefix_ids + b.token_ids for b in tree.branches] == [
        tuple(p + a) for p, a in pairs
    ]
    assert all(b.prompt_ids for b in tree.branches)
    assert [b.answer_ids for b in tree.branches] == [tuple(a) for _, a in pairs]


branch_strategy = st.builds(
    Branch,
    st.lists(st.integers(1, 9), max_size=3).map(tuple),
    st.lists(st.integers(1, 9), max_size=3).map(tuple),
    st.floats(-1, 1, width=32),
)
tree_strategy = st.builds(
    Tree,
    st.lists(st.integers(1, 9), min_size=1, max_size=5).map(tuple),
    st.none(),
    st.none(),
    st.lists(branch_strategy, min_size=1, max_size=4).map(tuple),
)


@given(st.lists(tree_strategy, min_size=1, max_size=3))
def test_every_token_sees_its_own_path_and_nothing_else(trees):
    batch = pack(trees, image_token_id=IMAGE, pad_token_id=0, merge=2)
    mask = tree_mask(batch.branch_index)[:, 0]
    for r, tree in enumerate(trees):
        at = len(tree.prefix_ids)
        prefix = list(range(at))
        for p in prefix:
            assert mask[r, p].nonzero()[:, 0].tolist() == prefix[: p + 1]
            assert batch.position_ids[:, r, p].tolist() == [p] * 3
        for b, branch in enumerate(tree.branches):
            path = list(prefix)
            for k, token in enumerate(branch.token_ids):
                path.append(at)
                assert batch.input_ids[r, at] == token
                assert mask[r, at].nonzero()[:, 0].tolist() == path
                assert batch.position_ids[:, r, at].tolist() == [len(path) - 1] * 3
                is_answer = k >= len(branch.prompt_ids)
                assert bool(batch.answer_mask[r, at]) is is_answer
                weight = branch.weight if is_answer else 0.0
                assert float(batch.answer_weight[r, at]) == pytest.approx(weight)
                before = predecessors(batch.branch_index, torch.tensor([r]), torch.tensor([at]))
                assert before.item() == path[-2]
                assert batch.branch_index[r, at] == b
                at += 1
        for padding in range(at, mask.shape[1]):
            assert mask[r, padding].nonzero()[:, 0].tolist() == [padding]


@given(st.lists(st.integers(1, 60), max_size=20), st.integers(1, 100))
def test_batches_hold_everything_once_within_the_budget(lengths, budget):
    batches = batches_by_length(lengths, budget)
    assert sorted(i for b in batches for i in b) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= budget


def one_tree(prefix, branch, grid=(1, 4, 4)):
    values = torch.zeros(16, 3)
    return Tree(tuple(prefix), values, torch.tensor([grid]), (Branch(tuple(branch)),))


def packed(tree):
    return pack([tree], image_token_id=IMAGE, pad_token_id=0, merge=2)


def test_a_picture_belongs_to_the_prefix():
    assert packed(one_tree([1, *[IMAGE] * 4, 2], [3])).mm_token_type_ids.sum() == 4
    with pytest.raises(ValueError, match="must share everything"):
        packed(one_tree([1], [*[IMAGE] * 4, 3]))
    with pytest.raises(ValueError, match="2 image tokens, its picture needs 4"):
        packed(one_tree([1, IMAGE, IMAGE], [3]))
    with pytest.raises(ValueError, match="follow one another"):
        packed(one_tree([1, IMAGE, 5, *[IMAGE] * 3], [3]))
    with pytest.raises(ValueError, match="no picture"):
        prefix_positions([1, IMAGE], None, IMAGE, 2)


def test_a_batch_moves_as_a_whole():
    batch = packed(one_tree([1, *[IMAGE] * 4, 2], [3])).to("meta")
    inputs = batch.model_inputs()
    assert all(v.device.type == "meta" for v in inputs.values())
    text_only = pack([Tree((1, 2), None, None, (Branch((3,)),))], image_token_id=IMAGE,
                     pad_token_id=0, merge=2).to("cpu")  # fmt: skip
    assert text_only.pixel_values is None
