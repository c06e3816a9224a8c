"""kill -9 a run at random moments, continue it each time, and compare its metrics with a reference.

    coepg evolve --recipe default --run runs/reference
    python benchmarks/kill_and_continue.py --recipe default --reference runs/reference --kills 10

Exits with 1 if the metrics differ in a single byte.
"""

import argparse
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--reference", type=Path, required=True)
    parser.add_argument("--run", type=Path, default=Path("runs/killed"))
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--min-seconds", type=float, default=20)
    parser.add_argument("--max-seconds", type=float, default=90)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    shutil.rmtree(args.run, ignore_errors=True)
    command = [sys.executable, "-m", "coepg.cli.main", "evolve"]
    command += ["--recipe", args.recipe, "--run", str(args.run)]
    moments = random.Random(args.seed)
    started, kills = time.monotonic(), 0
    for _ in range(args.kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            process.wait(moments.uniform(args.min_seconds, args.max_seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            stages = sorted(p.name for p in (args.run / "stages").glob("*"))
            print(f"kill {kills} at {time.monotonic() - started:.0f} s in {stages[0]}", flush=True)
            continue
        break
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    same = (args.run / "metrics.csv").read_bytes() == (args.reference / "metrics.csv").read_bytes()
    print(
        f"{kills} kills, {time.monotonic() - started:.0f} s: metrics.csv",
        "equal" if same else "DIFFER",
    )
    return int(not same)


if __name__ == "__main__":
    sys.exit(main())
