"""One small source of every format, right or wrong in the way that a test asks for."""

import functools
import gzip
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from coepg.data.importers.base import ImportOptions
from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable

MARK = "Open the settings now"
"""The instruction of every source, so that tests can find it in the files."""
MODES = {"PNG": "1"}


@functools.cache
def picture(size=(400, 300), kind="PNG"):
    buffer = io.BytesIO()
    Image.new(MODES.get(kind, "RGB"), size).save(buffer, kind)
    return buffer.getvalue()


@dataclass
class Case:
    """What the source is to be like.

    ``box`` is in pixels, two corners; ``swapped`` writes it in the order that the format does not
    have; ``unknown`` puts a word that no source uses where the action is; ``null`` is the key that
    is null in every row that has it.
    """

    folder: Path
    size: tuple[int, int] = (400, 300)
    box: tuple[float, float, float, float] = (300, 200, 380, 280)
    swapped: bool = False
    unknown: str = ""
    null: str = ""
    has_picture: bool = True
    keys: set[str] = field(default_factory=set)

    def corners(self):
        x0, y0, x1, y1 = self.box
        return [x0, y0, x1 - x0, y1 - y0] if self.swapped else [x0, y0, x1, y1]

    def xywh(self):
        x0, y0, x1, y1 = self.box
        return [x0, y0, x1, y1] if self.swapped else [x0, y0, x1 - x0, y1 - y0]

    def norm1(self, values):
        width, height = self.size
        return [values[0] / width, values[1] / height, values[2] / width, values[3] / height]

    def row(self, fields):
        self.keys |= set(fields)
        return {key: None if key == self.null else value for key, value in fields.items()}

    def file(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    def json(self, name, value):
        return self.file(name, json.dumps(value))

    def image(self, name):
        if self.has_picture:
            self.file(name, picture(self.size))
        return name

    def inner_image(self):
        return {"bytes": picture(self.size), "path": "a.png"} if self.has_picture else None

    def parquet(self, name, fields, schema=None):
        path = self.folder / name
        table = pa.Table.from_pylist([self.row(fields)], schema=schema)
        # Without compression and dictionaries, so that tests find texts in the bytes.
        options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
        pq.write_table(table, path, **options)
        return path


def screenspot(case, name="screenspot_web.json"):
    fields = {"img_filename": case.image("screenspot_imgs/a.png") and "a.png",
              "bbox": case.xywh(), "instruction": MARK, "data_type": case.unknown or "text",
              "data_source": "tool"}  # fmt: skip
    (case.folder / "screenspot_imgs").mkdir(exist_ok=True)
    return case.json(name, [case.row(fields)]), ImportOptions()


def screenspot_v2(case):
    path, _ = screenspot(case, "screenspot_web_v2.json")
    return path, ImportOptions(images=case.folder / "screenspot_imgs")


def screenspot_pro(case):
    fields = {"img_filename": "app/a.png", "bbox": case.corners(), "instruction": MARK,
              "instruction_cn": "打开", "id": "app_linux_0", "application": "app",
              "platform": "linux", "img_size": list(case.size),
              "ui_type": case.unknown or "icon", "group": "Dev"}  # fmt: skip
    case.image("images/app/a.png")
    return case.json("annotations/app_linux.json", [case.row(fields)]), ImportOptions()


def screenspot_parquet(case):
    fields = {"file_name": "web_a.png", "bbox": case.norm1(case.corners()), "instruction": MARK,
              "data_type": case.unknown or "text", "data_source": "tool",
              "image": case.inner_image()}  # fmt: skip
    return case.parquet("test-00000-of-00001.parquet", fields), ImportOptions()


def candidate(values, original=True, encoded=False):
    rect = ",".join(f"{v:g}" for v in values)
    attributes = json.dumps({"backend_node_id": "7", "bounding_box_rect": rect})
    found = {"tag": "a", "attributes": attributes, "backend_node_id": "7",
             "is_original_target": original, "is_top_level_target": True}  # fmt: skip
    return json.dumps(found) if encoded else found


def mind2web_fields(case, **more):
    operation = {"original_op": "TYPE", "value": "Boston", "op": case.unknown or "TYPE"}
    return {
        "action_uid": "u1", "operation": json.dumps(operation),
        "pos_candidates": [candidate(case.xywh(), encoded=True)], "website": "shop",
        "domain": "Travel", "subdomain": "Hotel", "annotation_id": "t1", "confirmed_task": MARK,
        "screenshot": case.inner_image(), "target_action_index": "1",
        "action_reprs": ["[svg]   -> CLICK", "[searchbox]  City -> TYPE: Boston"],
    } | more  # fmt: skip


def mind2web(case):
    return case.parquet("train-00000-of-00001.parquet", mind2web_fields(case)), ImportOptions()


def mind2web_json(case):
    action = {
        "action_uid": "u1", "operation": {"op": case.unknown or "CLICK", "value": ""},
        "pos_candidates": [candidate(case.xywh())], "neg_candidates": [],
    }  # fmt: skip
    task = {"website": "shop", "domain": "Travel", "subdomain": "Hotel", "annotation_id": "t1",
            "confirmed_task": MARK, "action_reprs": ["[a] Go -> CLICK"],
            "actions": [case.row(action)]}  # fmt: skip
    case.image("pictures/t1-u1.png")
    images = case.folder / "pictures"
    images.mkdir(exist_ok=True)
    return case.json("train_0.json", [case.row(task)]), ImportOptions(images)


def omniact(case):
    x0, y0, x1, y1 = case.box
    call = case.unknown or "click"
    script = f"Task: {MARK}\nOutput Script:\npyautogui.{call}({(x0 + x1) / 2},{(y0 + y1) / 2})\n"
    a, b, c, d = case.corners()
    case.file("tasks/task_1.txt", script)
    case.json("boxes/web/a.json", {"OK": {"top_left": [a, b], "bottom_right": [c, d]}})
    case.image("data/web/shop/screen1.png")
    entry = {"task": "tasks/task_1.txt", "image": "data/web/shop/screen1.png",
             "box": "boxes/web/a.json"}  # fmt: skip
    return case.json("train.json", {"0": case.row(entry)}), ImportOptions()


def bench_action(case, kind="click", **params):
    x, y, width, height = case.norm1(case.xywh())
    position = {"x": x + width / 2, "y": y + height / 2}
    metadata = {"bboxes": [{"category_id": 1, "rel_bbox": [x, y, width, height]}]}
    return {"type": kind, "params": {"position": position} | params, "metadata": metadata}


def agentnet(case):
    action = bench_action(case, case.unknown or "click")
    step = {"step_num": 0, "image": case.image("images/a.png") and "a.png", "action": "",
            "inner_monologue": {"low_level_instruction": "Click it"},
            "ground_truth_actions": [case.row(action)], "alternative_options": []}  # fmt: skip
    (case.folder / "images").mkdir(exist_ok=True)
    task = {"task_id": "t1", "high_level_task_description": MARK, "user_task_description": MARK,
            "steps": [case.row(step)]}  # fmt: skip
    return case.json("t1.json", case.row(task)), ImportOptions()


def screenagent(case):
    a, b, c, d = case.corners()
    x0, y0, x1, y1 = case.box
    area = {"upper_left_position": {"width": a, "height": b},
            "lower_right_position": {"width": c, "height": d}}  # fmt: skip
    action = {"action_type": case.unknown or "MouseAction", "mouse_action_type": "click",
              "mouse_button": "left", "clickable_area": area,
              "mouse_position": {"width": (x0 + x1) / 2, "height": (y0 + y1) / 2}}  # fmt: skip
    turn = {"task_prompt": MARK, "task_prompt_en": MARK, "task_prompt_zh": MARK,
            "saved_image_name": "a.png", "session_id": "s1", "video_width": case.size[0],
            "video_height": case.size[1], "actions": [case.row(action)]}  # fmt: skip
    case.image("s1/images/a.png")
    return case.json("s1/turn_0.json", case.row(turn)), ImportOptions()


def page(children, **more):
    return {"tag": "BODY", "left": 0, "top": 0, "width": 1036.8, "height": 210, "ref": 1,
            "children": children} | more  # fmt: skip


def node(ref, tag, box, **more):
    left, top, width, height = box
    return {"tag": tag, "left": left, "top": top, "width": width, "height": height, "ref": ref,
            "children": []} | more  # fmt: skip


def twice(time, dom, **event):
    """A state per phase, as the recorder logs them."""
    return [{"time": time, "action": {**event, "timing": t}, "dom": dom} for t in (1, 3)]


def miniwob_demos(case):
    left, top, width, height = (300, 10, 40, 20) if case.swapped else (20, 60, 40, 20)
    button = node(4, "BUTTON", (left, top, width, height), text="OK", recordingTarget=True)
    dom = page([case.row(button)])
    at = {"x": 30, "y": 70}
    states = [{"time": 0, "action": None, "dom": dom}]
    for kind in ("mousedown", "mouseup", case.unknown or "click"):
        states += twice(10, dom, type=kind, **at)
    demo = {"taskName": "click-test", "utterance": MARK, "states": states, "reward": 0.8,
            "rawReward": 1}  # fmt: skip
    case.image("pictures/demo_1.png")
    images = case.folder / "pictures"
    images.mkdir(exist_ok=True)
    data = gzip.compress(json.dumps(case.row(demo)).encode())
    return case.file("click-test/demo.json.gz", data), ImportOptions(images)


def ms_swift(case):
    row = {"messages": [{"role": "user", "content": "<image>Find it"}], "images": ["a.png"],
           "objects": {"ref": [MARK], "bbox": [case.corners()],
                       "bbox_type": case.unknown or "real"}}  # fmt: skip
    case.image("a.png")
    return case.json("train.jsonl", case.row(row)), ImportOptions()


def answer(case):
    return f"click {case.unknown or case.corners()}"


def llama_factory(case):
    row = {"messages": [{"role": "user", "content": f"<image>{MARK}"},
                        {"role": "assistant", "content": answer(case)}],
           "images": ["a.png"]}  # fmt: skip
    case.image("a.png")
    return case.json("train.json", [case.row(row)]), ImportOptions(extra={"point_unit": "px"})


def trl(case):
    row = {"prompt": [{"role": "user", "content": MARK}],
           "completion": [{"role": "assistant", "content": answer(case)}],
           "images": [case.inner_image()]}  # fmt: skip
    return case.parquet("train.parquet", row), ImportOptions(extra={"point_unit": "px"})


def verl(case):
    row = {"data_source": "own", "prompt": [{"role": "user", "content": f"<image>{MARK}"}],
           "images": [case.inner_image()], "ability": "gui",
           "reward_model": {"style": "rule", "ground_truth": answer(case)}}  # fmt: skip
    return case.parquet("train.parquet", row), ImportOptions(extra={"point_unit": "px"})


def jsonl(case):
    row = {"image": "a.png", "instruction": MARK, "action_type": case.unknown or "click",
           "box_px": case.corners(), "episode_id": "e1", "step_index": 0, "target": "OK",
           "role": "button"}  # fmt: skip
    case.image("a.png")
    return case.json("rows.jsonl", case.row(row)), ImportOptions()


SOURCES: dict[str, Any] = {
    f.__name__: f
    for f in (
        agentnet, jsonl, llama_factory, mind2web, mind2web_json, miniwob_demos, ms_swift, omniact,
        screenagent, screenspot, screenspot_parquet, screenspot_pro, screenspot_v2, trl, verl,
    )
}  # fmt: skip
"""Format name -> function of a case that gives the source and the options."""


def imported(name, source, options=None, **more):
    """Import; gives the report, the table and all its steps."""
    out = source.parent / "out"
    report = import_dataset(
        make_importer(name, options or ImportOptions()), source, out, overwrite=True, **more
    )
    table = StepTable.open(out)
    return report, table, [step for split in table.splits for step in table.steps(split)]
