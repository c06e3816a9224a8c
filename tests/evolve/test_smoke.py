"""The whole loop on the smoke recipe: through the command line, killed, continued, repeated."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

COMMAND = [sys.executable, "-m", "coepg.cli.main", "evolve", "--recipe", "smoke"]
ENV = {**os.environ, "OMP_NUM_THREADS": "1"}


def run(folder, *more):
    return subprocess.run(
        [*COMMAND, "--run", str(folder), *more], capture_output=True, text=True, env=ENV
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("smoke") / "run"
    started = time.monotonic()
    result = run(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder, result.stdout, time.monotonic() - started


def test_every_stage_passes_and_the_table_is_printed(finished):
    folder, stdout, _ = finished
    assert "Step SR" in stdout and "report.html" in stdout
    stages = sorted(p.name for p in (folder / "stages").iterdir())
    assert not list((folder / "stages").glob("*/checkpoints"))
    assert stages == [
        "00-data",
        "01-1-sft-planner",
        "01-2-sft-grounder",
        "01-3-eval-sft",
        "01-4-grpo",
        "01-5-eval-grpo",
        "01-6-data",
        "02-1-sft-planner",
        "02-2-sft-grounder",
        "02-3-eval-sft",
        "02-4-grpo",
        "02-5-eval-grpo",
        "02-7-eval-blank",
    ]


def test_results_have_every_iteration_arm_split_and_metric(finished):
    folder, _, _ = finished
    with (folder / "metrics.csv").open() as file:
        rows = list(csv.DictReader(file))
    seen = {(r["iteration"], r["arm"], r["split"], r["metric"]) for r in rows}
    for iteration in ("1", "2"):
        for arm in ("sft", "grpo"):
            for split in ("test_seed", "test_task"):
                for metric in ("ele_acc", "op_f1", "step_sr", "plan_purity", "plan_diversity"):
                    assert (iteration, arm, split, metric) in seen


def test_curves_rollouts_and_provenance_are_kept(finished):
    import pyarrow.parquet as pq

    folder, _, _ = finished
    lines = [json.loads(x) for x in (folder / "metrics.jsonl").read_text().splitlines()]
    grpo = [x for x in lines if x["stage"] == "grpo" and "reward_mean" in x]
    assert grpo and all("zero_variance_share" in x for x in grpo)
    parts = sorted((folder / "stages/01-4-grpo/rollouts").glob("*.parquet"))
    table = pq.read_table(parts[0])
    assert {"image_hash", "text", "reward", "advantage"} <= set(table.column_names)
    assert json.loads((folder / "run.json").read_text())["versions"]["torch"]
    assert (folder / "report.html").stat().st_size > 10_000


def test_data_opens_with_the_datasets_library(finished):
    datasets = pytest.importorskip("datasets")
    folder, _, _ = finished
    loaded = datasets.load_dataset(
        "parquet", data_dir=str(folder / "stages/00-data/plans"), split="train"
    )
    assert len(loaded) > 0
    assert {"step_id", "element", "action_type", "value", "voters"} <= set(loaded.column_names)


def test_the_same_command_again_does_nothing_twice(finished):
    folder, _, _ = finished
    before = {p: p.stat().st_mtime_ns for p in (folder / "stages").iterdir()}
    result = run(folder)
    assert result.returncode == 0
    assert result.stdout.count("found done") == len(before)
    assert {p: p.stat().st_mtime_ns for p in (folder / "stages").iterdir()} == before


def test_other_settings_in_the_same_folder_are_refused(finished):
    folder, _, _ = finished
    result = run(folder, "--seed", "5")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr
    assert "run" in result.stderr and "--run" in result.stderr


def test_the_end_to_end_baseline_runs_on_the_same_recipe_with_adapters(tmp_path):
    adapters = ("finetune.lora_rank=2", "finetune.gradient_checkpointing=true")
    settings = ("evolve.agent=end_to_end", *adapters)
    result = run(tmp_path / "run", *(part for s in settings for part in ("--set", s)))
    assert result.returncode == 0, result.stdout + result.stderr
    stages = sorted(p.name for p in (tmp_path / "run" / "stages").iterdir())
    assert stages[:4] == ["01-1-sft-actor", "01-3-eval-sft", "01-4-grpo", "01-5-eval-grpo"]
    assert "Step SR" in result.stdout


def test_a_mistake_in_the_recipe_leaves_no_run_folder_bound_to_it(tmp_path):
    wrong = run(tmp_path / "run", "--set", 'data.eval_splits=["nowhere"]')
    assert wrong.returncode == 2
    assert "nowhere" in wrong.stderr and "Traceback" not in wrong.stderr
    assert not (tmp_path / "run" / "recipe.toml").exists()


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_runs_end_with_the_same_numbers(finished, tmp_path):
    """kill -9 at random moments, the same command again each time."""
    folder, _, seconds = finished
    again = tmp_path / "run"
    moments = random.Random(0)
    for _ in range(4):
        process = subprocess.Popen(
            [*COMMAND, "--run", str(again)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=ENV,
        )
        time.sleep(moments.uniform(0.2, 0.7) * seconds)
        process.send_signal(signal.SIGKILL)
        process.wait()
    result = run(again)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (again / "metrics.csv").read_text() == (folder / "metrics.csv").read_text()


def test_profiling_and_reading_ahead_change_no_number(finished, tmp_path):
    folder, _, _ = finished
    other = tmp_path / "run"
    result = run(other, "--profile", "--set", "run.num_workers=2")
    assert result.returncode == 0, result.stdout + result.stderr
    assert (other / "metrics.csv").read_text() == (folder / "metrics.csv").read_text()
    for stage in ("01-1-sft-planner", "01-2-sft-grounder", "01-4-grpo"):
        trace = json.loads((other / "stages" / stage / "profile/trace.json").read_text())
        names = {event.get("name") for event in trace["traceEvents"]}
        assert "aten::addmm" in names or "aten::mm" in names
        assert (other / "stages" / stage / "profile/operators.txt").read_text().count("aten::") > 9
    assert {"grpo.rollout", "grpo.reward", "grpo.update"} <= names
    with (other / "stages.csv").open() as file:
        stages = {(r["iteration"], r["stage"]): r for r in csv.DictReader(file)}
    assert float(stages["1", "sft_planner"]["useful_tokens_per_s"]) > 0
    assert 0 <= float(stages["1", "sft_planner"]["padding_share"]) < 1
    assert float(stages["1", "grpo"]["sample_s"]) > 0
    assert abs(sum(float(r["share"]) for r in stages.values()) - 1) < 1e-9


def test_eval_gives_the_numbers_of_the_run(finished, tmp_path):
    """The last agent, scored by ``coepg eval``; the second call finds every answer done."""
    from coepg.config import load_recipe

    folder, _, _ = finished
    recipe = load_recipe(str(folder / "recipe.toml"), [])
    command = [
        sys.executable, "-m", "coepg.cli.main", "eval", recipe.data.dataset,
        "--planner", str(folder / "stages/02-4-grpo/model"),
        "--grounder", str(folder / "stages/02-2-sft-grounder/model"),
        "--max-steps", str(recipe.data.max_eval_steps),
        "--max-completion-tokens", str(recipe.evaluate.max_completion_tokens),
        "--num-sampled-plans", str(recipe.evaluate.num_sampled_plans),
        "--seed", str(recipe.run.seed), "--out", str(tmp_path / "eval"),
    ]  # fmt: skip
    for split in recipe.data.eval_splits:
        command += ["--split", split]
    with (folder / "metrics.csv").open() as file:
        wanted = {
            (row["split"], row["metric"]): float(row["value"])
            for row in csv.DictReader(file)
            if row["iteration"] == "2" and row["arm"] == "grpo" and row["value"]
        }
    for _ in range(2):
        result = subprocess.run(command, capture_output=True, text=True, env=ENV)
        assert result.returncode == 0, result.stdout + result.stderr
        scored = json.loads((tmp_path / "eval" / "evaluation.json").read_text())
        found = {
            (part["split"], name): metric["value"]
            for part in scored["results"]
            for name, metric in part["metrics"].items()
            if metric["value"] is not None
        }
        shared = wanted.keys() & found.keys()
        assert {m for _, m in shared} >= {"ele_acc", "op_f1", "step_sr", "plan_purity"}
        assert {key: found[key] for key in shared} == {key: wanted[key] for key in shared}
        assert not (found.keys() - wanted.keys())
    other = [*command, "--screen-text", "ocr"]
    refused = subprocess.run(other, capture_output=True, text=True, env=ENV)
    assert refused.returncode == 2 and "other agent" in refused.stderr
