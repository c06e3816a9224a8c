"""Run the arms of the comparison over several seeds and lay the results side by side.

    python benchmarks/compare_arms.py --out runs/compare --seeds 0 1 2 --jobs 2

Each arm is a shipped recipe (``compare_*``), all with the same data, base and budget. Stages that
an arm shares with ``compare_full`` (D_0, the first SFT) are copied from it, not computed again.
Every run uses one thread; ``--jobs`` runs are worked on at a time. Runs that are there already are
continued or read, so that the command can be stopped at any time. Writes ``results.json`` and
``results.md`` to ``--out``: the mean over seeds with its 95 % interval, and the difference to
``compare_full`` paired by seed.
"""

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FULL = "compare_full"
ARMS = (
    FULL,
    "compare_end_to_end",
    "compare_sft_only",
    "compare_single_grounder",
    "compare_uniform",
    "compare_prior_only",
    "compare_mean_logprob",
)
T_95 = {2: 12.71, 3: 4.30, 4: 3.18, 5: 2.78}
"""Two-sided 95 % quantiles of Student's t for the mean of that many seeds."""


def run_arm(arm, seed, out, settings):
    folder = out / f"{arm}-seed{seed}"
    command = [sys.executable, "-m", "coepg.cli.main", "evolve", "--recipe", arm]
    command += ["--run", str(folder), "--seed", str(seed)]
    if arm != FULL:
        command += ["--reuse", str(out / f"{FULL}-seed{seed}")]
    for setting in ["run.num_threads=1", *settings]:
        command += ["--set", setting]
    out.mkdir(parents=True, exist_ok=True)
    with (out / f"{arm}-seed{seed}.log").open("a") as log:
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(command, check=True, stdout=log, stderr=subprocess.STDOUT, env=environment)
    print(f"done: {arm}, seed {seed}", flush=True)
    with (folder / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def mean_and_interval(values):
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, float("nan")
    half = T_95.get(len(values), 2.0) * statistics.stdev(values) / len(values) ** 0.5
    return mean, half


def collect(rows_by_run, metric):
    """(arm, iteration, stage, split) -> {seed: value of the metric in per cent}."""
    found = {}
    for (arm, seed), rows in rows_by_run.items():
        for row in rows:
            if row["metric"] == metric and row["arm"] in ("sft", "grpo"):
                key = (arm, int(row["iteration"]), row["arm"], row["split"])
                found.setdefault(key, {})[seed] = 100 * float(row["value"])
    return found


def table(found, metric):
    lines = [
        f"| arm | iteration | stage | split | {metric} % | minus full, paired | seeds |",
        "|---|---|---|---|---|---|---|",
    ]
    for (arm, iteration, stage, split), by_seed in sorted(found.items()):
        mean, half = mean_and_interval(list(by_seed.values()))
        full = found.get((FULL, iteration, stage, split), {})
        pairs = [by_seed[seed] - full[seed] for seed in by_seed if seed in full]
        paired = (
            "" if arm == FULL or not pairs else "{:+.1f} ± {:.1f}".format(*mean_and_interval(pairs))
        )
        lines.append(
            f"| {arm.removeprefix('compare_')} | {iteration} | {stage} | {split} "
            f"| {mean:.1f} ± {half:.1f} | {paired} | {len(by_seed)} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--arms", nargs="+", default=list(ARMS), choices=ARMS)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    args = parser.parse_args()
    rows_by_run = {}
    # The full arm of every seed comes first: the others copy their beginning from it.
    for arms in ([a for a in args.arms if a == FULL], [a for a in args.arms if a != FULL]):
        runs = [(arm, seed) for arm in arms for seed in args.seeds]
        with ThreadPoolExecutor(args.jobs) as pool:
            rows = pool.map(lambda run: run_arm(*run, args.out, args.settings), runs)
            rows_by_run |= dict(zip(runs, rows, strict=True))
    found = collect(rows_by_run, "step_sr")
    records = [[*key, list(by_seed.values())] for key, by_seed in sorted(found.items())]
    (args.out / "results.json").write_text(json.dumps(records, indent=1))
    text = table(found, "step_sr")
    (args.out / "results.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
