"""``coepg bench grpo``: one GRPO step against a peer, in one call on one machine."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from coepg.bench.workload import GrpoWorkload, write_model
from coepg.errors import ModelError


def bench_grpo(work: GrpoWorkload, peer: str | None, check_gradients: bool) -> dict[str, Any]:
    """Measure both sides, one after the other, each in its own process.

    Args:
        work: what is done.
        peer: ``trl``, or None for this project alone.
        check_gradients: also compare loss and gradient on the peer's answers.

    Returns:
        Median, lowest and highest step time and peak memory of each side; ``speedup`` (the
        peer's median over ours) and ``memory_ratio``; settings, versions, hardware.

    Raises:
        ConfigError: the peer is not installed.
        ModelError: a side ended early; the text has the end of its output.
    """
    from coepg.bench import grpo_trl
    from coepg.evolve.provenance import provenance

    if peer == "trl":
        grpo_trl.check()
    with tempfile.TemporaryDirectory(prefix="coepg-bench-") as name:
        folder = Path(name)
        model = write_model(work, folder / "model")
        (folder / "workload.json").write_text(json.dumps(asdict(work)), encoding="utf-8")
        sides = {"coepg": _side("coepg", folder, model)}
        if peer:
            sides[peer] = _side(peer, folder, model)
        equality = _child("gradient", folder, model) if peer and check_gradients else None
    result: dict[str, Any] = {"suite": "grpo", "workload": asdict(work), "sides": sides}
    if peer:
        ours, theirs = sides["coepg"], sides[peer]
        result["peer"] = peer
        result["speedup"] = theirs["median_s"] / ours["median_s"]
        result["memory_ratio"] = theirs["peak_mib"] / ours["peak_mib"]
        result["equality"] = equality
    return result | provenance()


def _side(side: str, folder: Path, model: Path) -> dict[str, Any]:
    record = _child(side, folder, model)
    seconds = record["step_s"]
    return record | {
        "median_s": statistics.median(seconds), "lowest_s": min(seconds), "highest_s": max(seconds)
    }  # fmt: skip


def _child(side: str, folder: Path, model: Path) -> dict[str, Any]:
    out = folder / f"{side}.json"
    command = [sys.executable, "-m", "coepg.bench.child", side, str(folder / "workload.json"),
               str(model), str(folder / f"work-{side}"), str(out)]  # fmt: skip
    threads = json.loads((folder / "workload.json").read_text(encoding="utf-8"))["num_threads"]
    env = {**os.environ, "OMP_NUM_THREADS": str(threads), "TOKENIZERS_PARALLELISM": "false"}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    if done.returncode or not out.is_file():
        raise ModelError(
            f"benchmark side {side}", found=f"exit code {done.returncode}",
            expected="a finished run", fix=f"look at its output:\n{done.stderr[-2000:]}",
        )  # fmt: skip
    record: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    return record
