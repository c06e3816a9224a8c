"""Cached features give what the tower gives, for both architectures."""

import copy

import pytest
import torch

from coepg.models.local.vision_cache import VisionCache, weights_key
from coepg.models.tiny import build_model
from coepg.models.tokenizer import shipped_tokenizer
from coepg.prefix.pack import answer_logprobs, pack
from coepg.prefix.tree import make_tree

IMAGE = shipped_tokenizer().convert_tokens_to_ids("<|image_pad|>")


@pytest.fixture(params=["qwen3_vl", "qwen2_5_vl"])
def model(request):
    model = build_model("nano", shipped_tokenizer(), seed=0, architecture=request.param).eval()
    model.model.visual.requires_grad_(False)
    return model


def batch(*seeds):
    trees = []
    for seed in seeds:
        torch.manual_seed(seed)
        rows, columns = 2 + seed % 3, 4
        prompt = [5, *[IMAGE] * (rows * columns), 7, 8]
        grid = torch.tensor([[1, rows, columns]])
        trees.append(make_tree([prompt], [[9, 10]], torch.randn(rows * columns, 300), grid))
    return pack(trees, image_token_id=IMAGE, pad_token_id=0, merge=1)


def test_known_and_new_pictures_give_the_same_logprobs_and_gradients(model, tmp_path):
    both = batch(1, 2, 3)
    plain = answer_logprobs(model, both)
    plain.sum().backward()
    wanted = {n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()
    cache = VisionCache(tmp_path, 10**9)
    with cache.installed(model):
        answer_logprobs(model, batch(2))
        assert (cache.num_hits, cache.num_misses) == (0, 1)
        cached = answer_logprobs(model, both)
        assert (cache.num_hits, cache.num_misses) == (1, 3)
    assert torch.allclose(cached, plain, atol=1e-5)
    cached.sum().backward()
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            assert torch.allclose(parameter.grad, wanted.pop(name), atol=1e-4), name
    assert not wanted
    answer_logprobs(model, batch(4))
    assert cache.num_misses == 3, "taken out again"


def test_other_weights_or_pixels_are_other_files(model, tmp_path):
    cache = VisionCache(tmp_path, 10**9)
    with cache.installed(model):
        answer_logprobs(model, batch(1))
    other = copy.deepcopy(model)
    with torch.no_grad():
        next(other.model.visual.parameters()).add_(1e-3)
    assert weights_key(other.model.visual) != weights_key(model.model.visual)
    with cache.installed(other):
        answer_logprobs(other, batch(1))
    with cache.installed(model):
        answer_logprobs(model, batch(2))
    assert (cache.num_hits, cache.num_misses) == (0, 3)


def test_the_longest_unused_go_first_and_room_is_kept(tmp_path):
    def features(value):
        return {"merged": torch.full((1000,), float(value))}

    cache = VisionCache(tmp_path, 13_000)  # three files of some 4.1 kB
    for key in "abc":
        cache.put(key, features(1))
    assert cache.get("a") is not None
    cache.put("d", features(2))
    assert cache.get("b") is None and cache.get("a") is not None and cache.get("d") is not None
    assert sum(p.stat().st_size for p in tmp_path.iterdir()) <= 13_000
    again = VisionCache(tmp_path, 13_000)
    assert torch.equal(again.get("d")["merged"], features(2)["merged"])


def test_a_damaged_file_is_computed_again(model, tmp_path):
    cache = VisionCache(tmp_path, 10**9)
    with cache.installed(model):
        whole = answer_logprobs(model, batch(1))
        for path in tmp_path.glob("*.safetensors"):
            path.write_bytes(path.read_bytes()[:50])
        assert torch.equal(answer_logprobs(model, batch(1)), whole)
    assert cache.num_misses == 2


def test_a_tower_that_is_trained_is_refused(model, tmp_path):
    model.model.visual.requires_grad_(True)
    with pytest.raises(ValueError, match="trained"), VisionCache(tmp_path, 1).installed(model):
        pass
