"""One side of a benchmark in a process of its own, so that its peak of memory is its own.

python -m coepg.bench.child SIDE WORKLOAD.json MODEL_DIR WORK_DIR OUT.json
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

import torch

from coepg.bench.workload import GrpoWorkload


def main(side: str, workload: str, model_dir: str, work_dir: str, out: str) -> None:
    """Run a side and write seconds and peak memory, or errors of the gradient."""
    from coepg.bench import grpo_coepg, grpo_trl

    work = GrpoWorkload(**json.loads(Path(workload).read_text(encoding="utf-8")))
    torch.set_num_threads(work.num_threads)
    before = _peak_mib()
    if side == "gradient":
        record = dict(grpo_trl.compare_gradients(work, Path(model_dir), Path(work_dir)))
    else:
        measure = {"coepg": grpo_coepg.measure, "trl": grpo_trl.measure}[side]
        seconds = measure(work, Path(model_dir), Path(work_dir))
        record = {
            "step_s": seconds[work.warmup :],  # type: ignore[dict-item]
            "peak_mib": _peak_mib(),
            "peak_before_mib": before,
        }
    Path(out).write_text(json.dumps(record), encoding="utf-8")


def _peak_mib() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


if __name__ == "__main__":
    main(*sys.argv[1:])
