"""Exports lose nothing, and say in the target's own words what there is to learn."""

import json

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from coepg.cli.main import app
from coepg.data.exporters.registry import EXPORTERS, make_exporter
from coepg.data.exporters.run import export_dataset
from coepg.data.importers.base import ImportOptions
from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable, write_dataset
from coepg.errors import ConfigError, DataError
from coepg.types import (
    ACTION_CLASSES,
    Box,
    Point,
    Screenshot,
    ScreenText,
    Size,
    Step,
    TextSource,
    content_hash,
    has_target,
)

FORMATS = sorted(EXPORTERS)
ABOUT = {"name": "x", "source": "somebody", "license": "CC0", "made_by": "hand"}
WIDTH, HEIGHT = 40, 30


def png(kind):
    import io

    from PIL import Image

    buffer = io.BytesIO()
    Image.new("RGB", (WIDTH, HEIGHT), (200, 30, 30)).save(buffer, kind)
    return buffer.getvalue()


PICTURES = [png("PNG"), png("JPEG"), png("WEBP")]
numbers = st.floats(0, 1, width=32)
texts = st.text(max_size=12) | st.sampled_from(["<image> <bbox>", "a\nb", '"', "\u2028", "[1, 2]"])
points = st.builds(lambda x, y: Point(x * WIDTH, y * HEIGHT), numbers, numbers)


@st.composite
def boxes(draw):
    xs = sorted(draw(numbers) * WIDTH for _ in range(2))
    ys = sorted(draw(numbers) * HEIGHT for _ in range(2))
    return Box(xs[0], ys[0], xs[1], ys[1])


@st.composite
def step_lists(draw):
    steps = []
    for number in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(sorted(ACTION_CLASSES)))
        picture = draw(st.sampled_from(PICTURES))
        ratio = draw(st.sampled_from([1.0, 2.0]))
        pieces = st.builds(
            ScreenText, texts, boxes(), st.sampled_from(TextSource), texts, numbers
        )  # fmt: skip
        steps.append(
            Step(
                step_id=f"e{number}/0", episode_id=f"e{number}", task_name=draw(texts),
                split=draw(st.sampled_from(["train", "test_task"])), step_index=number,
                num_steps=number + 1, instruction=draw(texts),
                history=tuple(draw(st.lists(texts, max_size=2))),
                screenshot=Screenshot(content_hash(picture), Size(WIDTH, HEIGHT), ratio),
                action_type=kind, value=draw(st.none() | texts),
                target_box_px=draw(boxes()) if has_target(kind) else draw(st.none() | boxes()),
                target_repr=draw(texts), seed=draw(st.integers(0, 99)),
                screen_text=tuple(draw(st.lists(pieces, max_size=2))),
                alternative_boxes_px=tuple(draw(st.lists(boxes(), max_size=2))),
                target_point_px=draw(st.none() | points), end_point_px=draw(st.none() | points),
                step_instruction=draw(texts), target_expression=draw(texts),
                tags=draw(st.dictionaries(texts, texts, max_size=2)),
            )
        )  # fmt: skip
    return steps


def written(folder, steps):
    images = {content_hash(data): data for data in PICTURES}
    write_dataset(folder, steps, images, **ABOUT)
    return StepTable.open(folder)


def everything(table):
    steps = [step for split in table.splits for step in table.steps(split)]
    return steps, {
        s.screenshot.image_hash: table.image_bytes(s.screenshot.image_hash) for s in steps
    }


@pytest.mark.parametrize("name", FORMATS)
@given(steps=step_lists())
@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
def test_export_and_import_lose_nothing(tmp_path_factory, name, steps):
    folder = tmp_path_factory.mktemp("trip")
    table = written(folder / "first", steps)
    export_dataset(make_exporter(name, {}), table, folder / "rows")
    import_dataset(make_importer(name, ImportOptions()), folder / "rows", folder / "second")
    second = StepTable.open(folder / "second")
    assert everything(second) == everything(table)
    assert second.info["license"] == "CC0" and second.info["source"] == "somebody"
    export_dataset(make_exporter(name, {}), second, folder / "again")
    for path in (folder / "rows").rglob("*"):
        if path.is_file() and path.name != "coepg.json":
            assert (
                path.read_bytes()
                == (folder / "again" / path.relative_to(folder / "rows")).read_bytes()
            )


