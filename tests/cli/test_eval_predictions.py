"""``coepg eval --predictions``: the printed report, the JSON, and mistakes."""

import json

import pytest
from typer.testing import CliRunner

from coepg.cli.main import app
from coepg.evaluate.predictions.registry import READERS

ROW = {
    "img_path": "a.png", "group": "Dev", "platform": "windows", "application": "x",
    "instruction_style": "instruction", "gt_type": "positive", "ui_type": "text",
    "pred": [5, 5], "bbox": [0, 0, 10, 10], "correctness": "correct",
}  # fmt: skip
MISS = ROW | {"pred": None, "correctness": "wrong_format", "group": "CAD"}


def invoke(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)])


@pytest.fixture
def result_file(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"details": [ROW, MISS, MISS], "metrics": {}}))
    return path


def test_report_prints_counts_both_means_intervals_and_definitions(result_file, tmp_path):
    out = tmp_path / "out.json"
    done = invoke("--predictions", result_file, "--format", "screenspot_pro", "--json", out)
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert "answers 3 parse failures 2" in text
    assert "screenspot_pro_acc 33.33 %" in text
    assert "screenspot_pro_acc_group_mean 50.00 %" in text
    assert "screenspot_pro_acc, version 1" in text
    assert "edges included" in text
    record = json.loads(out.read_text())
    first = record["scores"][0]
    assert (first["metric"], first["version"], first["n"]) == ("screenspot_pro_acc", 1, 3)
    assert first["low"] <= first["value"] == 1 / 3 <= first["high"]
    assert record["blocks"]["overall"]["wrong_format_num"] == 2
    assert (record["num_rows"], record["format"]) == (3, "screenspot_pro")
    assert {d["name"] for d in record["definitions"]} >= {"screenspot_pro_acc"}


def test_the_same_command_gives_the_same_file(result_file, tmp_path):
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    for file in files:
        invoke("--predictions", result_file, "--format", "screenspot_pro", "--json", file)
    assert files[0].read_text() == files[1].read_text()


def test_numbers_that_do_not_exist_are_null(tmp_path):
    gold, path, out = (tmp_path / n for n in ("gold.jsonl", "p.jsonl", "out.json"))
    turns = [{}, {"value": "actions:\nWAIT"}]
    gold.write_text(json.dumps({"image": "episode_1_screenshot_0.png", "conversations": turns}))
    path.write_text(json.dumps({"pred": "actions:\nWAIT"}))
    done = invoke("--predictions", path, "--format", "androidcontrol_os_atlas", "--gold", gold,
                  "--json", out)  # fmt: skip
    assert done.exit_code == 0, done.output
    scores = {s["metric"]: s for s in json.loads(out.read_text())["scores"]}
    assert scores["androidcontrol_os_atlas_episode_sr"]["value"] is None
    assert scores["androidcontrol_os_atlas_step_acc"]["value"] == 1.0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((), "neither --predictions nor --format"),
        (("--format", "omniact"), "--format alone"),
        (("--predictions", "no.json", "--format", "screenspot_pro"), "no.json: cannot be read"),
        (("--predictions", "no.json", "--format", "screenspot"), "one of aitw_seeclick"),
        (("--predictions", "x", "--format", "omniact", "--option", "index"), "key=value"),
    ],
)
def test_mistakes_are_named_without_a_traceback(arguments, text):
    done = invoke(*arguments)
    assert done.exit_code == 2
    assert text in done.stderr
    assert "Traceback" not in done.output


def test_a_json_path_in_no_folder_is_a_mistake(result_file, tmp_path):
    done = invoke("--predictions", result_file, "--format", "screenspot_pro",
                  "--json", tmp_path / "no" / "out.json")  # fmt: skip
    assert done.exit_code == 2
    assert "no folder" in done.stderr


def test_formats_lists_every_format_with_its_unit_and_order():
    done = invoke("--formats")
    assert done.exit_code == 0
    for name in READERS:
        assert f"\n{name}\n" in f"\n{done.stdout}"
    assert "points: px; boxes: px, x0y0x1y1" in done.stdout
