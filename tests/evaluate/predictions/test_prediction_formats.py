"""Every format on a small file of its form, scored by hand."""

import json

import pytest
from PIL import Image

from coepg.errors import DataError
from coepg.evaluate.predictions.base import ReadOptions
from coepg.evaluate.predictions.gui_odyssey import parse_odyssey
from coepg.evaluate.predictions.os_atlas import parse_os_atlas
from coepg.evaluate.predictions.registry import make_reader
from coepg.types import Point, Space


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def document(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
    return path


def scored(name, path, gold=None, **extra):
    reader = make_reader(name, ReadOptions(gold, extra))
    answers = reader.read(path)
    return answers, reader.report(answers)


def value(report, name):
    return report.score(name).estimate.value


def test_screenspot_list_of_shares(tmp_path):
    row = {"img_path": "imgs/pc_1.png", "bbox": [0.1, 0.1, 0.2, 0.2], "type": "icon", "text": "x"}
    rows = [row | {"pred": [0.15, 0.2]}, row | {"pred": [0.3, 0.2]}, row | {"pred": None}]
    answers, report = scored(
        "screenspot_seeclick", document(tmp_path / "r.json", rows), version="v2"
    )
    assert [a.platform for a in answers] == ["desktop"] * 3
    assert value(report, "screenspot_v2_acc") == pytest.approx(1 / 3)
    assert report.num_unparsed == 1
    assert "1272" in report.notes[0]


def test_screenspot_lines_divide_by_their_scale(tmp_path):
    row = {"img_filename": "a.png", "bbox": [10, 10, 5, 5], "platform": "web", "data_type": "text"}
    rows = [row | {"output": "(24, 30)", "scale": 2}, row | {"output": "(24, 30)"},
            row | {"output": "none"}, row | {"output": None}]  # fmt: skip
    answers, report = scored("screenspot_uground", lines(tmp_path / "r.jsonl", rows))
    assert answers[0].point == Point(12, 15)
    assert value(report, "screenspot_v1_acc") == 0.25
    assert report.num_unparsed == 2
    bad = lines(tmp_path / "b.jsonl", [row | {"output": "(1, 2)", "scale": 0}])
    with pytest.raises(DataError, match="scale"):
        scored("screenspot_uground", bad)


def test_omniact_with_gold_folder_and_points(tmp_path):
    gold = tmp_path / "omniact"
    (gold / "tasks").mkdir(parents=True)
    script = 'Task: x\nOutput Script:\npyautogui.rightClick(15.0,15.0)\npyautogui.press("enter")\n'
    (gold / "tasks/1.txt").write_text(script)
    document(gold / "boxes.json", {"ok": {"top_left": [10, 10], "bottom_right": [20, 20]}})
    answer = 'pyautogui.rightClick("the OK button")\npyautogui.press("enter")'
    row = {"id": "1", "task": "tasks/1.txt", "box": "boxes.json", "gpt_output": answer,
           "ideal_score": 1.1, "seq_score": 0.0}  # fmt: skip
    path = lines(tmp_path / "seq.jsonl", [row])
    _, plan_only = scored("omniact", path, gold)
    assert value(plan_only, "omniact_sequence_score") == 1.0
    assert value(plan_only, "omniact_uground_sequence_score") == 0.0
    points = lines(tmp_path / "points.jsonl", [
        {"id": "1", "description": "the OK button", "output": "(30, 24)", "scale": 2},
        {"id": "1", "description": "the OK button", "output": "(300, 24)", "scale": 2},
    ])  # fmt: skip
    answers, report = scored("omniact", path, gold, answers=str(points))
    assert answers[0].task.predicted[0].point_px == Point(15, 12)
    assert value(report, "omniact_action_score") == 1.0
    with pytest.raises(DataError, match="the task has 2 lines"):
        scored("omniact", lines(tmp_path / "bad.jsonl", [row | {"ideal_score": 0.1}]), gold)
    with pytest.raises(DataError, match="--gold"):
        scored("omniact", path, tmp_path)


def test_omniact_stored_verdicts_are_checked(tmp_path):
    row = {"id": "1", "task": "t", "box": "b", "gpt_output": "pyautogui.click('x')",
           "ideal_score": 0.1, "seq_score": 0.1}  # fmt: skip
    _, report = scored("omniact", lines(tmp_path / "a.jsonl", [row]))
    assert value(report, "omniact_uground_sequence_score") == 1.0
    assert "stored" in report.notes[0]
    for change, text in (
        ({"ideal_score": 0.15}, "gold lines"),
        ({"seq_score": 0.05}, "0, or the ideal_score"),
        ({"gpt_output": ""}, "0 calls in gpt_output for 1 gold lines"),
    ):
        with pytest.raises(DataError, match=text):
            scored("omniact", lines(tmp_path / "b.jsonl", [row | change]))
    index = document(tmp_path / "index.json", {"1": {"task": "t"}, "2": {"task": "u"}})
    with pytest.raises(DataError, match="1 tasks are not answered"):
        scored("omniact", lines(tmp_path / "a.jsonl", [row]), index=str(index))


def test_mind2web_of_uground_joins_three_files(tmp_path):
    keys = [{"annotation_id": "t", "action_uid": str(n)} for n in range(3)]
    sample = lines(tmp_path / "sample.jsonl", [
        key | {"operation": "CLICK", "value": "", "total_steps": 4, "website": "w"} for key in keys
    ])  # fmt: skip
    plan = lines(tmp_path / "plan.jsonl", [
        key | {"gpt_action": "CLICK", "gpt_value": "None"} for key in keys[:2]
    ])  # fmt: skip
    answers = lines(tmp_path / "answers.jsonl", [
        {"id": "t_0", "output": "(30, 30)", "bbox": [[10, 10, 5, 5]], "scale": 2},
        {"id": "t_1", "output": "(30, 30)", "bbox": [[10, 10, 5, 5], [29, 29, 2, 2]]},
    ])  # fmt: skip
    _, report = scored("mind2web_uground", plan, sample, answers=str(answers))
    assert value(report, "mind2web_uground_ele_acc") == 0.5
    assert value(report, "mind2web_uground_op_f1") == 0.5
    assert (report.num_rows, report.num_unparsed) == (4, 2)
    with pytest.raises(DataError, match="bbox"):
        bad = lines(tmp_path / "bad.jsonl", [{"id": "t_0", "output": "(1, 1)", "bbox": None}])
        scored("mind2web_uground", plan, sample, answers=str(bad))
    with pytest.raises(DataError, match="a step of"):
        scored("mind2web_uground", lines(tmp_path / "p.jsonl", [
            {"annotation_id": "u", "action_uid": "0", "gpt_action": "CLICK", "gpt_value": ""}
        ]), sample)  # fmt: skip


def test_mind2web_of_seeact_names_elements(tmp_path):
    attributes = json.dumps({"bounding_box_rect": "-1,-1,-1,-1"})
    positive = {"backend_node_id": "7", "attributes": attributes}
    action = {"action_uid": "a", "operation": {"op": "TYPE", "value": "x y"},
              "pos_candidates": [positive]}  # fmt: skip
    gold = document(tmp_path / "gold.json", [{"annotation_id": "t", "actions": [action]}])
    path = document(tmp_path / "pred.json", [["t_a", "7", "TYPE x y"]])
    answers, report = scored("mind2web_seeact", path, gold)
    assert answers[0].steps[0].positive_boxes_px == ()
    assert value(report, "mind2web_seeact_step_sr") == 1.0
    for rows in ([["u_a", "7", "CLICK"]], [["t_a", 7, "CLICK"]], [["t_a", "7", ""]] * 2):
        with pytest.raises(DataError, match=r"pred\.json, row"):
            scored("mind2web_seeact", document(tmp_path / "pred.json", rows), gold)


def gold_row(image, action):
    return {"image": f"x/{image}", "conversations": [{}, {"value": f"actions:\n{action}"}]}


def test_os_atlas_rows_pair_by_line(tmp_path):
    gold = lines(tmp_path / "gold.jsonl", [
        gold_row("episode_1_screenshot_0.png", "CLICK <point>[[100,100]]</point>"),
        gold_row("episode_1_screenshot_1.png", "SCROLL [UP]"),
        gold_row("episode_2_screenshot_0.png", "PRESS_BACK"),
        gold_row("episode_2_screenshot_1.png", "OPEN_APP [My App]"),
    ])  # fmt: skip
    path = lines(tmp_path / "pred.jsonl", [
        {"pred": "thoughts:\nx\nactions:\nCLICK <point>[[100,240]]</point><|im_end|>"},
        {"pred": "actions:\nSCROLL [DOWN]"},
        {"pred": "no action"},
        {"pred": "actions:\nOPEN_APP [my other]"},
    ])  # fmt: skip
    _, report = scored("androidcontrol_os_atlas", path, gold)
    assert value(report, "androidcontrol_os_atlas_step_acc") == 0.5
    assert value(report, "androidcontrol_os_atlas_type_acc") == 0.75
    assert report.num_unparsed == 1
    with pytest.raises(DataError, match="1 answers for 4 rows"):
        scored("androidcontrol_os_atlas", lines(tmp_path / "p.jsonl", [{"pred": ""}]), gold)


def test_odyssey_rows_of_os_atlas_hold_their_gold(tmp_path):
    row = gold_row("77_3.png", "TYPE [hello world]")
    path = lines(tmp_path / "p.jsonl", [row | {"pred": "actions:\nTYPE [hello there]"}])
    answers, report = scored("gui_odyssey_os_atlas", path)
    assert (answers[0].episode_id, answers[0].position) == ("77", 3)
    assert value(report, "gui_odyssey_os_atlas_ams") == 1.0  # type, [hello: F1 = 2/3
    with pytest.raises(DataError, match="image"):
        scored(
            "gui_odyssey_os_atlas", lines(tmp_path / "p.jsonl", [row | {"image": "x", "pred": ""}])
        )


def test_os_atlas_actions():
    assert parse_os_atlas("CLICK [[1,2]]") is None
    assert parse_os_atlas("actions:\nCLICK somewhere").point_norm1000 is None
    assert parse_os_atlas("actions:\nTYPE [a [b] 12]").text == "a [b] 12"


def test_official_odyssey_file_before_and_after_scoring(tmp_path):
    question = "Picture 1: <img>../data/screenshots/123_{}.png</img>\nI'm looking for"
    info = {"category": "Tool", "step_length": 2, "sam2_bbox": [0, 0, 50, 50]}
    rows = [
        {"question": question.format(0), "pred": "CLICK: (40, 10)", "gt": "CLICK: (900, 900)",
         "more_info": info},
        {"question": question.format(1), "pred": "TEXT: ab", "gt": "TYPE: abc",
         "more_info": info | {"sam2_bbox": []}},
    ]  # fmt: skip
    _, report = scored("gui_odyssey", document(tmp_path / "r.json", rows))
    assert value(report, "gui_odyssey_ams") == value(report, "gui_odyssey_sr") == 1.0
    whole = {"dataset": "d", "metrics": {"info": {}, "pred": rows}}
    assert scored("gui_odyssey", document(tmp_path / "s.json", whole))[1] == report
    with pytest.raises(DataError, match="row 0.*more_info: field 'sam2_bbox'"):
        bad = rows[0] | {"more_info": {"category": "Tool", "step_length": 2}}
        scored("gui_odyssey", document(tmp_path / "r.json", [bad]))
    assert parse_odyssey("LONG_PRESS: [3, 4]").point_norm1000 == Point(3, 4, Space.NORM1000)
    assert parse_odyssey(" ") is None


def test_ui_s1_answers_are_mapped_through_the_size_that_was_shown(tmp_path):
    click = {"action": "click", "coordinate": [540, 1200]}
    swipe = {"action": "swipe", "coordinate": [540, 1800], "coordinate2": [540, 600]}
    gold = lines(tmp_path / "gold.jsonl", [{"episode_id": 5, "steps": [
        {"action_content": click,
         "check_options": click | {"candidate_bbox": [[500, 1190, 580, 1210]]}},
        {"action_content": swipe, "check_options": {"action": "swipe", "direction": "down"}},
    ]}])  # fmt: skip
    sizes = {"episode_id": 5, "image_size": [1080, 2400], "answer_size": [540, 1200]}
    answer = {"action": "swipe", "coordinate": [270, 300], "coordinate2": [270, 900]}
    rows = [
        sizes | {"step": 0, "action_content": {"action": "click", "coordinate": [270, 600]}},
        sizes | {"step": 1, "action_content": answer},
    ]
    _, report = scored("androidcontrol_ui_s1", lines(tmp_path / "a.jsonl", rows), gold)
    assert value(report, "androidcontrol_ui_s1_episode_sr") == 1.0
    assert value(report, "androidcontrol_infigui_step_acc") == 0.5
    rows[1]["action_content"] = None
    _, report = scored("androidcontrol_ui_s1", lines(tmp_path / "a.jsonl", rows), gold)
    assert report.num_unparsed == 1
    with pytest.raises(DataError, match="answer_size"):
        del rows[0]["answer_size"]
        scored("androidcontrol_ui_s1", lines(tmp_path / "a.jsonl", rows), gold)


def test_ui_s1_summaries_must_agree_with_themselves(tmp_path):
    row = {"goal": "g", "num_steps": 4, "task_success": False, "final_step_id": 1}
    done = row | {"task_success": True, "final_step_id": 4}
    name = "androidcontrol_ui_s1_summary"
    _, report = scored(name, lines(tmp_path / "a.jsonl", [row, done]))
    assert value(report, "androidcontrol_semi_online_progress") == 0.625
    for change in ({"task_success": True}, {"final_step_id": 5}, {"num_steps": 0}):
        with pytest.raises(DataError, match="line 1"):
            scored(name, lines(tmp_path / "b.jsonl", [row | change]))


def aitz_folder(tmp_path):
    folder = tmp_path / "aitz" / "EP-1"
    base = {
        "episode_id": "1", "episode_length": 2, "image_path": "x/EP-1/p.png",
        "ui_positions": "[[100, 100, 20, 40]]", "result_action_text": "",
        "result_lift_yx": "[0.275, 0.6]",
    }  # fmt: skip
    document(folder / "EP-1.json", [
        base | {"step_id": 0, "result_action_type": 4, "result_touch_yx": "[0.275, 0.6]"},
        base | {"step_id": 1, "result_action_type": 4, "result_touch_yx": "[0.9, 0.6]"},
    ])  # fmt: skip
    Image.new("RGB", (200, 400)).save(folder / "p.png")
    return tmp_path / "aitz"


def test_aitz_in_both_notations(tmp_path):
    gold = aitz_folder(tmp_path)
    key = {"episode_id": "1"}

    def answers(*actions):
        rows = [key | {"step_id": n, "action_predict": {"COA": {"txt": action}}}
                for n, action in enumerate(actions)]  # fmt: skip
        return lines(tmp_path / "p.jsonl", rows)

    coat = answers(
        {"ACTION": "CLICK", "ARGS": {"bbox": [500, 250, 700, 300]}},
        {"ACTION": "SCROLL", "ARGS": {"direction": "up"}},
    )
    steps, report = scored("aitz_coat", coat, gold)
    assert (steps[0].gold.point_px.x, steps[0].gold.point_px.y) == pytest.approx((120, 110))
    assert steps[0].predicted.box_px.as_tuple() == (100, 100, 140, 120)
    assert value(report, "aitz_coat_episode_sr") == 1.0
    cpm = answers({"ACTION": {"POINT": [690, 299]}, "ARGS": {}}, {})
    _, report = scored("aitz_agentcpm", cpm, gold)
    assert value(report, "aitz_agentcpm_step_acc") == 0.5
    assert report.num_unparsed == 1
    with pytest.raises(DataError, match="idx"):
        scored("aitz_coat", answers({"ACTION": "CLICK", "ARGS": {"idx": 3}}), gold)
    (gold / "EP-1" / "p.png").unlink()
    with pytest.raises(DataError, match="image_path"):
        scored("aitz_coat", coat, gold)


def test_aitw_answers_in_seeclicks_notation(tmp_path):
    step = {"action_type_id": 4, "action_type_text": "click", "touch": [0.5, 0.2],
            "lift": [0.5, 0.2], "type_text": "",
            "annot_position": [0.1, 0.4, 0.2, 0.2]}  # fmt: skip
    gold = document(tmp_path / "gold.json", {"single": [[
        step | {"img_filename": "a"},
        step | {"img_filename": "b", "action_type_text": "scroll down"},
        step | {"img_filename": "c", "action_type_id": 3, "type_text": "hello"},
    ]]})  # fmt: skip
    path = lines(tmp_path / "a.jsonl", [
        {"img_filename": "a", "sentence": '{"action_type": 4, "click_point": (0.5, 0.3)}'},
        {"img_filename": "b", "sentence": '{"action_type": 1}'},
        {"img_filename": "c", "sentence": "I type hello"},
    ])  # fmt: skip
    steps, report = scored("aitw_seeclick", path, gold)
    assert steps[0].boxes_norm1[0].as_tuple() == pytest.approx((0.4, 0.1, 0.6, 0.3))
    assert value(report, "aitw_action_acc") == pytest.approx(2 / 3)
    assert (report.num_unparsed, value(report, "aitw_text_acc")) == (1, 0)
