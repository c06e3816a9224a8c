"""Counts of a dataset, for reports and for the command line."""

from __future__ import annotations

from collections import Counter
from typing import Any

from coepg.data.table import StepTable
from coepg.types import Step


def dataset_stats(table: StepTable) -> dict[str, Any]:
    """What is in each split, as plain values that JSON can hold.

    Returns:
        ``{"name": ..., "splits": {split: {"steps", "episodes", "images", "tasks",
        "action_types", "screen_text"}}}``; ``tasks`` and ``action_types`` count steps, and
        ``screen_text`` counts pieces of text by source.
    """
    return {
        "name": table.info.get("name", table.path.name),
        "splits": {split: split_stats(table.steps(split)) for split in table.splits},
    }


def split_stats(steps: list[Step]) -> dict[str, Any]:
    """Counts of one split; see `dataset_stats`."""
    return {
        "steps": len(steps),
        "episodes": len({s.episode_id for s in steps}),
        "images": len({s.screenshot.image_hash for s in steps}),
        "tasks": dict(sorted(Counter(s.task_name for s in steps).items())),
        "action_types": dict(Counter(s.action_type for s in steps).most_common()),
        "screen_text": dict(Counter(t.source.value for s in steps for t in s.screen_text)),
    }
