"""What each source's words and numbers become."""

import gzip
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from importer_sources import (
    MARK,
    Case,
    agentnet,
    bench_action,
    candidate,
    mind2web,
    mind2web_fields,
    mind2web_json,
    node,
    page,
    picture,
    screenagent,
    screenspot,
    twice,
)

from coepg.data.crop import Crop
from coepg.data.importers import json_array
from coepg.data.importers.base import ImportOptions
from coepg.data.importers.boxes import box_px
from coepg.data.importers.chat import numbers_in
from coepg.data.importers.history import history_line
from coepg.data.importers.mind2web_rows import repr_line
from coepg.data.importers.pyautogui_calls import parse_calls, scroll_direction
from coepg.data.importers.registry import IMPORTERS, importer_class, make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable
from coepg.errors import ConfigError, DataError
from coepg.types import Box, Point, Size

SIZE = Size(400, 300)


def imported(name, source, options=None, **more):
    out = source.parent / "out"
    report = import_dataset(
        make_importer(name, options or ImportOptions()), source, out, overwrite=True, **more
    )
    table = StepTable.open(out)
    return report, table, [step for split in table.splits for step in table.steps(split)]


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


# Boxes


@given(
    st.integers(0, 399), st.integers(0, 299), st.integers(0, 400), st.integers(0, 300),
    st.sampled_from(["px", "norm1", "norm1000"]),
)  # fmt: skip
def test_all_orders_and_units_say_the_same_box(x0, y0, x1, y1, unit):
    assume(x0 < x1 and y0 < y1)
    sx, sy = {"px": (1, 1), "norm1": (1 / 400, 1 / 300), "norm1000": (2.5, 10 / 3)}[unit]
    a, b, c, d = x0 * sx, y0 * sy, x1 * sx, y1 * sy
    written = {
        "x0y0x1y1": [a, b, c, d], "left_top_right_bottom": [a, b, c, d],
        "xywh": [a, b, c - a, d - b], "yxhw": [b, a, d - b, c - a],
    }  # fmt: skip
    for order, values in written.items():
        found = box_px(values, unit, order, SIZE, "a.json, row 0")
        assert found.as_tuple() == pytest.approx((x0, y0, x1, y1), abs=1e-6)


@given(st.lists(st.floats(-1e4, 1e4) | st.integers(-9999, 9999), min_size=4, max_size=4))
def test_a_box_is_in_the_picture_or_refused(values):
    try:
        box = box_px(values, "px", "x0y0x1y1", SIZE, "a.json, row 0")
    except DataError as error:
        assert "a.json, row 0" in str(error)
    else:
        assert 0 <= box.x0 <= box.x1 <= 400 and 0 <= box.y0 <= box.y1 <= 300
        assert max(abs(a - b) for a, b in zip(box.as_tuple(), values, strict=True)) <= 2


@pytest.mark.parametrize("values", [None, [1, 2, 3], ["1", "2", "3", "4"], [True, 0, 1, 1],
                                    [0, 0, float("nan"), 1], {"x": 1}])  # fmt: skip
def test_what_is_no_box(values):
    with pytest.raises(DataError, match="4 finite numbers"):
        box_px(values, "px", "xywh", SIZE, "a.json, row 0")


# Large JSON files


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON, max_size=6), st.integers(1, 9), st.booleans())
def test_lists_are_read_element_by_element(tmp_path_factory, values, chunk, ascii_only):
    path = tmp_path_factory.mktemp("json") / "a.json"
    path.write_text(json.dumps(values, ensure_ascii=ascii_only, indent=1), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_array, "CHUNK_BYTES", chunk)
        assert [record.data for record in json_array.iter_json_array(path)] == values


@given(st.lists(JSON, min_size=1, max_size=4), st.floats(0, 1))
def test_a_cut_list_is_always_noticed(tmp_path_factory, values, share):
    text = json.dumps(values).encode()
    path = tmp_path_factory.mktemp("json") / "cut.json"
    path.write_bytes(text[: min(int(share * len(text)), len(text) - 1)])
    with pytest.raises(DataError, match="cut.json"):
        list(json_array.iter_json_array(path))


