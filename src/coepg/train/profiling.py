"""Where the time of an update goes: a Chrome trace and a table of operators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from torch.profiler import ProfilerActivity, profile, schedule, supported_activities
from transformers import TrainerCallback

NUM_SKIPPED = 1
NUM_WARM_UP = 1
NUM_TRACED = 2
"""A trace of more updates grows without bound."""
NUM_ROWS = 40


class ProfileCallback(TrainerCallback):
    """Traces the third and fourth update of this process, or all of a shorter training.

    Args:
        folder: gets ``trace.json``, which chrome://tracing and Perfetto open, and
            ``operators.txt``.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._profiler: profile | None = None

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Start watching."""
        known = supported_activities()
        is_long = state.max_steps - state.global_step >= NUM_SKIPPED + NUM_WARM_UP + NUM_TRACED
        plan = (NUM_SKIPPED, NUM_WARM_UP) if is_long else (0, 0)
        self._profiler = profile(
            activities=[a for a in (ProfilerActivity.CPU, ProfilerActivity.CUDA) if a in known],
            schedule=schedule(wait=plan[0], warmup=plan[1], active=NUM_TRACED, repeat=1),
            on_trace_ready=self._write,
            record_shapes=True,
        )
        self._profiler.start()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """One update is over."""
        if self._profiler is not None:
            self._profiler.step()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Write what there is, if there was only one update."""
        if self._profiler is not None:
            self._profiler.stop()
            self._profiler = None

    def _write(self, profiler: profile) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        profiler.export_chrome_trace(str(self.folder / "trace.json"))
        table = profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=NUM_ROWS)
        (self.folder / "operators.txt").write_text(table + "\n", encoding="utf-8")
