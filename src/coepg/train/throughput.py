"""How fast a training goes and what it waits for, per row of its log.

    tokens_per_s        = positions / (work + wait)      positions: rows x longest row
    useful_tokens_per_s = tokens / (work + wait)         tokens: positions without padding
    padding_share       = 1 - tokens / positions
    idle_share          = wait / (work + wait)

``work`` lasts from the moment an update has its batch until the weights have moved; ``wait`` is
the time between two updates: reading, decoding and resizing pictures, logging, checkpoints.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from transformers import Trainer, TrainerCallback

from coepg.prefix.pack import PackedBatch


class Throughput:
    """Adds up tokens and times until they are taken.

    Args:
        clock: seconds of a clock that never goes back.

    Example:
        >>> now = iter([0.0, 1.0, 4.0])
        >>> meter = Throughput(lambda: next(now))
        >>> meter.begin()  # the batch came after 1 second
        >>> meter.count(num_positions=100, num_tokens=80)
        >>> meter.end()  # the update took 3
        >>> meter.take()["useful_tokens_per_s"], meter.take()
        (20.0, {})
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._since = clock()
        self._clear()

    def _clear(self) -> None:
        self._work_s = self._wait_s = 0.0
        self._num_positions = self._num_tokens = 0

    def begin(self) -> None:
        """An update has its batch."""
        self._wait_s += self._lap()

    def end(self) -> None:
        """The weights have moved."""
        self._work_s += self._lap()

    def _lap(self) -> float:
        now = self._clock()
        lap, self._since = now - self._since, now
        return lap

    def count(self, num_positions: int, num_tokens: int) -> None:
        """A batch went through the model: its positions, and those that are no padding."""
        self._num_positions += num_positions
        self._num_tokens += num_tokens

    def take(self) -> dict[str, float]:
        """The numbers of the module's text since the last call; empty if no time has passed."""
        total_s = self._work_s + self._wait_s
        if total_s <= 0:
            return {}
        row = {
            "tokens_per_s": self._num_positions / total_s,
            "useful_tokens_per_s": self._num_tokens / total_s,
            "idle_share": self._wait_s / total_s,
        }
        if self._num_positions:
            row["padding_share"] = 1 - self._num_tokens / self._num_positions
        self._clear()
        return row


class _Clock(TrainerCallback):
    """Tells a meter when updates begin and end."""

    def __init__(self, meter: Throughput) -> None:
        self.meter = meter

    def on_step_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The batch is there."""
        self.meter.begin()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The optimizer has stepped."""
        self.meter.end()


class MeteredTrainer(Trainer):
    """The Hugging Face Trainer whose log also says how fast it went."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.throughput = Throughput()
        self.add_callback(_Clock(self.throughput))

    def count_tokens(self, batch: PackedBatch) -> None:
        """Count one batch that is trained on."""
        self.throughput.count(batch.input_ids.numel(), int((batch.branch_index != -2).sum()))

    def log(self, logs: dict[str, float], *args: Any, **kwargs: Any) -> None:
        """Add the speed to a row of an update (the Trainer's closing summary has its own)."""
        speed = self.throughput.take() if "loss" in logs else {}
        super().log({**logs, **speed}, *args, **kwargs)
