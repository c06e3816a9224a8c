"""What each public source's words and numbers become."""

import gzip
import json

import pytest
from importer_sources import (
    MARK,
    Case,
    agentnet,
    bench_action,
    candidate,
    imported,
    mind2web,
    mind2web_fields,
    mind2web_json,
    node,
    page,
    screenagent,
    screenspot,
    twice,
)

from coepg.data.crop import Crop
from coepg.data.importers.base import ImportOptions
from coepg.data.importers.mind2web_rows import repr_line
from coepg.data.importers.pyautogui_calls import parse_calls, scroll_direction
from coepg.data.importers.registry import make_importer
from coepg.errors import DataError
from coepg.types import Box, Point


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


# Scrolling: steps always name the content to reveal


def test_pyautogui_wheels():
    assert scroll_direction(-3) == "down" and scroll_direction(3) == "up"
    assert scroll_direction(2, horizontal=True) == "right"
    assert scroll_direction(-2, horizontal=True) == "left"


def omniact_script(case, *lines):
    case.file("tasks/t.txt", "\n".join([f"Task: {MARK}", "Output Script:", *lines]))
    case.json("boxes/screen_1.json", {
        "name": {"top_left": [10, 20], "bottom_right": [50, 40]},
        "bin": {"top_left": [200, 200], "bottom_right": [240, 240]},
        "page": {"top_left": [0, 0], "bottom_right": [400, 300]},
    })  # fmt: skip
    case.image("data/web/shop/screen1.png")
    entry = {"task": "tasks/t.txt", "image": "data/web/shop/screen_1.png",
             "box": "boxes/screen_1.json"}  # fmt: skip
    return case.json("test.json", {"9": entry})


def test_omniact_script(case):
    source = omniact_script(
        case, "pyautogui.click(30,30)", 'pyautogui.write("bob")', "pyautogui.scroll(-30)",
        "pyautogui.hscroll(5)", "pyautogui.moveTo(30,30)", "pyautogui.dragTo(220, 220, 'left')",
        'pyautogui.hotkey("ctrl", "s")', "pyautogui.tripleClick(30,30)",
    )  # fmt: skip
    report, table, steps = imported("omniact", source)
    told = [(s.action_type, s.value) for s in steps]
    assert told == [("click", None), ("type", "bob"), ("scroll", "down"), ("scroll", "right"),
                    ("drag", "bin"), ("press", "ctrl+s")]  # fmt: skip
    assert steps[0].target_box_px == Box(10, 20, 50, 40)  # not the page, which also holds it
    assert steps[1].target_box_px == Box(10, 20, 50, 40)
    assert steps[1].tags["target_box_source"] == "last_click"
    assert steps[4].end_point_px == Point(220, 220)
    assert steps[4].history[:2] == ("[element] name -> click", "[element] name -> type: bob")
    assert steps[1].tags["picture_is_initial"] == "true"
    assert steps[0].tags == {"platform": "web", "application": "shop"}
    assert steps[0].split == "test" and steps[0].num_steps == 7
    assert report.left_out == {"tripleclick": 1}
    assert [left.step_id for left in table.left_out("test")] == ["test-9/6"]
    assert table.info["left_out"] == {"test": {"tripleclick": 1}}


def test_omniact_boxes_of_other_elements_may_be_wrong(case):
    source = omniact_script(case, "pyautogui.click(30,30)", "pyautogui.click(399,1)")
    boxes = json.loads((case.folder / "boxes" / "screen_1.json").read_text())
    boxes["menu"] = {"top_left": [300, 10], "bottom_right": [500, 30]}
    case.json("boxes/screen_1.json", boxes)
    assert imported("omniact", source)[0].num_steps == 2  # the page holds both clicks
    del boxes["page"]
    case.json("boxes/screen_1.json", boxes)
    with pytest.raises(DataError, match="menu"):
        imported("omniact", source)  # the second click is in no box that could be read


