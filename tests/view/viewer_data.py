"""Datasets and answers for the tests of the viewer."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from coepg.data.rows import STEP_SCHEMA, step_to_row
from coepg.data.table import write_dataset
from coepg.evaluate.judging import judge_step
from coepg.types import Box, Plan, Point, Screenshot, Size, Step, content_hash

ABOUT = {"name": "demo", "source": "tests", "license": "none", "made_by": "tests"}
ATTACK = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'


def make_png(size=(200, 100), color=(240, 240, 240)):
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def make_step(number, png, size=(200, 100), **changes):
    width, height = size
    values = {
        "step_id": f"episode-{number // 3}/{number % 3}",
        "episode_id": f"episode-{number // 3}",
        "task_name": ("buy", "search")[number % 2],
        "split": "train" if number < 6 else "test",
        "step_index": number % 3,
        "num_steps": 3,
        "instruction": f"Press button number {number}",
        "history": ("[button] Open -> click",) * (number % 3),
        "screenshot": Screenshot(content_hash(png), Size(width, height)),
        "action_type": ("click", "type")[number % 3 == 2],
        "value": "bob" if number % 3 == 2 else None,
        "target_box_px": Box(20 + number, 10, 60 + number, 40),
        "alternative_boxes_px": (Box(100, 50, 140, 90),) if number == 0 else (),
        "target_repr": f"[button] {number}",
        "tags": {"application": ("mail", "shop")[number % 3 == 0]},
    }
    return Step(**{**values, **changes})


def write_steps(folder: Path, steps, pngs):
    images = {content_hash(png): png for png in pngs}
    write_dataset(folder, steps, images, **ABOUT)
    return folder


def make_dataset(folder: Path, count=9, **changes):
    """Steps of one picture, ``train`` and ``test``."""
    png = make_png()
    steps = [make_step(n, png, **changes) for n in range(count)]
    write_steps(folder, steps, [png])
    return steps


def make_answers(path: Path, steps, wrong=(1, 4, 5), **more):
    """A line a step; the steps with a number in ``wrong`` are missed."""
    lines = []
    for number, step in enumerate(steps):
        center = step.target_box_px.center
        point = Point(150.0, 5.0) if number in wrong else center
        plan = Plan(step.target_repr, step.action_type, step.value)
        verdict = judge_step(plan, point, step)
        row = {
            "step_id": step.step_id,
            "text": "<plan>press</plan>",
            "plan": [plan.element, plan.action_type, plan.value],
            "point_px": [point.x, point.y],
            "element_hit": verdict.element_hit,
            "op_f1": verdict.op_f1,
            "step_success": verdict.step_success,
        }
        lines.append(json.dumps(row | more))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def make_large_dataset(folder: Path, count=200_000, rows_in_group=512):
    """Many steps of one picture, written by column; splits in one file."""
    png = make_png()
    write_steps(folder, [make_step(0, png, split="train")], [png])
    row = step_to_row(make_step(0, png, split="train"))
    group = pa.Table.from_pylist([row] * rows_in_group, schema=STEP_SCHEMA)
    ids = group.schema.get_field_index("step_id")
    words = group.schema.get_field_index("instruction")
    with pq.ParquetWriter(folder / "steps" / "train.parquet", STEP_SCHEMA) as writer:
        for start in range(0, count, rows_in_group):
            numbers = range(start, min(count, start + rows_in_group))
            part = group.slice(0, len(numbers))
            part = part.set_column(ids, "step_id", pa.array([f"many/{n}" for n in numbers]))
            texts = pa.array([f"Press button number {n}" for n in numbers])
            writer.write_table(part.set_column(words, "instruction", texts))
    return folder
