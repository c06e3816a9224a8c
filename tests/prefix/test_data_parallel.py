"""Two processes: packed passes go through the wrapper's forward, so gradients are averaged."""

from __future__ import annotations

import socket

import pytest
import torch
from small_models import random_model, random_picture

from coepg.models.prompts import Prompt
from coepg.prefix.pack import answer_logprobs, pack
from coepg.prefix.tree import make_tree


def loss_of(local, model, rank: int) -> torch.Tensor:
    pixels, grid, _ = local.encode_image(random_picture(60 + 20 * rank, 60, rank))
    prompts = [local.prompt_ids(Prompt(f"find: {i}"), grid) for i in range(2 + rank)]
    answers = [local.answer_ids("<loc_10><loc_20>")] * len(prompts)
    batch = pack(
        [make_tree(prompts, answers, pixels, grid)],
        image_token_id=local.image_token_id,
        pad_token_id=local.pad_id,
        merge=local.merge,
    )
    return -answer_logprobs(model, batch).mean()


def worker(rank: int, port: int, folder: str) -> None:
    torch.set_num_threads(1)
    address = f"tcp://127.0.0.1:{port}"
    torch.distributed.init_process_group("gloo", init_method=address, rank=rank, world_size=2)
    local = random_model("qwen3_vl")
    wrapped = torch.nn.parallel.DistributedDataParallel(local.model)
    loss_of(local, wrapped, rank).backward()
    gradients = {n: p.grad for n, p in local.model.named_parameters()}
    torch.save(gradients, f"{folder}/{rank}.pt")
    torch.distributed.destroy_process_group()


@pytest.mark.slow
def test_gradients_of_two_processes_are_averaged(tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(worker, (port, str(tmp_path)), nprocs=2)
    first, second = (torch.load(tmp_path / f"{r}.pt", weights_only=True) for r in (0, 1))
    local = random_model("qwen3_vl")
    (sum(loss_of(local, local.model, r) for r in (0, 1)) / 2).backward()
    largest = max(float(p.grad.abs().max()) for p in local.model.parameters())
    for name, parameter in local.model.named_parameters():
        assert torch.equal(first[name], second[name]), name
        assert float((first[name] - parameter.grad).abs().max()) < 1e-5 * largest, name