def test_typing_without_focus_is_left_out(case):
    source = omniact_script(case, 'pyautogui.write("bob")', "pyautogui.click(30,30)")
    report, _, steps = imported("omniact", source)
    assert report.left_out == {"no_focus": 1} and len(steps) == 1
    source = omniact_script(case, "pyautogui.click(30,30)", 'pyautogui.write("bob")')
    report, _, _ = imported("omniact", source, ImportOptions(extra={"focus": "leave_out"}))
    assert report.left_out == {"no_focus": 1}


@pytest.mark.parametrize(
    "script",
    ["__import__('os').remove('x')", "pyautogui.click(f())", "x = 1", "os.remove('x')",
     "pyautogui.click(", "for i in range(9): pyautogui.press('a')"],
)  # fmt: skip
def test_scripts_are_never_run(script):
    with pytest.raises(DataError, match="script"):
        parse_calls(script, "a.txt")


def test_agentnet_bench(case):
    path, _ = agentnet(case)
    task = json.loads(path.read_text())
    scroll = [bench_action(case, "moveTo"), bench_action(case, "scroll", amount=-54)]
    actions = [[bench_action(case)], [{"type": "write", "params": {"text": "ab\n"}}], scroll,
               [{"type": "terminate", "params": {"status": "success"}}]]  # fmt: skip
    other = Case(case.folder, box=(10, 10, 20, 20))
    first = task["steps"][0]
    task["steps"] = [first | {"ground_truth_actions": found} for found in actions]
    task["steps"][0] |= {"alternative_options": [[bench_action(other)], [bench_action(other)] * 2]}
    path.write_text(json.dumps(task))
    _, _, steps = imported("agentnet", path)
    told = [(s.action_type, s.value) for s in steps]
    assert told == [("click", None), ("type", "ab\n"), ("scroll", "down"), ("finish", "success")]
    assert [s.num_steps for s in steps] == [4] * 4
    assert steps[0].alternative_boxes_px == (Box(10, 10, 20, 20),)
    assert steps[2].target_box_px is None
    assert steps[2].target_point_px == Point(340, 240)
    assert steps[2].tags == {"scroll_amount": "-54"}
    assert steps[3].history == (
        "[element] Click it -> click", "[element] Click it -> type: ab\\n", "scroll: down",
    )  # fmt: skip


def test_agentnet_training_rows(case):
    case.image("a.png")
    script = "pyautogui.moveTo(x=0.1, y=0.5)\npyautogui.dragTo(x=0.2, y=0.5)"
    flags = {"last_step_correct": True, "last_step_redundant": False}
    code = {"code": script, "action": "Drag it", **flags}
    row = {"task_id": "t", "instruction": MARK, "traj": [{"index": 0, "image": "a.png",
                                                          "value": code}]}  # fmt: skip
    _, _, (step,) = imported("agentnet", case.json("agentnet.jsonl", row))
    assert step.action_type == "drag"
    assert step.target_point_px == Point(40, 150) and step.end_point_px == Point(80, 150)
    assert step.tags == {"last_step_correct": "true", "last_step_redundant": "false",
                         "target_box_source": "point"}  # fmt: skip


def test_screenagent(case):
    path, _ = screenagent(case)
    turn = json.loads(path.read_text())
    click = turn["actions"][0]
    plan = {"action_type": "PlanAction", "element": "x"}
    scroll = {"action_type": "MouseAction", "mouse_action_type": "scroll_up", "scroll_repeat": 3}
    text = {"action_type": "KeyboardAction", "keyboard_text": "bob"}
    keys = {"action_type": "KeyboardAction", "keyboard_key": "ctrl + s"}
    double = {**click, "mouse_action_type": "double_click", "clickable_area": None}
    turn["actions"] = [plan, click, text, scroll, keys, {"action_type": "WaitAction"}, double]
    # The picture is half as large as the video in which positions are given.
    turn |= {"video_width": 800, "video_height": 600}
    path.write_text(json.dumps(turn))
    case.json("s1/turn_1_neg_plan.json", turn)
    _, _, steps = imported("screenagent", case.folder)
    told = [(s.action_type, s.value) for s in steps]
    assert told == [("click", None), ("type", "bob"), ("scroll", "up"), ("press", "ctrl+s"),
                    ("wait", "0.5"), ("double_click", None)]  # fmt: skip
    assert steps[0].target_box_px == Box(150, 100, 190, 140)
    assert steps[5].target_box_px == Box(169, 119, 171, 121)
    assert steps[5].tags["target_box_source"] == "point"


