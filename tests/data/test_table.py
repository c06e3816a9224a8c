import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import make_png, make_step
from hypothesis import given
from hypothesis import strategies as st

from coepg.data.rows import OPTIONAL_COLUMNS, STEP_SCHEMA, row_to_step, step_to_row
from coepg.data.stats import dataset_stats
from coepg.data.table import StepTable, write_dataset
from coepg.data.writer import DatasetWriter
from coepg.errors import DataError
from coepg.types import Box, Point, Screenshot, Size, content_hash


@pytest.fixture
def folder(tmp_path, step, png, about):
    steps = [
        step,
        replace(step, step_id="demo/2/0", episode_id="demo/2", split="test"),
        replace(
            step,
            step_id="demo/2/1",
            episode_id="demo/2",
            split="test",
            action_type="scroll",
            value="down",
            target_box_px=None,
            target_repr="",
            history=(),
            screen_text=(),
        ),
    ]
    write_dataset(tmp_path / "set", steps, {content_hash(png): png}, **about)
    return tmp_path / "set"


def test_round_trip(folder, step, png):
    table = StepTable.open(folder)
    assert table.splits == ("test", "train")
    assert table.steps("train") == [step]
    scroll = table.steps("test")[1]
    assert (scroll.target_box_px, scroll.value, scroll.history) == (None, "down", ())
    assert table.image_bytes(step.screenshot.image_hash) == png
    assert table.image(step.screenshot.image_hash).mode == "RGB"
    assert table.info["counts"]["test"] == {"steps": 2, "episodes": 1}
    assert table.info["images"] == 1
    assert json.loads((folder / "dataset.json").read_text())["license"] == "none"


def test_stats_are_json(folder):
    stats = json.loads(json.dumps(dataset_stats(StepTable.open(folder))))
    assert stats["splits"]["test"]["action_types"] == {"click": 1, "scroll": 1}
    assert stats["splits"]["train"]["screen_text"] == {"dom": 1, "ocr": 1}


def test_plain_parquet_readers_open_it(folder):
    rows = pq.read_table(folder / "steps" / "train.parquet").to_pylist()
    assert rows[0]["target_box_px"] == [1, 2, 30, 20]


@given(
    st.floats(0, 40, width=32), st.floats(0, 40, width=32), st.text(max_size=9),
    st.lists(st.text(max_size=5), max_size=3),
)  # fmt: skip
def test_any_row_comes_back(a, b, text, history):
    box = Box(min(a, b), 0, max(a, b), 30)
    step = make_step("0" * 64, instruction=text, value=text, history=tuple(history),
                     target_box_px=box)  # fmt: skip
    table = pa.Table.from_pylist([step_to_row(step)], schema=STEP_SCHEMA)
    assert row_to_step(table.to_pylist()[0], "here") == step


def test_unused_images_are_left_out_and_used_ones_stored_once(tmp_path, step, png, about):
    other = make_png((1, 2, 3))
    steps = [step, replace(step, step_id="demo/1/1")]
    images = {content_hash(png): png, content_hash(other): other}
    write_dataset(tmp_path / "set", steps, images, **about)
    assert StepTable.open(tmp_path / "set").info["images"] == 1


def test_does_not_overwrite_unless_asked(folder, step, png, about):
    images = {content_hash(png): png}
    with pytest.raises(DataError, match="exists already"):
        write_dataset(folder, [step], images, **about)
    write_dataset(folder, [step], images, overwrite=True, **about)
    assert StepTable.open(folder).splits == ("train",)


def test_a_failed_write_leaves_nothing(tmp_path, step, about):
    with pytest.raises(DataError):
        write_dataset(tmp_path / "set", [step], {}, **about)
    bad = {step.screenshot.image_hash: b"no picture"}
    with pytest.raises(DataError, match="SHA-256"):
        write_dataset(tmp_path / "set", [step], bad, **about)
    assert list(tmp_path.iterdir()) == []


def test_image_bytes_must_be_a_picture(tmp_path, step, about):
    data = b"no picture"
    shot = Screenshot(content_hash(data), Size(40, 30))
    with pytest.raises(DataError, match="Pillow"):
        write_dataset(
            tmp_path / "set", [replace(step, screenshot=shot)], {content_hash(data): data}, **about
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target_box_px": Box(0, 0, 41, 30)}, "inside the picture of 40x30"),
        ({"target_box_px": Box(-1, 0, 4, 30)}, "target_box_px"),
        ({"split": "a/b"}, "split"),
    ],
)
def test_bad_steps_are_not_written(tmp_path, step, png, about, changes, message):
    with pytest.raises(DataError, match=message):
        write_dataset(
            tmp_path / "set", [replace(step, **changes)], {content_hash(png): png}, **about
        )


def test_two_steps_of_one_name(tmp_path, step, png, about):
    with pytest.raises(DataError, match="step_id"):
        write_dataset(tmp_path / "set", [step, step], {content_hash(png): png}, **about)


