"""The core imports, and shipped recipes load, where torch is not installed."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import coepg

CORE = (
    *("types", "errors", "config", "data", "rewards", "credit", "evaluate", "devices", "synth"),
    *("view", "cli"),
)
BLOCKED = ("torch", "transformers", "accelerate", "safetensors", "datasets")
SCRIPT = """
import importlib, sys
for name in {blocked!r}:
    sys.modules[name] = None  # importing it now raises ModuleNotFoundError
for name in {modules!r}:
    importlib.import_module(name)
from coepg.config import load_recipe
load_recipe("default")
"""


def core_modules():
    found = [f"coepg.{name}" for name in CORE]
    for name in CORE:
        folder = Path(coepg.__file__).parent / name
        walked = pkgutil.walk_packages([str(folder)], prefix=f"coepg.{name}.")
        found += [module.name for module in walked]
    existing = [name for name in found if _exists(name)]
    assert len(existing) > 30
    return existing


def _exists(name):
    path = Path(coepg.__file__).parent.parent / Path(*name.split("."))
    return path.with_suffix(".py").is_file() or (path / "__init__.py").is_file()


def test_core_imports_without_torch():
    pytest.importorskip("playwright")  # drivers and recorder name its types
    script = SCRIPT.format(blocked=BLOCKED, modules=core_modules())
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