def demo(case, states, **more):
    row = {"taskName": "t", "utterance": MARK, "states": states, "reward": 0.8, "rawReward": 1}
    data = gzip.compress(json.dumps(row | more).encode())
    return case.file("t/demo.json.gz", data)


BLANK = ImportOptions(extra={"pictures": "blank"})


def press(dom, x, y, up=None):
    at, to = {"x": x, "y": y}, dict(zip("xy", up or (x, y), strict=True))
    return [*twice(1, dom, type="mousedown", **at), *twice(2, dom, type="mouseup", **to),
            *twice(3, dom, type="click", **to)]  # fmt: skip


def typed(dom, text):
    states = []
    for letter in text:
        states += twice(4, dom, type="keydown", keyCode=ord(letter.upper()), charCode=0)
        states += twice(5, dom, type="keypress", keyCode=ord(letter), charCode=ord(letter))
        states += twice(6, dom, type="keyup", keyCode=ord(letter.upper()), charCode=0)
    return states


def test_miniwob_events_become_actions(case):
    field = node(5, "INPUT_text", (2, 60, 100, 20), id="tt", focused=True, recordingTarget=True)
    idle = {**field, "recordingTarget": False}
    button = node(6, "BUTTON", (2, 100, 300, 20), text="OK", recordingTarget=True)
    in_field, on_button = page([field]), page([idle, button])
    label = press(on_button, 10, 110)
    states = [
        *press(in_field, 10, 70), *typed(in_field, "abx"),
        *twice(7, in_field, type="keydown", keyCode=8, charCode=0), *typed(in_field, "c"),
        *twice(8, in_field, type="keydown", keyCode=13, charCode=0),
        *label, *label[-2:],  # a label's click comes a second time, for its box
        *press(on_button, 10, 110, up=(60, 110)),
    ]  # fmt: skip
    _, table, steps = imported("miniwob_demos", demo(case, states), BLANK)
    told = [(s.action_type, s.value) for s in steps]
    assert told == [("type", "abc"), ("press", "enter"), ("click", None), ("drag", "[button] OK")]
    assert steps[0].target_box_px == Box(2, 60, 102, 80)
    assert steps[2].target_box_px == Box(2, 100, 160, 120)  # what the page shows of it
    assert steps[2].history == ("[text field] tt -> type: abc", "press: enter")
    assert steps[2].target_repr == "[button] OK"
    assert steps[2].tags == {"reward": "1", "pictures": "blank"}
    assert [t.text for t in steps[2].screen_text] == ["OK"]
    assert table.image(steps[0].screenshot.image_hash).getcolors() == [(160 * 210, (255,) * 3)]


@pytest.mark.parametrize(("top", "way"), [(40, "down"), (80, "up")])
def test_miniwob_scrolls_reveal_content(case, top, way):
    before, after = (
        page([node(5, "LI", (2, 60, 100, 20))]),
        page([node(5, "LI", (2, top, 100, 20))]),
    )
    states = [{"time": 0, "action": None, "dom": before}]
    states += twice(1, before, type="mousedown", x=150, y=70)
    states += [{"time": 2, "action": {"type": "scroll", "timing": 1}, "dom": after}]
    states += twice(3, after, type="mouseup", x=150, y=90)
    _, _, (step,) = imported("miniwob_demos", demo(case, states), BLANK)
    assert (step.action_type, step.value) == ("scroll", way)


def test_miniwob_needs_to_be_told_about_pictures(case):
    with pytest.raises(DataError, match="pictures=blank"):
        make_importer("miniwob_demos", ImportOptions())


