"""Importers against real files, where a copy of them is at hand."""

import json
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from coepg.data.importers.base import ImportOptions
from coepg.data.importers.mind2web_rows import candidates_of, operation_of, repr_line
from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable
from coepg.types import Box

FOLDER = Path(
    os.environ.get("COEPG_SHARED_DATA", Path(__file__).parents[3] / ".." / "shared" / "data")
)
pytestmark = pytest.mark.skipif(
    not FOLDER.is_dir(), reason="no folder of real samples (COEPG_SHARED_DATA)"
)


def imported(tmp_path, name, source, *, keep_going=False, **options):
    importer = make_importer(name, ImportOptions(extra=options))
    report = import_dataset(importer, FOLDER / source, tmp_path / "out", keep_going=keep_going)
    table = StepTable.open(tmp_path / "out")
    return report, table, [step for split in table.splits for step in table.steps(split)]


def test_screenspot_counts():
    """As published: 502, 334 and 436 targets; text and icon 273/229, 194/140, 230/206."""
    importer = make_importer("screenspot", ImportOptions())
    counts = Counter()
    for record in importer.records(FOLDER / "screenspot"):
        platform, _, row = record.data
        counts[platform, row["data_type"]] += 1
        x, y, width, height = row["bbox"]
        assert min(x, y) >= 0 and min(width, height) > 0, record.where
    assert counts == {
        ("mobile", "text"): 273, ("mobile", "icon"): 229, ("desktop", "text"): 194,
        ("desktop", "icon"): 140, ("web", "text"): 230, ("web", "icon"): 206,
    }  # fmt: skip


def test_screenspot_with_its_picture(tmp_path):
    source = "screenspot/with_image.json"
    _, table, (first, second) = imported(tmp_path, "screenspot", source, platform="web")
    assert first.target_box_px == Box(1940, 116, 2372, 184)
    assert second.target_box_px == Box(1464, 7, 1642, 64)
    assert (first.screenshot.size.width, first.screenshot.size.height) == (2560, 1440)
    assert table.info["images"] == 1


def test_omniact_index():
    path = FOLDER / "omniact" / "uground" / "processed_test.json"
    records = list(make_importer("omniact", ImportOptions()).records(path))
    assert len(records) == 2021
    for record in records:
        split, key, entry = record.data
        assert split == "test" and key.isdecimal()
        assert {"task", "image", "box"} <= set(entry)


def test_agentnet_trajectory(tmp_path):
    """Three of its eleven pictures are there; our boxes agree with its own in pixels."""
    report, _, steps = imported(tmp_path, "agentnet", "agentnetbench", keep_going=True)
    task = json.loads((FOLDER / "agentnetbench" / "s_7f27a11115e596eb.json").read_text())
    assert (report.num_records, report.num_steps, report.num_set_aside) == (11, 3, 8)
    told = [(s.action_type, s.value) for s in steps]
    assert told == [("click", None), ("type", "SPOTIFY\n"), ("click", None)]
    for step, number in ((steps[0], 0), (steps[2], 2)):
        (action,) = task["steps"][number]["ground_truth_actions"]
        x, y, width, height = action["metadata"]["bboxes"][0]["abs_bbox"]
        found = step.target_box_px.as_tuple()
        assert found == pytest.approx((x, y, x + width, y + height), abs=0.01)
        assert step.is_hit(step.target_point_px)
        assert step.num_steps == 11
    assert len(steps[0].alternative_boxes_px) == 1
    records = list(make_importer("agentnet", ImportOptions()).records(FOLDER / "agentnetbench"))
    kinds = [(r.data.gesture.kind, r.data.gesture.value) for r in records]
    assert ("scroll", "down") in kinds and kinds[-1] == ("finish", "success")


