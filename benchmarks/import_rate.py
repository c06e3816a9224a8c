"""How fast rows of one's own become a dataset, and that memory does not grow with them.

    python benchmarks/import_rate.py                        # 10,000 and 100,000 steps
    python benchmarks/import_rate.py --small 500 --large 2000   # a look

Each import runs in a process of its own, since the peak of memory is that of a process. Pictures
are small and shared by ten steps each, as in an episode, so the rate is that of the rows.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from coepg.data.importers.base import ImportOptions
from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset

STEPS_IN_EPISODE = 10
NUM_PICTURES = 50
MAX_GROWTH = 1.5


def write_source(folder: Path, num_steps: int) -> Path:
    for k in range(NUM_PICTURES):
        Image.new("RGB", (320, 240), (k, 0, 0)).save(folder / f"{k}.png")
    path = folder / "rows.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for n in range(num_steps):
            row = {
                "image": f"{n // STEPS_IN_EPISODE % NUM_PICTURES}.png",
                "instruction": f"Do task {n // STEPS_IN_EPISODE}",
                "episode_id": f"e{n // STEPS_IN_EPISODE}",
                "action_type": "click", "box_px": [10, 10, 60, 30],
                "target": f"button {n}", "role": "button",
            }  # fmt: skip
            file.write(json.dumps(row) + "\n")
    return path


def measure(num_steps: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write_source(folder, num_steps)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start = time.perf_counter()
        report = import_dataset(make_importer("jsonl", ImportOptions()), source, folder / "out")
        seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert report.num_steps == num_steps
    return {
        "steps": num_steps, "seconds": seconds, "steps_per_s": num_steps / seconds,
        "peak_mib": peak / 1024, "peak_before_mib": before / 1024,
    }  # fmt: skip


def in_own_process(num_steps: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(num_steps)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(measure(args.one)))
        return 0
    results = [in_own_process(n) for n in (args.small, args.large)]
    for found in results:
        print(
            f"{found['steps']:>8.0f} steps: {found['steps_per_s']:.0f} steps/s, "
            f"peak memory {found['peak_mib']:.0f} MiB "
            f"({found['peak_before_mib']:.0f} MiB before the import)"
        )
    growth = results[1]["peak_mib"] / results[0]["peak_mib"]
    print(f"memory of the larger import: {growth:.2f} x that of the smaller one")
    return int(growth > MAX_GROWTH)


if __name__ == "__main__":
    sys.exit(main())
