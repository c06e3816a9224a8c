"""Rows of one's own and of training tools, and what holds for all formats."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importer_sources import (
    MARK,
    SOURCES,
    Case,
    imported,
    mind2web,
    mind2web_fields,
    picture,
)
from typer.testing import CliRunner

from coepg.cli.main import app
from coepg.data.importers.base import ImportOptions
from coepg.data.importers.chat import numbers_in
from coepg.data.importers.history import history_line
from coepg.data.importers.jsonl import FIELDS
from coepg.data.importers.registry import IMPORTERS, importer_class, make_importer
from coepg.errors import ConfigError, DataError
from coepg.types import Box, Point


@pytest.fixture
def case(tmp_path):
    return Case(tmp_path)


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
        (own(action_type="clack", box_px=[1, 2, 3, 4]), "clack"),
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


def section(name):
    text = (Path(__file__).parents[3] / "docs" / "reference" / "formats.md").read_text("utf-8")
    return text.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_formats_are_documented(name):
    found = section(name)
    for setting in importer_class(name).format.settings:
        assert setting.name in found


@pytest.mark.parametrize("name", sorted(set(IMPORTERS) - set(SOURCES)))
def test_formats_of_phones_are_documented(name):
    page = Path(__file__).parents[3] / "docs" / "reference" / "formats-mobile.md"
    found = page.read_text("utf-8")
    assert f"| `{name}` |" in found
    for setting in importer_class(name).format.settings:
        assert f"--option {setting.name}=" in found


def test_keys_of_own_rows_are_documented():
    assert [key for key in FIELDS if f"`{key}`" not in section("jsonl")] == []


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


def test_many_bad_rows_put_the_source_in_doubt(case):
    source = rows(case, own(box_px=[1, 2, 3, 4]), own())
    out = ["--out", str(case.folder / "out"), "--keep-going"]
    done = CliRunner().invoke(app, ["data", "import", str(source), "--format", "jsonl", *out])
    assert done.exit_code == 0 and "set aside 1 bad" in done.output
    assert "check --format" in done.output


def test_steps_left_out_are_told(case):
    mind2web(case)
    fields = mind2web_fields(case, pos_candidates=[], annotation_id="t2")
    case.parquet("train-00001-of-00002.parquet", fields)
    out = ["--out", str(case.folder / "out")]
    source = str(case.folder)
    done = CliRunner().invoke(app, ["data", "import", source, "--format", "mind2web", *out])
    assert done.exit_code == 0 and "no_positive 1" in done.output
