"""Run the arms of the comparison over several seeds and lay the results side by side.

    python benchmarks/compare_arms.py --out runs/compare --seeds 0 1 2

Each arm is a shipped recipe (``compare_*``), all with the same data, base and budget. Runs that
are there already are continued or read, so that the command can be stopped at any time. Writes
``results.json`` and a Markdown table to ``--out``.
"""

import argparse
import csv
import json
import statistics
import subprocess
import sys
from pathlib import Path

ARMS = (
    "compare_full",
    "compare_sft_only",
    "compare_end_to_end",
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
    for setting in settings:
        command += ["--set", setting]
    subprocess.run(command, check=True)
    with (folder / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


def mean_and_interval(values):
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, float("nan")
    half = T_95.get(len(values), 2.0) * statistics.stdev(values) / len(values) ** 0.5
    return mean, half


def collect(rows_by_run, metric):
    """(arm, iteration, stage, split) -> the metric's value per seed."""
    found = {}
    for (arm, _seed), rows in rows_by_run.items():
        for row in rows:
            if row["metric"] == metric and row["arm"] in ("sft", "grpo"):
                key = (arm, int(row["iteration"]), row["arm"], row["split"])
                found.setdefault(key, []).append(float(row["value"]))
    return found


def table(found, metric):
    lines = [
        f"| arm | iteration | stage | split | {metric} % | seeds |",
        "|---|---|---|---|---|---|",
    ]
    for (arm, iteration, stage, split), values in sorted(found.items()):
        mean, half = mean_and_interval([100 * v for v in values])
        lines.append(
            f"| {arm} | {iteration} | {stage} | {split} | {mean:.1f} ± {half:.1f} | {len(values)} |"
        )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--arms", nargs="+", default=list(ARMS), choices=ARMS)
    parser.add_argument("--set", dest="settings", action="append", default=[])
    args = parser.parse_args()
    rows_by_run = {}
    for seed in args.seeds:
        for arm in args.arms:
            rows_by_run[(arm, seed)] = run_arm(arm, seed, args.out, args.settings)
    found = collect(rows_by_run, "step_sr")
    records = [[*key, values] for key, values in sorted(found.items())]
    (args.out / "results.json").write_text(json.dumps(records, indent=1))
    text = table(found, "step_sr")
    (args.out / "results.md").write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
