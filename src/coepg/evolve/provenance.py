"""What a run was made with: recipe, versions, hardware."""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import coepg
from coepg.config import dump_recipe, load_recipe
from coepg.config.recipe import Recipe
from coepg.errors import ConfigError

_PACKAGES = (
    "torch",
    "transformers",
    "accelerate",
    "tokenizers",
    "numpy",
    "pyarrow",
    "pillow",
    "rapidocr",
    "trl",
    "peft",
)


def write_provenance(recipe: Recipe, run_dir: Path) -> None:
    """Write recipe.toml and run.json, or check that the folder belongs to this recipe.

    Raises:
        ConfigError: the folder was begun with another recipe; names the sections that differ.
    """
    path = run_dir / "recipe.toml"
    if path.is_file():
        old = load_recipe(str(path), [])
        if old != recipe:
            was, now = old.model_dump(mode="json"), recipe.model_dump(mode="json")
            differ = sorted(k for k in now if now[k] != was.get(k))
            raise ConfigError(
                str(run_dir), found=f"a run with other settings in: {', '.join(differ)}",
                expected="the same recipe, seed and --set as when it was begun",
                fix="give another --run folder, or the settings in its recipe.toml",
            )  # fmt: skip
    else:
        _write(path, dump_recipe(recipe))
    _write(run_dir / "run.json", json.dumps(provenance(), indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    work = path.with_name(path.name + ".tmp")
    work.write_text(text, encoding="utf-8")
    os.replace(work, path)


def provenance() -> dict[str, Any]:
    """Versions and hardware of this process."""
    import torch

    versions = {"coepg": coepg.__version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "not installed"
    gpus = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    hardware = {
        "machine": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "cores": str(os.cpu_count()),
        "threads": str(torch.get_num_threads()),
        "gpus": ", ".join(gpus) or "none",
    }
    return {"versions": versions, "hardware": hardware}