def test_miniwob_failures_are_left_out(case):
    states = press(page([node(6, "BUTTON", (2, 100, 30, 20), recordingTarget=True)]), 10, 110)
    source = demo(case, states, rawReward=-1)
    with pytest.raises(DataError, match="not_rewarded 1"):
        imported("miniwob_demos", source, BLANK)
    keep = ImportOptions(extra={"pictures": "blank", "failed": "keep"})
    assert imported("miniwob_demos", source, keep)[0].num_steps == 1


# Mind2Web


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[combobox]  Type -> SELECT: Pickup", "[combobox] Type -> select: Pickup"),
        ("[svg]   -> CLICK", "[svg] -> click"),
        ("[div]  Menu -> HOVER", "[div] Menu -> hover"),
        ("[textbox]  Search -> ENTER", "[textbox] Search -> press: enter"),
        ("[input]  a -> b -> TYPE: x: y", "[input] a -> b -> type: x: y"),
        ("gone wild", "gone wild"),
    ],
)
def test_mind2web_history(text, line):
    assert repr_line(text)[0] == line


def test_mind2web_positives(case):
    case.size = (1280, 4000)
    boxes = [([0, 3000, 40, 20], False), ([-1, -1, -1, -1], False), ([100, 3000, 60, 30], True),
             ([1270, 3000, 100, 20], False)]  # fmt: skip
    found = [candidate(values, original, encoded=True) for values, original in boxes]
    path = case.parquet(
        "test_task-00000-of-00001.parquet", mind2web_fields(case, pos_candidates=found)
    )
    _, _, (step,) = imported("mind2web", path, crop=Crop())
    assert step.split == "test_task" and step.step_id == "t1/1" and step.num_steps == 2
    assert step.history == ("[svg] -> click",)
    assert (step.action_type, step.value) == ("type", "Boston")
    # The original target first; the hidden one and the one that mostly overhangs are no targets.
    assert step.target_box_px == Box(100, 600, 160, 630)
    assert step.alternative_boxes_px == (Box(0, 600, 40, 620),)
    assert step.tags["crop_px"] == "0,2400,1280,3400"


@pytest.mark.parametrize("positives", [[], [candidate([-1, -1, -1, -1], encoded=True)]])
def test_mind2web_steps_without_positives_count_as_failed(case, positives):
    good = mind2web(case)[0]
    other = mind2web_fields(case, pos_candidates=positives, annotation_id="t2")
    case.parquet("train-00001-of-00002.parquet", other)
    report, table, steps = imported("mind2web", good.parent)
    assert len(steps) == 1 and report.left_out == {"no_positive": 1}
    (left,) = table.left_out("train")
    assert (left.step_id, left.episode_id, left.reason) == ("t2/1", "t2", "no_positive")


def test_mind2web_takes_one_split(case):
    mind2web(case)
    case.parquet("test_task-00000-of-00001.parquet", mind2web_fields(case, annotation_id="t2"))
    report, table, _ = imported("mind2web", case.folder, ImportOptions(split="test_task"))
    assert table.splits == ("test_task",) and report.num_records == 1


def test_mind2web_json_with_seeclick_boxes(case):
    path, options = mind2web_json(case)
    task = json.loads(path.read_text())[0]
    task["actions"][0]["bbox"] = {"x": 10, "y": 20, "width": 30, "height": 40}
    path.write_text(json.dumps([task]))
    options = ImportOptions(options.images, extra={"boxes": "seeclick"})
    assert imported("mind2web_json", path, options)[2][0].target_box_px == Box(10, 20, 40, 60)


def test_mind2web_json_says_that_it_has_no_pictures(case):
    with pytest.raises(DataError, match="has no pictures"):
        imported("mind2web_json", mind2web_json(case)[0])


# ScreenSpot


def test_screenspot_platforms_come_from_the_file(case):
    path, _ = screenspot(case)
    other = path.rename(path.parent / "rows.json")
    with pytest.raises(DataError, match="platform=mobile"):
        imported("screenspot", other)
    _, _, (step,) = imported("screenspot", other, ImportOptions(extra={"platform": "mobile"}))
    assert step.tags == {"platform": "mobile", "ui_type": "text", "data_source": "tool"}
    assert step.episode_id == "screenspot_mobile_0000"