@pytest.mark.parametrize("text", ["[1,,2]", "[1 2]", "[1]x", '{"a" 1}', '["a]', "[" * 99999, "7"])
def test_what_is_no_json(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(DataError, match="a.json"):
        list(json_array.iter_json_array(path))


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


# Own rows


def rows(case, *found):
    case.image("a.png")
    return case.file("rows.jsonl", "\n".join(json.dumps(row) for row in found))


def own(**more):
    return {"image": "a.png", "instruction": MARK, "action_type": "click"} | more


def test_jsonl_episodes_have_history(case):
    source = rows(
        case, own(episode_id="e", box_px=[1, 2, 3, 4], role="button", target="Go"),
        own(episode_id="e", action_type="type", value="x", point_norm1000=[500, 500], target="Me"),
        own(episode_id="e", action_type="scroll", value="down"),
        own(box_norm1=[0, 0, 0.5, 0.5], split="test", tags={"a": "b"}),
    )  # fmt: skip
    _, table, _ = imported("jsonl", source)
    first, second, third = table.steps("train")
    (alone,) = table.steps("test")
    assert third.history == ("[button] Go -> click", "[element] Me -> type: x")
    assert [s.num_steps for s in (first, second, third, alone)] == [3, 3, 3, 1]
    assert second.target_point_px == Point(200, 150)
    assert second.target_box_px == Box(199, 149, 201, 151)
    assert second.tags == {"target_box_source": "point"}
    assert (third.value, third.target_box_px) == ("down", None)
    assert alone.episode_id == "rows-3" and alone.target_box_px == Box(0, 0, 200, 150)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (own(box=[1, 2, 3, 4]), "write 'box_px'"),
        (own(), "add it"),
        (own(box_px=[1, 2, 3, 4], point_px=[1, 2]), "one of them"),
        (own(action_type="scroll", value="sideways"), "content to reveal"),
        (own(action_type="klick", box_px=[1, 2, 3, 4]), "klick"),
        (own(box_px=[1, 2, 3, 4], value=7), "value"),
        (own(box_px=[1, 2, 3, 4], tags={"a": 1}), "tags"),
        (own(box_px=[0, 0, 1000, 1000]), "unit"),
    ],
)
def test_jsonl_mistakes(case, row, message):
    with pytest.raises(DataError, match="line 1") as caught:
        imported("jsonl", rows(case, row))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("<point>[[12, 40]]</point>", [12, 40]),
        ("click(start_box='(3,4)')", [3, 4]),
        ("pyautogui.click(x=0.25, y=0.5)", [0.25, 0.5]),
        ('{"bbox_2d": [1, 2, 3.5, 4]}', [1, 2, 3.5, 4]),
        ("<|box_start|>(1,2),(3,4)<|box_end|>", [1, 2, 3, 4]),
        ("no numbers", None),
        ("(1,2) or (3,4)", None),
        ("[1,2,3]", None),
    ],
)
def test_numbers_in_answers(text, numbers):
    if numbers is None:
        with pytest.raises(DataError, match="a.json"):
            numbers_in(text, "a.json")
    else:
        assert numbers_in(text, "a.json") == numbers


@pytest.mark.parametrize(("unit", "point"), [("px", (100, 30)), ("norm1000", (40, 9))])
def test_units_of_chat_rows_are_said(case, unit, point):
    row = {"conversations": [{"from": "human", "value": "<image>" + MARK},
                             {"from": "gpt", "value": "click (100, 30)"}],
           "images": ["a.png"]}  # fmt: skip
    case.image("a.png")
    source = case.json("train.jsonl", row)
    with pytest.raises(ConfigError, match="point_unit"):
        imported("llama_factory", source)
    _, _, (step,) = imported("llama_factory", source, ImportOptions(extra={"point_unit": unit}))
    assert (step.target_point_px.x, step.target_point_px.y) == pytest.approx(point, abs=1e-4)


@pytest.mark.parametrize(
    ("objects", "wanted"),
    [
        ({"ref": ["dog", "man"], "bbox": [[1, 2, 3, 4], [5, 6, 7, 8]]}, [("dog", 0), ("man", 0)]),
        ({"ref": ["sheep"], "bbox": [[1, 2, 3, 4], [5, 6, 7, 8]]}, [("sheep", 1)]),
        ({"ref": [], "bbox": [[15, 26]]}, [("Open Chrome", 0)]),
    ],
)  # fmt: skip
def test_ms_swift_marks(case, objects, wanted):
    """The three forms of ms-swift's own documentation."""
    row = {"messages": [{"role": "user", "content": "<image>Open Chrome"},
                        {"role": "assistant", "content": "<bbox>"}],
           "images": [{"path": "a.png"}], "objects": objects}  # fmt: skip
    case.image("a.png")
    _, _, steps = imported("ms_swift", case.json("rows.jsonl", row))
    assert [(s.instruction, len(s.alternative_boxes_px)) for s in steps] == wanted


def test_ms_swift_conversations(case):
    messages = [{"role": "user", "content": "<image>Go"},
                {"role": "assistant", "content": "(250, 500)"}]  # fmt: skip
    row = {"messages": messages, "images": ["a.png"]}
    case.image("a.png")
    options = ImportOptions(extra={"point_unit": "norm1000"})
    _, _, (step,) = imported("ms_swift", case.json("rows.jsonl", row), options)
    assert step.target_point_px == Point(100, 150)


# All formats


@pytest.mark.parametrize("name", sorted(IMPORTERS))
def test_formats_know_themselves(name):
    form = importer_class(name).format
    assert form.name == name and form.title and form.license and form.url
    with pytest.raises(ConfigError, match="no setting of this name"):
        form_options = ImportOptions(extra={"colour": "red"})
        form_options.checked(form)


def test_values_of_settings_are_checked():
    with pytest.raises(ConfigError, match="one of en, cn"):
        make_importer("screenspot_pro", ImportOptions(extra={"language": "de"}))


@given(st.text(), st.text())
def test_history_is_one_line(name, value):
    assert "\n" not in history_line("type", value, f"[button] {' '.join(name.split())}")


def test_two_imports_share_a_picture(case):
    source = rows(case, own(box_px=[1, 2, 3, 4]), own(box_px=[5, 6, 7, 8]))
    _, table, _ = imported("jsonl", source)
    assert table.info["images"] == 1
    assert table.image_bytes(table.steps("train")[0].screenshot.image_hash) == picture()
