"""Files that are cut short, of another format, or hold bad boxes: named errors, never numbers."""

import json

import pytest

from coepg.errors import ConfigError, DataError
from coepg.evaluate.predictions.base import ReadOptions
from coepg.evaluate.predictions.registry import READERS, make_reader, reader_class

PRO_ROW = {
    "img_path": "a.png", "group": "Dev", "platform": "windows", "application": "x",
    "instruction_style": "instruction", "gt_type": "positive", "ui_type": "text",
    "pred": [5, 5], "bbox": [0, 0, 10, 10], "correctness": "correct",
}  # fmt: skip
SPOT_ROW = {"img_path": "d/web_1.png", "bbox": [0, 0, 0.5, 0.5], "pred": [0.1, 0.1], "type": "text"}


def write(folder, value, name="file.json"):
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def pro(folder, **changes):
    row = {k: v for k, v in (PRO_ROW | changes).items() if v is not ...}
    path = write(folder, {"details": [PRO_ROW, row], "metrics": {}})
    return make_reader("screenspot_pro", ReadOptions()).read(path)


def message(error):
    return str(error.value)


@pytest.mark.parametrize("name", sorted(READERS))
def test_every_reader_refuses_a_missing_a_cut_and_a_foreign_file(name, tmp_path):
    """Also with gold data of the same kind of damage; each error names the file."""
    good_gold = write(tmp_path, "{}\n", "gold.json")
    reader = make_reader(name, ReadOptions(good_gold if reader_class(name).format.gold else None))
    with pytest.raises(DataError, match=r"(file|gold|no)\.json"):
        reader.read(tmp_path / "no.json")
    for text in ('[{"a": 1}, {"b"', '{"unknown": 1}', "[1, 2]", "", "\x00\xff"):
        with pytest.raises(DataError, match=r"(file|gold)\.json"):
            reader.read(write(tmp_path, text))


def test_formats_and_their_names_agree():
    for name in READERS:
        form = reader_class(name).format
        assert form.name == name
        assert form.url.startswith("github.com/")


def test_unknown_format_lists_the_known(tmp_path):
    with pytest.raises(ConfigError, match="screenspot_pro"):
        make_reader("screenspot-pro", ReadOptions())


def test_missing_gold_and_unknown_options_are_named():
    with pytest.raises(ConfigError, match="--gold"):
        make_reader("mind2web_uground", ReadOptions())
    with pytest.raises(ConfigError, match="no such option"):
        make_reader("screenspot_pro", ReadOptions(extra={"unit": "px"}))
    with pytest.raises(ConfigError, match="v1 or v2"):
        make_reader("screenspot_seeclick", ReadOptions(extra={"version": "2"}))


def test_a_null_prediction_is_a_parse_failure_and_an_absent_one_an_error(tmp_path):
    assert pro(tmp_path, pred=None, correctness="wrong_format")[1].point_px is None
    with pytest.raises(DataError, match=r"details 1: field 'pred'\n.*no such field"):
        pro(tmp_path, pred=...)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"bbox": [10, 0, 0, 10]}, r"details 1: field 'bbox'\n.*x0 <= x1"),
        ({"bbox": [0, 0, 10]}, "a list of 4 finite numbers"),
        ({"bbox": ...}, "no such field"),
        ({"bbox": [0, 0, "10", 10]}, "a list of 4 finite numbers"),
        ({"pred": [float("nan"), 1]}, "a list of 2 finite numbers"),
        ({"pred": [True, 1]}, "a list of 2 finite numbers"),
        ({"ui_type": "image"}, "text or icon"),
        ({"group": ...}, "field 'group'"),
        ({"gt_type": "negative"}, "negative answers cannot be judged"),
        ({"correctness": "wrong"}, r"field 'correctness'\n.*are 'correct'"),
    ],
)
def test_bad_rows_name_file_row_and_field(tmp_path, changes, text):
    with pytest.raises(DataError, match=text) as error:
        pro(tmp_path, **changes)
    assert "file.json, details 1" in message(error)
    assert "fix:" in message(error)


def test_a_box_in_another_order_does_not_give_a_number(tmp_path):
    """x, y, w, h read as corners: either no box, or a verdict that is not the stored one."""
    with pytest.raises(DataError, match="left <= right"):
        pro(tmp_path, bbox=[300, 200, 50, 20])
    with pytest.raises(DataError, match="the verdict of the official rule"):
        pro(tmp_path, bbox=[10, 10, 30, 30], pred=[35, 35])


def test_pixels_in_a_file_of_shares_are_refused(tmp_path):
    reader = make_reader("screenspot_seeclick", ReadOptions())
    with pytest.raises(DataError, match="in 0..1"):
        reader.read(write(tmp_path, [SPOT_ROW | {"bbox": [100, 100, 200, 200]}]))
    with pytest.raises(DataError, match="field 'pred'"):
        reader.read(write(tmp_path, [SPOT_ROW | {"pred": [120, 150]}]))
    with pytest.raises(DataError, match="mobile_"):
        reader.read(write(tmp_path, [SPOT_ROW | {"img_path": "x.png"}]))


def test_a_step_that_is_answered_twice_is_refused(tmp_path):
    row = {"id": "1", "gpt_output": "", "ideal_score": 0.1, "seq_score": 0}
    path = write(tmp_path, f"{json.dumps(row)}\n{json.dumps(row)}\n")
    with pytest.raises(DataError, match=r"line 2: task 1 occurs twice"):
        make_reader("omniact", ReadOptions()).read(path)
