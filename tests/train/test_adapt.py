"""LoRA and frozen vision towers on small random models of both architectures."""

import copy

import pytest
import torch

from coepg.config.finetune import FinetuneConfig
from coepg.config.run import RunConfig
from coepg.config.sft import SftConfig
from coepg.errors import ConfigError
from coepg.models.local.load import LocalModel, from_parts
from coepg.models.prompts import Prompt
from coepg.models.tiny import build_image_processor, build_model
from coepg.models.tokenizer import shipped_tokenizer
from coepg.prefix.pack import answer_logprobs, pack
from coepg.prefix.tree import make_tree
from coepg.train.adapt import settle, trainable

pytest.importorskip("peft", reason="LoRA needs the extra 'lora'")


@pytest.fixture(params=["qwen3_vl", "qwen2_5_vl"])
def local(request) -> LocalModel:
    tokenizer = shipped_tokenizer()
    model = build_model("nano", tokenizer, seed=0, architecture=request.param).eval()
    return from_parts(model, tokenizer, build_image_processor(), "tiny", request.param)


def batch_of(local):
    from PIL import Image

    pixels, grid, _ = local.encode_image(Image.new("RGB", (80, 60), "orange"))
    prompts = [local.prompt_ids(Prompt(q), grid) for q in ("find: Save", "find: Name")]
    answers = [local.answer_ids(a) for a in ("<loc_10><loc_22>", "<loc_40><loc_42>")]
    tree = make_tree(prompts, answers, pixels, grid)
    return pack([tree], image_token_id=local.image_token_id, pad_token_id=local.pad_id,
                merge=local.merge)  # fmt: skip


def learn(model, batch, steps=3):
    moving = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(moving, lr=0.05)
    for _ in range(steps):
        (-answer_logprobs(model, batch).mean()).backward()
        optimizer.step()
        optimizer.zero_grad()


def test_adapters_learn_and_become_part_of_the_weights(local):
    batch = batch_of(local)
    before = copy.deepcopy(local.model.state_dict())
    start = answer_logprobs(local.model, batch).detach()
    wrapped = trainable(local, FinetuneConfig(lora_rank=4), seed=1)
    moving = {n for n, p in wrapped.named_parameters() if p.requires_grad}
    assert moving and all("lora_" in n and "visual" not in n for n in moving)
    assert torch.equal(answer_logprobs(wrapped, batch).detach(), start), "adapters start at zero"
    learn(wrapped, batch)
    learnt = answer_logprobs(wrapped, batch).detach()
    assert learnt.mean() > start.mean()
    # Whoever samples from the model meanwhile uses the adapters.
    assert torch.allclose(answer_logprobs(local.model, batch), learnt, atol=1e-6)
    settle(local, wrapped)
    assert torch.allclose(answer_logprobs(local.model, batch), learnt, atol=1e-4)
    after = local.model.state_dict()
    assert after.keys() == before.keys()
    changed = {n for n in before if not torch.equal(before[n], after[n])}
    assert changed and all("_proj" in n and "visual" not in n for n in changed)
    assert all(p.requires_grad for p in local.model.parameters())


def test_equal_seeds_give_equal_adapters(local):
    def first(seed):
        other = copy.copy(local)
        other.model = copy.deepcopy(local.model)
        wrapped = trainable(other, FinetuneConfig(lora_rank=2), seed)
        return [p for n, p in wrapped.named_parameters() if "lora_A" in n]

    a, b, c = first(1), first(1), first(2)
    assert all(torch.equal(x, y) for x, y in zip(a, b, strict=True))
    assert not any(torch.equal(x, y) for x, y in zip(a, c, strict=True))


def test_a_frozen_vision_tower_stays(local):
    batch = batch_of(local)
    before = copy.deepcopy(local.model.state_dict())
    model = trainable(local, FinetuneConfig(freeze_vision=True), seed=0)
    learn(model, batch)
    settle(local, model)
    after = local.model.state_dict()
    changed = {n for n in before if not torch.equal(before[n], after[n])}
    assert changed and not any("visual" in n for n in changed)


def test_targets_that_are_not_there_are_named(local):
    with pytest.raises(ConfigError, match="(?s)lora_targets.*nowhere"):
        trainable(local, FinetuneConfig(lora_rank=2, lora_targets=("nowhere",)), seed=0)


def test_a_training_leaves_a_plain_model(local, tmp_path, monkeypatch):
    """The Trainer with adapters and recomputed activations, and its continuation."""
    from coepg.train.sft import run_sft
    from coepg.train.trees import Example

    step = _step()
    examples = [Example(step, (Prompt("find: Save"),), ("<loc_10><loc_22>",), (1.0,))] * 8
    config = SftConfig(batch_size=2, num_epochs=1, save_steps=2, learning_rate=1e-2)
    adapt = FinetuneConfig(lora_rank=2, gradient_checkpointing=True)
    log = run_sft(local, _Images(), examples, config, RunConfig(device="cpu", report_to=()),
                  adapt, tmp_path, seed=3)  # fmt: skip
    assert len(log) == 4 and log[-1]["loss"] < log[0]["loss"]
    assert not any("lora" in n for n, _ in local.model.named_parameters())
    # A fresh process that finds the last checkpoint comes to the same weights.
    tokenizer = shipped_tokenizer()
    architecture = "qwen2_5_vl" if "qwen2_5" in local.name else "qwen3_vl"
    model = build_model("nano", tokenizer, seed=0, architecture=architecture).eval()
    other = from_parts(model, tokenizer, build_image_processor(), "tiny", "again")
    run_sft(other, _Images(), examples, config, RunConfig(device="cpu", report_to=()),
            adapt, tmp_path, seed=3)  # fmt: skip
    ours, theirs = local.model.state_dict(), other.model.state_dict()
    assert all(torch.allclose(ours[n], theirs[n], atol=1e-6) for n in ours)


class _Images:
    def image(self, name):
        from PIL import Image

        return Image.new("RGB", (80, 60), "orange")


def _step():
    from coepg.types import Box, Screenshot, Size, Step

    return Step(
        step_id="s", episode_id="e", task_name="t", split="train", step_index=0, num_steps=1,
        instruction="Save it", history=(), screenshot=Screenshot("x", Size(80, 60)),
        action_type="click", value=None, target_box_px=Box(10, 10, 20, 20),
    )  # fmt: skip


def test_kept_features_change_no_number(local, tmp_path):
    from coepg.train.sft import run_sft
    from coepg.train.trees import Example

    examples = [Example(_step(), (Prompt("find: Save"),), ("<loc_10><loc_22>",), (1.0,))] * 4
    config = SftConfig(batch_size=2, num_epochs=2, learning_rate=1e-2)
    logs = []
    for room in (0.0, 0.1):
        other = copy.copy(local)
        other.model = copy.deepcopy(local.model)
        adapt = FinetuneConfig(freeze_vision=True, vision_cache_gib=room)
        stage = tmp_path / str(room) / "stage"
        run = RunConfig(device="cpu", report_to=())
        log = run_sft(other, _Images(), examples, config, run, adapt, stage, seed=3)
        logs.append([row["loss"] for row in log])
    assert logs[0] == pytest.approx(logs[1], rel=1e-4)
    files = list((tmp_path / "0.1" / ".vision-cache").iterdir())
    assert len(files) == 1, "the same picture, four times in two epochs"


def test_features_of_a_learning_tower_are_not_kept():
    with pytest.raises(ValueError, match="freeze_vision"):
        FinetuneConfig(vision_cache_gib=1.0)