def test_no_steps(tmp_path, about):
    with pytest.raises(DataError, match="no steps"):
        write_dataset(tmp_path / "set", [], {}, **about)


def test_missing_split_lists_the_others(folder):
    with pytest.raises(DataError, match="test, train"):
        StepTable.open(folder).steps("validation")


def test_missing_folder_and_missing_file(tmp_path):
    with pytest.raises(DataError, match="no such folder"):
        StepTable.open(tmp_path / "nothing")
    with pytest.raises(DataError, match="no dataset.json"):
        StepTable.open(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"format_version": 99}'])
def test_bad_info(folder, text):
    (folder / "dataset.json").write_text(text)
    with pytest.raises(DataError, match=r"dataset\.json"):
        StepTable.open(folder)


def test_damaged_parquet(folder):
    path = folder / "steps" / "train.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=r"train\.parquet: cannot be read"):
        StepTable.open(folder).steps("train")


def test_damaged_images(folder):
    (folder / "images" / "images-00000.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"images-00000\.parquet: cannot be read"):
        StepTable.open(folder).steps("train")


def rewrite(folder, change):
    path = folder / "steps" / "train.parquet"
    rows = pq.read_table(path).to_pylist()
    change(rows[0])
    pq.write_table(pa.Table.from_pylist(rows, schema=STEP_SCHEMA), path)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("image_hash", "f" * 64, "not in the image store"),
        ("target_box_px", [0, 0, 99, 9], "inside the picture"),
        ("target_box_px", [9, 0, 1, 9], "left <= right"),
        ("target_box_px", [9, 0, 1], "x0, y0, x1, y1"),
        ("target_box_px", None, "points at an element"),
        ("action_type", "clikc", "one of click, "),
        ("image_width", 0, "cannot be read as a step"),
    ],
)
def test_bad_rows_name_file_and_row(folder, column, value, message):
    rewrite(folder, lambda row: row.update({column: value}))
    with pytest.raises(DataError, match=message) as caught:
        StepTable.open(folder).steps("train")
    assert "train.parquet, row 0" in str(caught.value)
    assert "expected:" in str(caught.value) and "fix:" in str(caught.value)


def test_missing_column(folder):
    path = folder / "steps" / "train.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["history", "seed"]), path)
    with pytest.raises(DataError, match="missing column history, seed"):
        StepTable.open(folder).steps("train")


def test_empty_split(folder):
    path = folder / "steps" / "train.parquet"
    pq.write_table(STEP_SCHEMA.empty_table(), path)
    with pytest.raises(DataError, match="empty split"):
        StepTable.open(folder).steps("train")


def test_missing_image(folder):
    with pytest.raises(DataError, match="no such image"):
        StepTable.open(folder).image("0" * 64)


def test_many_images_are_found_again(tmp_path, about):
    pictures = [make_png((i, 0, 0)) for i in range(150)]
    images = {content_hash(p): p for p in pictures}
    steps = [
        make_step(h, step_id=f"demo/{i}/0", episode_id=f"demo/{i}") for i, h in enumerate(images)
    ]
    write_dataset(tmp_path / "set", steps, images, **about)
    table = StepTable.open(tmp_path / "set")
    for image_hash, data in images.items():
        assert table.image_bytes(image_hash) == data


def test_a_stream_is_read_back_by_number(tmp_path, step, png, about):
    rich = replace(
        step,
        alternative_boxes_px=(Box(0, 0, 5, 5),),
        target_point_px=Point(3, 4),
        end_point_px=Point(5, 6),
        step_instruction="press it",
        target_expression="the Go button",
        tags={"platform": "web"},
    )
    with DatasetWriter(tmp_path / "set", **about) as writer:
        for k in range(1200):
            writer.add(replace(rich, step_id=f"demo/1/{k}"), png if not k else None)
    table = StepTable.open(tmp_path / "set")
    assert table.num_steps("train") == 1200
    assert table.step_at("train", 1100) == replace(rich, step_id="demo/1/1100")
    assert [s.step_id for s in table.iter_steps("train")] == [f"demo/1/{k}" for k in range(1200)]


def test_a_file_without_the_newer_columns_is_read(folder, step):
    path = folder / "steps" / "train.parquet"
    table = pq.read_table(path).drop_columns(list(OPTIONAL_COLUMNS))
    pq.write_table(table, path)
    assert StepTable.open(folder).steps("train") == [step]


def test_a_hit_may_lie_in_any_of_the_boxes(step):
    either = replace(step, alternative_boxes_px=(Box(31, 21, 40, 30),))
    assert either.is_hit(Point(2, 3)) and either.is_hit(Point(35, 25))
    assert not either.is_hit(Point(35, 5)) and not either.is_hit(None)
    assert not step.is_hit(Point(35, 25))
