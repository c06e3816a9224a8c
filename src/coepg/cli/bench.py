"""``coepg bench``: speed and memory against named peers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(no_args_is_help=True, help="Measure speed and memory against named peers.")


@app.callback()
def _bench() -> None:
    """Measure speed and memory against named peers."""
    import os

    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")


@app.command("grpo")
def grpo(
    image_tokens: Annotated[
        int, typer.Option(min=1, help="Image tokens of a screenshot: 48, 300, 1200.")
    ] = 300,
    group: Annotated[int, typer.Option(min=2, help="Answers per prompt.")] = 7,
    prompts: Annotated[int, typer.Option(min=1, help="Prompts a step.")] = 2,
    answer_tokens: Annotated[int, typer.Option(min=1, help="Tokens of every answer.")] = 32,
    steps: Annotated[int, typer.Option(min=1, help="Measured steps, after one other.")] = 3,
    width: Annotated[int, typer.Option(min=64, help="Width of the random model.")] = 256,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads of each side.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights, pictures, sampling.")] = 0,
    peer: Annotated[str, typer.Option(help="trl, or none.")] = "trl",
    gradients: Annotated[
        bool, typer.Option(help="Also compare loss and gradient on the peer's answers.")
    ] = False,
    out: Annotated[Path | None, typer.Option("--json", help="Write the result there.")] = None,
) -> None:
    """One GRPO step (sampling, reward, reference, update) of a random 10 M Qwen2.5-VL."""
    from coepg.bench.grpo import bench_grpo
    from coepg.bench.workload import GrpoWorkload
    from coepg.errors import ConfigError

    if peer not in ("trl", "none"):
        raise ConfigError("--peer", found=repr(peer), expected="trl or none", fix="name one")
    work = GrpoWorkload(
        image_tokens=image_tokens, group=group, num_prompts=prompts, answer_tokens=answer_tokens,
        steps=steps, width=width, seed=seed, num_threads=threads,
    )  # fmt: skip
    result = bench_grpo(work, None if peer == "none" else peer, gradients)
    if out is not None:
        out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    typer.echo(_text(result))


@app.command("limit")
def limit(
    image_tokens: Annotated[int, typer.Option(min=1, help="Image tokens of a screenshot.")] = 300,
    group: Annotated[int, typer.Option(min=2, help="Answers per prompt.")] = 7,
    prompts: Annotated[int, typer.Option(min=1, help="Prompts a step.")] = 2,
    answer_tokens: Annotated[int, typer.Option(min=2, help="Tokens of every answer.")] = 32,
    width: Annotated[int, typer.Option(min=64, help="Width of the random model.")] = 256,
    threads: Annotated[int, typer.Option(min=1, help="CPU threads.")] = 2,
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights and pictures.")] = 0,
    out: Annotated[Path | None, typer.Option("--json", help="Write the result there.")] = None,
) -> None:
    """Operations done by rollout, scoring and update against the fewest needed."""
    import tempfile
    from dataclasses import asdict

    import torch

    from coepg.bench.grpo_coepg import INSTRUCTION
    from coepg.bench.limit import bench_limit
    from coepg.bench.workload import GrpoWorkload, write_model
    from coepg.evolve.provenance import provenance
    from coepg.models.local.load import load_local

    work = GrpoWorkload(
        image_tokens=image_tokens, group=group, num_prompts=prompts, answer_tokens=answer_tokens,
        width=width, seed=seed, num_threads=threads,
    )  # fmt: skip
    torch.set_num_threads(threads)
    with tempfile.TemporaryDirectory(prefix="coepg-bench-") as folder:
        local = load_local(write_model(work, Path(folder) / "model"))
        result = bench_limit(local, work, INSTRUCTION)
    result |= {"workload": asdict(work), **provenance()}
    if out is not None:
        out.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    typer.echo(f"matrix products: {result['matmul_flop_per_s'] / 1e9:.0f} GFLOP/s")
    for name, stage in result["stages"].items():
        typer.echo(
            f"{name}: {stage['done'] / 1e9:.1f} GFLOP, {stage['done_over_fewest']:.2f} of the "
            f"fewest; {stage['seconds']:.2f} s, {100 * stage['rate_share']:.0f} % of the rate"
        )


def _text(result: dict[str, Any]) -> str:
    lines = [
        f"{name}: median {side['median_s']:.2f} s a step "
        f"({side['lowest_s']:.2f} to {side['highest_s']:.2f}), peak {side['peak_mib']:.0f} MiB"
        for name, side in result["sides"].items()
    ]
    if "speedup" in result:
        lines.append(
            f"speedup {result['speedup']:.1f}x, the peer's memory {result['memory_ratio']:.2f}x"
        )
    if result.get("equality"):
        equal = result["equality"]
        lines.append(
            f"same answers: loss differs by {equal['loss_error']:.1e}, gradient by "
            f"{equal['gradient_error']:.1e} (relative)"
        )
    return "\n".join(lines)
