"""The command on a small workload. Speeds are measured in benchmarks, not here."""

import importlib.util
import json
import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-m", "coepg.cli.main", "bench", "grpo"]
SMALL = ["--image-tokens", "12", "--answer-tokens", "4", "--group", "3", "--steps", "2",
         "--width", "64", "--threads", "1"]  # fmt: skip
ENV = {**os.environ, "OMP_NUM_THREADS": "1"}


def has_working_trl():
    """TRL needs a torchvision that fits torch: both must really import."""
    if importlib.util.find_spec("trl") is None:
        return False
    probe = "import torchvision, trl; trl.GRPOTrainer"
    return subprocess.run([sys.executable, "-c", probe], capture_output=True).returncode == 0


def run(*more):
    return subprocess.run([*COMMAND, *SMALL, *more], capture_output=True, text=True, env=ENV)


def test_the_own_side_alone(tmp_path):
    out = tmp_path / "out.json"
    done = run("--peer", "none", "--json", str(out))
    assert done.returncode == 0, done.stderr
    record = json.loads(out.read_text())
    side = record["sides"]["coepg"]
    assert len(side["step_s"]) == 2 and 0 < side["lowest_s"] <= side["median_s"]
    assert side["peak_mib"] > side["peak_before_mib"] > 0
    assert record["workload"]["group"] == 3 and record["versions"]["torch"]
    assert "speedup" not in record and "coepg: median" in done.stdout


def test_a_peer_that_is_not_installed_is_named():
    if importlib.util.find_spec("trl") is not None:
        pytest.skip("TRL is installed")
    done = run("--peer", "trl")
    assert done.returncode == 2
    assert "coepg[bench]" in done.stderr and "Traceback" not in done.stderr


def test_an_unknown_peer_is_refused():
    done = run("--peer", "nobody")
    assert done.returncode == 2 and "'nobody'" in done.stderr


@pytest.mark.skipif(
    not has_working_trl(),
    reason="needs TRL 1.16 and a torchvision that fits torch (docs/performance.md)",
)
def test_loss_and_gradient_equal_those_of_trl_on_its_answers(tmp_path):
    out = tmp_path / "out.json"
    done = run("--peer", "trl", "--gradients", "--json", str(out))
    assert done.returncode == 0, done.stderr
    record = json.loads(out.read_text())
    assert record["equality"]["gradient_norm"] > 0
    assert record["equality"]["loss_error"] < 1e-4
    assert record["equality"]["gradient_error"] < 1e-4
    assert record["speedup"] > 0 and record["memory_ratio"] > 0