def test_screenagent_sessions(tmp_path):
    report, _, steps = imported(tmp_path, "screenagent", "screenagent")
    assert report.num_set_aside == 0
    assert sorted({s.instruction for s in steps}) == ["Open File Explorer", "Open Task Manager"]
    told = [(s.action_type, s.target_point_px.x, s.target_point_px.y) for s in steps]
    assert told == [("right_click", 666, 754), ("click", 750, 654), ("click", 10, 760),
                    ("click", 474, 187)]  # fmt: skip
    assert {(s.screenshot.size.width, s.screenshot.size.height) for s in steps} == {(1024, 768)}


def test_miniwob_demonstrations(tmp_path):
    report, _, steps = imported(tmp_path, "miniwob_demos", "miniwob_demos", pictures="blank")
    assert report.num_records == 50 and report.num_set_aside == 0
    assert report.left_out == {"option_unknown": 2}  # the two lists of choose-list
    assert len({s.episode_id for s in steps}) == 50
    for step in steps:
        if step.target_point_px is not None and step.target_box_px is not None:
            box, point = step.target_box_px, step.target_point_px
            assert box.x0 - 1 <= point.x <= box.x1 + 1, step.step_id
            assert box.y0 - 1 <= point.y <= box.y1 + 1, step.step_id
    # What the human typed is what the task asked for.
    logins = [s for s in steps if s.task_name == "login-user" and s.action_type == "type"]
    for step in logins:
        assert f'"{step.value}"' in step.instruction
    assert [s.target_repr for s in logins] == ["[text field] username", "[text field] password"] * 2
    # A press is one click, though it is logged up to six times.
    sequence = [s for s in steps if s.task_name == "click-button-sequence"]
    assert [s.action_type for s in sequence] == ["click"] * 4
    large = [s for s in steps if s.task_name == "click-checkboxes-large"]
    asked = Counter({s.episode_id: s.instruction.count(",") + 2 for s in large})
    missed = Counter(s.episode_id for s in large if s.target_repr.startswith("[div]"))
    assert Counter(s.episode_id for s in large) == asked + missed
    assert missed.total() == 1  # one human once clicked beside the box


def test_mind2web_task():
    source = FOLDER / "mind2web" / "one_task_exploretock_train.json"
    records = list(make_importer("mind2web_json", ImportOptions()).records(source))
    assert len(records) == 11
    kinds = Counter()
    for record in records:
        action = record.data
        kind, value, _ = operation_of(action.fields["operation"], record.where)
        kinds[kind] += 1
        (candidate,) = candidates_of(action.fields["pos_candidates"], record.where)
        assert min(candidate.values) >= 0
        line, target = repr_line(action.reprs[action.index])
        assert re.fullmatch(rf"{re.escape(target)} -> {kind}(: .*)?", line)
        if kind == "type":
            assert line.endswith(f"type: {value}")
    assert kinds == {"click": 7, "select": 3, "type": 1}


def test_screenspot_pro_rows_import(tmp_path):
    """The boxes of the official result file, on pictures of a size that holds them."""
    from PIL import Image

    details = json.loads((FOLDER / "screenspot_pro" / "qwen25vl.json").read_text())["details"]
    rows = [
        {
            "img_filename": "a.png", "bbox": d["bbox"], "instruction": d["prompt_to_evaluate"],
            "id": f"{d['task_filename']}_{k}", "application": d["application"],
            "platform": d["platform"], "ui_type": d["ui_type"], "group": d["group"],
        }
        for k, d in enumerate(details)
    ]  # fmt: skip
    (tmp_path / "annotations").mkdir()
    (tmp_path / "annotations" / "all.json").write_text(json.dumps(rows))
    Image.new("1", (6016, 3384)).save(tmp_path / "a.png")
    importer = make_importer("screenspot_pro", ImportOptions())
    report = import_dataset(importer, tmp_path, tmp_path / "out", keep_going=True)
    assert report.num_records == 1581
    assert report.num_set_aside == 0  # one label begins a pixel above its picture
    kinds = Counter(s.tags["ui_type"] for s in StepTable.open(tmp_path / "out").iter_steps("test"))
    assert kinds == Counter(d["ui_type"] for d in details)
