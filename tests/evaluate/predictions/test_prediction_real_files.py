"""Published result files, scored again: every verdict and every printed number."""

import json
from collections import Counter

import pytest
from prediction_samples import shared

from coepg.evaluate.benchmarks.mind2web import judge_uground, mind2web_report
from coepg.evaluate.benchmarks.omniact_script import parse_answer
from coepg.evaluate.benchmarks.screenspot import count_categories
from coepg.evaluate.benchmarks.screenspot_pro import official_blocks, verdict
from coepg.evaluate.predictions.base import ReadOptions
from coepg.evaluate.predictions.mind2web import read_mind2web_tasks
from coepg.evaluate.predictions.registry import make_reader


@pytest.mark.parametrize("name", ["qwen25vl", "qwen25vldevice"])
def test_screenspot_pro_result_files_are_reproduced(name):
    path = shared(f"screenspot_pro/{name}.json")
    published = json.loads(path.read_text())
    reader = make_reader("screenspot_pro", ReadOptions())
    answers = reader.read(path)
    assert len(answers) == 1581
    assert [verdict(a) for a in answers] == [d["correctness"] for d in published["details"]]
    assert official_blocks(answers) == published["metrics"]
    report = reader.report(answers)
    overall = published["metrics"]["overall"]
    assert report.score("screenspot_pro_acc").estimate.value == overall["action_acc"]
    assert report.score("screenspot_pro_acc", "text").estimate.value == overall["text_acc"]
    assert report.score("screenspot_pro_acc", "icon").estimate.value == overall["icon_acc"]
    assert report.num_unparsed == overall["wrong_format_num"]


def test_omniact_sequence_score_of_gpt_4o():
    path = shared("omniact/uground/gpt-4o_seq.jsonl")
    index = str(shared("omniact/uground/processed_test.json"))
    reader = make_reader("omniact", ReadOptions(extra={"index": index}))
    answers = reader.read(path)
    weight = sum(a.stored.weight for a in answers)
    score = sum(a.stored.weight * a.stored.sequence for a in answers)
    assert (len(answers), round(weight, 1), round(score, 1)) == (2021, 1565.1, 626.3)
    estimate = reader.report(answers).score("omniact_uground_sequence_score").estimate
    assert round(100 * estimate.value, 2) == 40.02
    assert estimate.low < estimate.value < estimate.high


def test_the_published_omniact_verdicts_show_the_lower_cased_gold_lines():
    """Over a hundred answers call a function with a capital; none was counted as a match."""
    rows = [json.loads(line) for line in shared("omniact/uground/gpt-4o_seq.jsonl").open()]
    capital = [
        row
        for row in rows
        if any(c.name != c.name.lower() for c in parse_answer(row["gpt_output"]))
    ]
    assert len(capital) > 100
    assert not any(row["seq_score"] for row in capital)


def test_screenspot_v1_counts_and_hits(tmp_path):
    """Gold boxes answered with their own centres, in the form of UGround's answers."""
    names = ("mobile", "desktop", "web")
    files = {name: shared(f"screenspot/screenspot_{name}.json") for name in names}
    lines = []
    for platform, file in files.items():
        for row in json.loads(file.read_text()):
            x, y, w, h = row["bbox"]
            output = f"({2 * x + w}, {2 * y + h})"
            lines.append(json.dumps(row | {"platform": platform, "output": output, "scale": 2}))
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines))
    reader = make_reader("screenspot_uground", ReadOptions())
    answers = reader.read(path)
    assert count_categories(answers) == {
        "desktop/icon": 140, "desktop/text": 194, "mobile/icon": 229, "mobile/text": 273,
        "web/icon": 206, "web/text": 230,
    }  # fmt: skip
    assert Counter(a.platform for a in answers) == {"mobile": 502, "desktop": 334, "web": 436}
    report = reader.report(answers)
    assert report.score("screenspot_v1_acc").estimate.value == 1.0
    assert (report.num_rows, report.notes) == (1272, ())


