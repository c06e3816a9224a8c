"""Rollouts on disk: one Parquet part per training step, pictures by content hash."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from coepg.types import Rollout, Step

_SCHEMA = pa.schema(
    [
        ("update", pa.int32()),
        ("step_id", pa.string()),
        ("image_hash", pa.string()),
        ("sample_index", pa.int32()),
        ("text", pa.string()),
        ("element", pa.string()),
        ("action_type", pa.string()),
        ("value", pa.string()),
        ("token_ids", pa.list_(pa.int32())),
        ("token_logprobs", pa.list_(pa.float32())),
        ("reward", pa.float32()),
        ("advantage", pa.float32()),
        ("members", pa.string()),
    ]
)
"""``members`` is JSON: per member its hit, weight, confidence and point in screenshot pixels."""


def write_rollouts(
    folder: Path,
    update: int,
    steps: Sequence[Step],
    groups: Sequence[Sequence[Rollout]],
    advantages: Sequence[Sequence[float | None]],
) -> None:
    """Write the rollouts of one sampling round; writing the same round again replaces it."""
    rows = [
        _row(update, step, rollout, advantage)
        for step, group, row in zip(steps, groups, advantages, strict=True)
        for rollout, advantage in zip(group, row, strict=True)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"rollouts-{update:06d}.parquet"
    work = path.with_suffix(".tmp")
    pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), work, compression="zstd")
    os.replace(work, path)


def _row(update: int, step: Step, rollout: Rollout, advantage: float | None) -> dict[str, Any]:
    plan, reward = rollout.plan, rollout.reward
    members: dict[str, Any] = {}
    if reward is not None:
        for name, hit in reward.hits.items():
            point = reward.points_px.get(name)
            members[name] = {
                "hit": hit,
                "weight": reward.weights[name],
                "confidence": reward.confidences[name],
                "point_px": None if point is None else [point.x, point.y],
            }
    return {
        "update": update,
        "step_id": step.step_id,
        "image_hash": step.screenshot.image_hash,
        "sample_index": rollout.sample_index,
        "text": rollout.text,
        "element": plan.element if plan else None,
        "action_type": plan.action_type if plan else None,
        "value": plan.value if plan else None,
        "token_ids": list(rollout.token_ids),
        "token_logprobs": list(rollout.token_logprobs),
        "reward": reward.total if reward else None,
        "advantage": advantage,
        "members": json.dumps(members),
    }
