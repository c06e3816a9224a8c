"""``coepg pretrain``: train a tiny base model on synthetic screens."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class ModelSize(str, Enum):
    """Sizes of tiny base models."""

    TINY = "tiny"
    MICRO = "micro"
    NANO = "nano"


class Architecture(str, Enum):
    """Architectures of tiny base models, by transformers' names."""

    QWEN3_VL = "qwen3_vl"
    QWEN2_5_VL = "qwen2_5_vl"


def pretrain(
    data: Annotated[Path, typer.Option(help="Folder that `coepg synth` wrote.")],
    out: Annotated[Path, typer.Option(help="Folder of the new model.")],
    sheets: Annotated[
        Path | None, typer.Option(help="Folder that `coepg synth --kind sheets` wrote.")
    ] = None,
    size: Annotated[ModelSize, typer.Option(help="Size of the model.")] = ModelSize.TINY,
    architecture: Annotated[
        Architecture, typer.Option(help="Architecture of the model.")
    ] = Architecture.QWEN3_VL,
    steps: Annotated[int | None, typer.Option(min=1, help="Optimizer steps.")] = None,
    batch_size: Annotated[int | None, typer.Option(min=1, help="Screens a step.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of weights, order and questions.")] = 0,
) -> None:
    """Train a tiny base model from scratch, to plan, describe and ground.

    The same command again continues from the last checkpoint.
    """
    from coepg.train.pretrain import PretrainSettings, pretrain

    defaults = PretrainSettings()
    settings = PretrainSettings(
        size=size.value,
        architecture=architecture.value,
        num_steps=steps or defaults.num_steps,
        batch_size=batch_size or defaults.batch_size,
        seed=seed,
    )
    typer.echo(f"wrote {pretrain(data, out, settings, sheets)}")
