"""A step as one row of plain values, and back. The only place that knows the columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from coepg.errors import DataError
from coepg.types import (
    ACTION_CLASSES,
    Box,
    Point,
    Screenshot,
    ScreenText,
    Size,
    Step,
    TextSource,
    has_target,
)

STEP_SCHEMA = pa.schema(
    [
        ("step_id", pa.string()),
        ("episode_id", pa.string()),
        ("task_name", pa.string()),
        ("split", pa.string()),
        ("step_index", pa.int32()),
        ("num_steps", pa.int32()),
        ("instruction", pa.string()),
        ("history", pa.list_(pa.string())),
        ("image_hash", pa.string()),
        ("image_width", pa.int32()),
        ("image_height", pa.int32()),
        ("device_pixel_ratio", pa.float32()),
        ("action_type", pa.string()),
        ("value", pa.string()),
        ("target_box_px", pa.list_(pa.float32())),
        ("target_repr", pa.string()),
        ("seed", pa.int64()),
        (
            "screen_text",
            pa.list_(
                pa.struct(
                    [
                        ("text", pa.string()),
                        ("box_px", pa.list_(pa.float32())),
                        ("source", pa.string()),
                        ("role", pa.string()),
                        ("score", pa.float32()),
                    ]
                )
            ),
        ),
        ("alternative_boxes_px", pa.list_(pa.list_(pa.float32()))),
        ("target_point_px", pa.list_(pa.float32())),
        ("end_point_px", pa.list_(pa.float32())),
        ("step_instruction", pa.string()),
        ("target_expression", pa.string()),
        ("tags", pa.map_(pa.string(), pa.string())),
    ]
)
"""The columns of ``steps/<split>.parquet``. Boxes are ``[x0, y0, x1, y1]`` in image pixels."""

OPTIONAL_COLUMNS = (
    "alternative_boxes_px",
    "target_point_px",
    "end_point_px",
    "step_instruction",
    "target_expression",
    "tags",
)
"""Columns that a file may lack."""


def step_to_row(step: Step) -> dict[str, Any]:
    """The row of a step."""
    return {
        "step_id": step.step_id,
        "episode_id": step.episode_id,
        "task_name": step.task_name,
        "split": step.split,
        "step_index": step.step_index,
        "num_steps": step.num_steps,
        "instruction": step.instruction,
        "history": list(step.history),
        "image_hash": step.screenshot.image_hash,
        "image_width": step.screenshot.size.width,
        "image_height": step.screenshot.size.height,
        "device_pixel_ratio": step.screenshot.device_pixel_ratio,
        "action_type": step.action_type,
        "value": step.value,
        "target_box_px": None
        if step.target_box_px is None
        else list(step.target_box_px.as_tuple()),
        "target_repr": step.target_repr,
        "seed": step.seed,
        "screen_text": [
            {
                "text": piece.text,
                "box_px": list(piece.box_px.as_tuple()),
                "source": piece.source.value,
                "role": piece.role,
                "score": piece.score,
            }
            for piece in step.screen_text
        ],
        "alternative_boxes_px": [list(box.as_tuple()) for box in step.alternative_boxes_px],
        "target_point_px": _xy(step.target_point_px),
        "end_point_px": _xy(step.end_point_px),
        "step_instruction": step.step_instruction,
        "target_expression": step.target_expression,
        "tags": list(step.tags.items()),
    }


def _xy(point: Point | None) -> list[float] | None:
    return None if point is None else [point.x, point.y]


def row_to_step(row: Mapping[str, Any], where: str) -> Step:
    """The step of a row.

    Args:
        row: the values by column name.
        where: file and row, for messages.

    Raises:
        DataError: a value is not what it should be.
    """
    try:
        size = Size(row["image_width"], row["image_height"])
        step = Step(
            step_id=row["step_id"],
            episode_id=row["episode_id"],
            task_name=row["task_name"],
            split=row["split"],
            step_index=row["step_index"],
            num_steps=row["num_steps"],
            instruction=row["instruction"],
            history=tuple(row["history"] or ()),
            screenshot=Screenshot(row["image_hash"], size, row["device_pixel_ratio"]),
            action_type=_checked_action(row["action_type"], where),
            value=row["value"],
            target_box_px=_checked_target(row, size, where),
            target_repr=row["target_repr"],
            seed=row["seed"],
            screen_text=tuple(
                ScreenText(
                    text=piece["text"],
                    box_px=_box(piece["box_px"], "screen_text.box_px", where),
                    source=TextSource(piece["source"]),
                    role=piece["role"],
                    score=piece["score"],
                )
                for piece in row["screen_text"] or ()
            ),
            alternative_boxes_px=tuple(
                _box(corners, "alternative_boxes_px", where)
                for corners in row["alternative_boxes_px"] or ()
            ),
            target_point_px=_point(row["target_point_px"], "target_point_px", where),
            end_point_px=_point(row["end_point_px"], "end_point_px", where),
            step_instruction=row["step_instruction"] or "",
            target_expression=row["target_expression"] or "",
            tags=dict(row["tags"] or ()),
        )
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{where}: cannot be read as a step",
            found=str(error),
            expected="a row as coepg.data.table.write_dataset writes it",
            fix="write the dataset again",
        ) from error
    return step


def check_step(step: Step, where: str) -> None:
    """Refuse a step that could not be read back.

    Raises:
        DataError: as `row_to_step`.
    """
    _checked_action(step.action_type, where)
    for box in (step.target_box_px, *step.alternative_boxes_px):
        _check_inside(box, step.screenshot.size, where)


def _checked_action(kind: str, where: str) -> str:
    if kind not in ACTION_CLASSES:
        raise DataError(
            f"{where}: action_type",
            found=repr(kind),
            expected="one of " + ", ".join(ACTION_CLASSES),
            fix="map the source's action to one of these kinds",
        )
    return kind


def _checked_target(row: Mapping[str, Any], size: Size, where: str) -> Box | None:
    corners = row["target_box_px"]
    if corners is None:
        if has_target(row["action_type"]):
            raise DataError(
                f"{where}: target_box_px",
                found="none",
                expected=f"a box, since {row['action_type']!r} points at an element",
                fix="give the box or leave the step out",
            )
        return None
    box = _box(corners, "target_box_px", where)
    _check_inside(box, size, where)
    return box


def _box(corners: list[float], column: str, where: str) -> Box:
    try:
        x0, y0, x1, y1 = corners
        return Box(x0, y0, x1, y1)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{where}: {column}",
            found=repr(corners),
            expected="[x0, y0, x1, y1] in pixels, left <= right and top <= bottom",
            fix=f"mend the box ({error})",
        ) from error


def _point(values: list[float] | None, column: str, where: str) -> Point | None:
    if values is None:
        return None
    try:
        x, y = values
        return Point(x, y)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"{where}: {column}",
            found=repr(values),
            expected="[x, y] in pixels",
            fix=f"mend the point ({error})",
        ) from error


def _check_inside(box: Box | None, size: Size, where: str) -> None:
    if box is None:
        return
    if box.x0 < 0 or box.y0 < 0 or box.x1 > size.width or box.y1 > size.height:
        raise DataError(
            f"{where}: target_box_px",
            found=f"{list(box.as_tuple())}",
            expected=f"a box inside the picture of {size.width}x{size.height} pixels",
            fix="clip the box, or check that it is in pixels of the stored picture",
        )