def test_one_mind2web_task_by_hand(tmp_path):
    """Eleven steps; the answers below are wrong in known ways."""
    gold = shared("mind2web/one_task_exploretock_train.json")
    steps = list(read_mind2web_tasks(gold).values())
    ops = [(s.gold_op, s.gold_value) for s in steps]
    assert ops[0] == ("SELECT", "Pickup")
    assert ops[2] == ("TYPE", "Boston")
    assert ops[6] == ("SELECT", "5 00 PM")
    assert steps[2].positive_boxes_px[0].as_tuple() == (360, 128, 920, 176)
    rows = [[s.step_id, next(iter(s.positive_ids)), f"{s.gold_op} {s.gold_value}"] for s in steps]
    rows[2][2] = "TYPE Boston MA"  # {type boston ma} and {type boston}: F1 = 2*2/5 = 0.8
    rows[6][2] = "SELECT 5:00 PM"  # {select 5:00 pm} and {select 5 00 pm}: F1 = 2*2/7
    rows[9][1] = "1"  # another element
    rows[10] = [steps[10].step_id, "", ""]  # unparsable
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(rows))
    reader = make_reader("mind2web_seeact", ReadOptions(gold))
    report = reader.report(reader.read(path))
    value = {s.metric.name: s.estimate.value for s in report.scores}
    assert value["mind2web_seeact_ele_acc"] == pytest.approx(9 / 11)
    assert value["mind2web_seeact_op_f1"] == pytest.approx((8 + 0.8 + 4 / 7) / 11)
    assert value["mind2web_seeact_step_sr"] == pytest.approx(7 / 11)
    assert value["mind2web_seeact_task_sr"] == 0
    assert report.num_unparsed == 1
    assert judge_uground(steps[0]).op_f1 == 0
    assert mind2web_report(steps, "uground").num_unparsed == 11


def test_gold_answers_of_os_atlas_rows_are_right(tmp_path):
    for name, gold_name in (
        ("androidcontrol_os_atlas", "androidcontrol/os_atlas/ac_test.jsonl"),
        ("gui_odyssey_os_atlas", "gui_odyssey/os_atlas/gui_odyssey_test.jsonl"),
    ):
        gold = shared(gold_name)
        rows = [json.loads(line) for line in gold.open()]
        path = tmp_path / "answers.jsonl"
        path.write_text(
            "\n".join(json.dumps({"pred": row["conversations"][1]["value"]}) for row in rows)
        )
        reader = make_reader(name, ReadOptions(gold))
        answers = reader.read(path)
        assert len(answers) == 3
        assert reader.report(answers).scores[0].estimate.value == 1.0


def test_gold_answers_of_ui_s1_are_right_by_three_rules(tmp_path):
    gold = shared("androidcontrol/ui_s1_test_first300.jsonl")
    lines = []
    for line in gold.open():
        episode = json.loads(line)
        for number, step in enumerate(episode["steps"]):
            row = {"episode_id": episode["episode_id"], "step": number}
            sizes = {"image_size": [1080, 2400], "answer_size": [1080, 2400]}
            lines.append(json.dumps(row | sizes | {"action_content": step["action_content"]}))
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(lines))
    reader = make_reader("androidcontrol_ui_s1", ReadOptions(gold))
    answers = reader.read(path)
    report = reader.report(answers)
    assert len(answers) == 1614
    for rule in ("ui_s1", "infigui", "os_atlas"):
        assert report.score(f"androidcontrol_{rule}_step_acc").estimate.value == 1.0
        assert report.score(f"androidcontrol_{rule}_episode_sr").estimate.n == 300


def test_gold_answers_of_an_aitz_episode_are_right(tmp_path):
    folder = shared("aitz")
    episode = json.loads(next(folder.rglob("*.json")).read_text())
    answers = [
        {"ACTION": {"PRESS": "HOME"}},
        {"ACTION": {"POINT": [507, 541]}, "ARGS": {"to": [578, 1]}},
        {"ACTION": {"POINT": [607, 498]}, "ARGS": {"duration": 200}},
        {"STATUS": "finish"},
    ]
    lines = [
        json.dumps({"episode_id": s["episode_id"], "step_id": s["step_id"],
                    "action_predict": {"COA": {"txt": a}}})
        for s, a in zip(episode, answers, strict=True)
    ]  # fmt: skip
    path = tmp_path / "predict.jsonl"
    path.write_text("\n".join(lines))
    reader = make_reader("aitz_agentcpm", ReadOptions(folder))
    steps = reader.read(path)
    assert [s.gold.kind for s in steps] == ["press", "scroll", "click", "stop"]
    assert steps[1].gold.direction == steps[1].predicted.direction == "up"
    report = reader.report(steps)
    assert report.score("aitz_agentcpm_step_acc").estimate.value == 1.0
    assert report.score("aitz_agentcpm_episode_sr").estimate.n == 1