def click(**changes):
    values = {
        "step_id": "e/0", "episode_id": "e", "task_name": "t", "split": "train", "step_index": 0,
        "num_steps": 1, "instruction": "Say <image> hi", "history": ("[a] b -> click",),
        "screenshot": Screenshot(content_hash(PICTURES[0]), Size(WIDTH, HEIGHT)),
        "action_type": "click", "value": None, "target_box_px": Box(10, 6, 30, 24),
        "target_repr": "[button] Go",
    }  # fmt: skip
    return Step(**{**values, **changes})


def exported(tmp_path, name, *steps, options=None, **more):
    table = written(tmp_path / "data", steps or (click(),))
    export_dataset(make_exporter(name, options or {}), table, tmp_path / "rows", **more)
    return tmp_path / "rows"


QUESTION = "Task: Say (image) hi\nEarlier actions:\n1. [a] b -> click\nWhat is the next action?"


def test_ms_swift_rows(tmp_path):
    wait = click(step_id="e/1", action_type="wait", value="1", target_box_px=None)
    folder = exported(tmp_path, "ms_swift", click(), wait)
    first, second = map(json.loads, (folder / "train.jsonl").read_text().splitlines())
    answer = 'do(action="Click", element_description="<ref-object>", point=<bbox>)'
    assert first["messages"] == [
        {"role": "user", "content": f"<image>{QUESTION}"}, {"role": "assistant", "content": answer},
    ]  # fmt: skip
    assert first["objects"] == {"ref": ["[button] Go"], "bbox": [[10, 6, 30, 24]],
                                "bbox_type": "real"}  # fmt: skip
    # ms-swift counts the marks: one picture, one expression, one box.
    assert (folder / first["images"][0]).read_bytes() == PICTURES[0]
    assert second["objects"]["bbox"] == [] and "<bbox>" not in second["messages"][1]["content"]
    assert second["messages"][1]["content"] == 'do(action="Wait", seconds="1")'


@pytest.mark.parametrize(
    ("unit", "point"),
    [("px", "[20, 15]"), ("norm1", "[0.5000, 0.5000]"), ("norm1000", "[500, 500]")],
)
def test_llama_factory_rows(tmp_path, unit, point):
    folder = exported(tmp_path, "llama_factory", options={"point_unit": unit})
    info = json.loads((folder / "dataset_info.json").read_text())["train"]
    (row,) = map(json.loads, (folder / info["file_name"]).read_text().splitlines())
    messages = row[info["columns"]["messages"]]
    assert [m[info["tags"]["role_tag"]] for m in messages] == ["user", "assistant"]
    assert f"point={point}" in messages[1][info["tags"]["content_tag"]]
    assert messages[0]["content"].count("<image>") == len(row[info["columns"]["images"]]) == 1


def test_foreign_rows_point_where_the_step_did(tmp_path):
    """Without the packed step, the target's own fields still give the place."""
    folder = exported(tmp_path, "llama_factory", options={"point_unit": "norm1000"})
    row = json.loads((folder / "train.jsonl").read_text())
    del row["coepg"]
    (folder / "train.jsonl").write_text(json.dumps(row))
    options = ImportOptions(extra={"point_unit": "norm1000"})
    import_dataset(make_importer("llama_factory", options), folder, tmp_path / "back")
    (step,) = StepTable.open(tmp_path / "back").steps("train")
    assert step.target_point_px == Point(20, 15)


def test_trl_rows_open_with_datasets(tmp_path):
    datasets = pytest.importorskip("datasets", reason="needs the extra train")
    folder = exported(tmp_path, "trl")
    files = str(folder / "train.parquet")
    loaded = datasets.load_dataset(
        "parquet", data_files=files, split="train", cache_dir=str(tmp_path / "cache")
    )
    (row,) = loaded
    assert row["images"][0].size == (WIDTH, HEIGHT)
    assert row["prompt"] == [{"role": "user", "content": QUESTION}]
    assert row["completion"][0]["content"] == (
        'do(action="Click", element_description="[button] Go", point=[20, 15])'
    )


def test_verl_rows(tmp_path):
    other = click(step_id="e/1", alternative_boxes_px=(Box(0, 0, 1, 1),))
    folder = exported(tmp_path, "verl", click(), other)
    rows = pq.read_table(folder / "train.parquet").to_pylist()
    assert list(rows[0]) == ["data_source", "prompt", "images", "ability", "reward_model",
                             "extra_info"]  # fmt: skip
    assert rows[0]["prompt"][0]["content"] == f"<image>{QUESTION}"
    assert [row["extra_info"]["index"] for row in rows] == [0, 1]
    truth = json.loads(rows[1]["reward_model"]["ground_truth"])
    assert truth == {"action_type": "click", "value": None,
                     "boxes_px": [[10, 6, 30, 24], [0, 0, 1, 1]]}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_one_split_there_and_back(tmp_path, name):
    steps = (click(), click(step_id="f/0", episode_id="f", split="test"))
    folder = exported(tmp_path, name, *steps)
    options = ImportOptions(split="test")
    import_dataset(make_importer(name, options), folder, tmp_path / "back")
    assert StepTable.open(tmp_path / "back").splits == ("test",)
    other = tmp_path / "one"
    export_dataset(
        make_exporter(name, {}), StepTable.open(tmp_path / "data"), other, splits=["test"]
    )
    assert not list(other.glob("train.*")) and list(other.glob("test.*"))


@pytest.mark.parametrize("name", FORMATS)
def test_failed_exports_leave_nothing(tmp_path, name):
    table = written(tmp_path / "data", [click()])
    with pytest.raises(DataError, match="no such split"):
        export_dataset(make_exporter(name, {}), table, tmp_path / "rows", splits=["dev"])
    assert [path.name for path in tmp_path.iterdir()] == ["data"]
    (tmp_path / "rows").mkdir()
    with pytest.raises(DataError, match="exists already"):
        export_dataset(make_exporter(name, {}), table, tmp_path / "rows")


@pytest.mark.parametrize("packed", ["7", "[]", "{}", '{"image_width": null}', "no JSON", ""])
def test_broken_packed_steps_are_named(tmp_path, packed):
    folder = exported(tmp_path, "ms_swift")
    row = json.loads((folder / "train.jsonl").read_text())
    (folder / "train.jsonl").write_text(json.dumps(row | {"coepg": packed}))
    with pytest.raises(DataError, match="train.jsonl, line 1"):
        import_dataset(make_importer("ms_swift", ImportOptions()), folder, tmp_path / "back")


def test_resized_pictures_are_refused(tmp_path):
    folder = exported(tmp_path, "ms_swift")
    (picture,) = (folder / "images").iterdir()
    from PIL import Image

    Image.new("RGB", (20, 15)).save(picture)
    with pytest.raises(DataError, match="picture"):
        import_dataset(make_importer("ms_swift", ImportOptions()), folder, tmp_path / "back")


def test_unknown_exports():
    with pytest.raises(ConfigError, match="verl"):
        make_exporter("excel", {})
    with pytest.raises(ConfigError, match="point_unit"):
        make_exporter("llama_factory", {"unit": "px"})


def test_command_line(tmp_path):
    written(tmp_path / "data", [click()])
    run = CliRunner().invoke
    out = ["--out", str(tmp_path / "rows")]
    done = run(app, ["data", "export", str(tmp_path / "data"), "--format", "verl", *out])
    assert done.exit_code == 0 and "1 rows (train 1)" in done.output
    again = run(app, ["data", "export", str(tmp_path / "data"), "--format", "verl", *out])
    assert again.exit_code == 2 and "exists already" in again.output
    back = ["--out", str(tmp_path / "back")]
    done = run(app, ["data", "import", str(tmp_path / "rows"), "--format", "verl", *back])
    assert done.exit_code == 0 and "1 steps (train 1)" in done.output
