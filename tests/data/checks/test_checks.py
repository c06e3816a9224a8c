import io
import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from typer.testing import CliRunner

from coepg.cli.data_check import model_resize
from coepg.cli.main import app
from coepg.data.checks.order import READINGS, is_plausible
from coepg.data.checks.perceptual_hash import NearIndex, difference_hash, distance_bits
from coepg.data.checks.run import check_dataset
from coepg.data.checks.tokens import quantile
from coepg.data.rows import STEP_SCHEMA
from coepg.data.table import StepTable
from coepg.data.writer import DatasetWriter
from coepg.types import Box, Point, Screenshot, Size, Step, content_hash

SIZE = (600, 1600)


def picture(seed, size=SIZE, extra=0):
    """A screen with grey tiles that differ by seed; ``extra`` draws a small clock."""
    tiles = np.random.default_rng(seed).integers(0, 255, (16, 17), dtype=np.uint8)
    image = Image.fromarray(tiles).resize(size, Image.Resampling.NEAREST).convert("RGB")
    if extra:
        ImageDraw.Draw(image).rectangle([2, 2, 2 + extra, 8], fill=(255, 0, 0))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def build(tmp_path):
    """A dataset of one-step episodes; each is (picture, changes of the step)."""

    def write(*rows):
        about = {"name": "d", "source": "s", "license": "l", "made_by": "m"}
        with DatasetWriter(tmp_path / "d", overwrite=True, **about) as writer:
            for number, (data, changes) in enumerate(rows):
                values = {
                    "step_id": f"e{number}/0", "episode_id": f"e{number}", "task_name": "t",
                    "split": "train", "step_index": 0, "num_steps": 1,
                    "instruction": f"do {number}", "history": (), "action_type": "click",
                    "value": None, "target_box_px": Box(100, 700, 200, 800),
                    "screenshot": Screenshot(
                        content_hash(data), Size(*Image.open(io.BytesIO(data)).size)
                    ),
                }  # fmt: skip
                writer.add(Step(**{**values, **changes}), data)
        return StepTable.open(tmp_path / "d")

    return write


def check(table, *profiles, **more):
    found = check_dataset(table, [model_resize(name) for name in profiles], **more)
    return {finding.check: finding for finding in found}


def rewrite(table, change):
    """Change stored rows behind the writer's back."""
    path = table.path / "steps" / "train.parquet"
    rows = pq.read_table(path).to_pylist()
    rows = [row | change(number, row) for number, row in enumerate(rows)]
    pq.write_table(pa.Table.from_pylist(rows, schema=STEP_SCHEMA), path)
    return StepTable.open(table.path)


def test_a_good_dataset_has_no_findings(build):
    table = build(*[(picture(k), {"target_point_px": Point(150, 750)}) for k in range(3)])
    assert check(table) == {}


def test_boxes_that_leave_the_picture(build):
    table = build(*[(picture(k), {}) for k in range(3)])
    found = check(rewrite(table, lambda n, row: {"target_box_px": [0, 0, 10, 1601]} if n else {}))
    finding = found["box_outside"]
    assert (finding.severity, finding.count, finding.total) == ("error", 2, 3)
    assert [e.step_id for e in finding.examples] == ["e1/0", "e2/0"]
    assert "unreadable_step" not in found


def test_rows_that_are_no_steps(build):
    table = build(*[(picture(k), {}) for k in range(3)])
    changes = [{}, {"action_type": "fly"}, {"target_box_px": None}]
    found = check(rewrite(table, lambda n, row: changes[n]))["unreadable_step"]
    assert found.count == 2 and "action_type" in found.examples[0].detail


def test_fractions_and_thousandths(build):
    table = build(*[(picture(k % 3), {}) for k in range(40)])
    found = check(rewrite(table, lambda n, row: {"target_box_px": [0.1, 0.2, 0.3, 0.9]}))
    assert found["box_unit_norm1"].count == 40
    found = check(rewrite(table, lambda n, row: {"target_box_px": [100, 200, 300, 990]}))
    assert found["box_unit_norm1000"].severity == "warning"
    found = check(rewrite(table, lambda n, row: {"target_box_px": [100, 200, 300, 990 + n]}))
    assert "box_unit_norm1000" not in found


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("y0, x0, y1, x1", lambda x0, y0, x1, y1: [y0, x0, y1, x1]),
        ("x, y, width, height", lambda x0, y0, x1, y1: [x0, y0, x1 - x0, y1 - y0]),
        ("y, x, height, width", lambda x0, y0, x1, y1: [y0, x0, y1 - y0, x1 - x0]),
    ],
)
def test_orders(build, name, stored):
    table = build(*[(picture(k % 3), {"target_point_px": Point(150, 750)}) for k in range(9)])
    found = check(rewrite(table, lambda n, row: {"target_box_px": stored(100, 700 + n, 200, 800)}))
    assert name in found["box_order"].text and found["box_order"].severity == "error"


corner = st.floats(0, 100)


@given(corner, corner, corner, corner)
def test_a_reading_undoes_its_writing(x0, y0, w, h):
    box, size = (x0, y0, x0 + w, y0 + h), Size(1000, 1000)
    assert is_plausible(READINGS["x, y, width, height"]((x0, y0, w, h)), size, None)
    assert READINGS["y0, x0, y1, x1"]((y0, x0, y0 + h, x0 + w)) == box
    assert is_plausible(READINGS["y, x, height, width"]((y0, x0, h, w)), size, None)


def test_points_outside_their_boxes(build):
    inside, outside = {"target_point_px": Point(150, 750)}, {"target_point_px": Point(9, 9)}
    rows = [(picture(k % 3), inside) for k in range(30)]
    assert check(build(*rows, (picture(1), outside)))["point_outside_box"].severity == "warning"
    found = check(build(*rows[:3], (picture(1), outside)))["point_outside_box"]
    assert (found.severity, found.count, found.total) == ("error", 1, 4)
    other = {**outside, "alternative_boxes_px": (Box(0, 0, 20, 20),)}
    assert "point_outside_box" not in check(build((picture(1), other)))


def test_small_targets_after_the_resize(build):
    data = picture(1, (4000, 3000))
    # qwen2_5_vl shrinks 4000 x 3000 to 1624 x 1204: 20 px become 8, 30 px become 12.
    boxes = [Box(0, 0, 20, 200), Box(0, 0, 30, 200), Box(0, 0, 200, 200), Box(0, 0, 20, 20)]
    rows = [(data, {"target_box_px": box}) for box in boxes]
    rows[3][1]["tags"] = {"target_box_source": "point"}
    found = check(build(*rows), "qwen2_5_vl")
    assert [e.step_id for e in found["target_below_10_px"].examples] == ["e0/0"]
    assert [e.step_id for e in found["target_below_16_px"].examples] == ["e1/0"]
    assert found["target_below_16_px"].total == 3


def test_image_tokens(build):
    rows = [(picture(k, (280, 280)), {"target_box_px": Box(0, 0, 99, 99)}) for k in range(9)]
    wide = (picture(1, (2010, 10)), {"target_box_px": Box(0, 0, 9, 9)})
    double = (picture(1, (560, 280)), {"target_box_px": Box(0, 0, 99, 99)})
    found = check(build(*rows, double, wide), "qwen2_5_vl")
    assert found["image_tokens_qwen2_5_vl"].numbers == {"p50": 100, "p95": 200, "max": 200}
    assert found["picture_shape"].severity == "error" and found["picture_shape"].count == 1


@given(st.lists(st.integers(0, 50), min_size=1), st.floats(0.01, 1))
def test_quantiles_are_nearest_rank(values, share):
    from collections import Counter

    found = quantile(Counter(values), share)
    assert sum(v <= found for v in values) >= share * len(values)
    assert sum(v < found for v in values) < share * len(values)


def test_leaks(build):
    test = {"split": "test"}
    rows = [
        (picture(1), {"instruction": "Open  it"}),
        (picture(2), {}),
        (picture(1), {**test, "instruction": "open it"}),
        (picture(2), {**test, "instruction": "another"}),
        (picture(1, extra=3), {**test, "step_id": "x/0", "episode_id": "e0"}),
        (picture(7), test),
    ]
    found = check(build(*rows))
    examples = {name: [e.step_id for e in f.examples] for name, f in found.items()}
    assert examples == {
        "step_in_train": ["e2/0"], "episode_in_train": ["x/0"], "picture_in_train": ["e3/0"],
        "picture_near_train": ["x/0"],
    }  # fmt: skip
    assert found["step_in_train"].severity == found["episode_in_train"].severity == "error"


def test_blank_pictures_are_not_near_each_other(build):
    rows = []
    for color in (250, 255):
        buffer = io.BytesIO()
        Image.new("RGB", SIZE, (color,) * 3).save(buffer, "PNG")
        rows.append((buffer.getvalue(), {"split": "train" if color == 250 else "test"}))
    assert check(build(*rows)) == {}


@given(st.integers(0, 2**256 - 1), st.sets(st.integers(0, 255), max_size=6))
def test_the_index_finds_what_a_comparison_of_all_finds(value, bits):
    other = value
    for bit in bits:
        other ^= 1 << bit
    index = NearIndex()
    index.add(value)
    expected = len(bits) if len(bits) <= 3 and value.bit_count() >= 8 else None
    assert distance_bits(value, other) == len(bits)
    assert index.nearest(other) == expected


def test_a_damaged_picture(build, monkeypatch):
    table = build((picture(1), {}), (picture(2), {}))
    whole = table.image_bytes
    bad = table.step_at("train", 1).screenshot.image_hash
    monkeypatch.setattr(table, "image_bytes", lambda h: whole(h)[: 3000 if h == bad else None])
    with pytest.raises(OSError):
        difference_hash(table.image_bytes(bad))
    assert [e.step_id for e in check(table)["picture_damaged"].examples] == ["e1/0"]
    assert check(table, decode_pictures=False) == {}


def test_actions_of_the_platform(build):
    scroll = {"action_type": "scroll", "value": "down", "target_box_px": None}
    app_ = {"action_type": "open_app", "value": "Clock", "target_box_px": None}
    hover = {"action_type": "hover", "tags": {"platform": "mobile"}}
    table = build(*[(picture(1), changes) for changes in ({}, scroll, app_, hover)])
    assert "open_app 1" in check(table, platform="web")["action_not_on_platform"].text
    assert check(table, platform="mobile")["action_not_on_platform"].count == 1
    found = check(table)["action_not_on_platform"]
    assert (found.count, found.total) == (1, 1)


def test_empty_texts(build):
    found = check(build((picture(1), {"instruction": " "}),
                        (picture(1), {"action_type": "type", "value": ""})))  # fmt: skip
    assert found["empty_instruction"].severity == "error"
    assert [e.step_id for e in found["empty_value"].examples] == ["e1/0"]


def test_histories(build):
    def step(index, *history, of=3, name=None):
        return (picture(1), {"episode_id": "e", "step_id": name or f"e/{index}", "history": history,
                             "step_index": index, "num_steps": of})  # fmt: skip

    found = check(build(step(0), step(1, "a"), step(2, "a", "b")))
    assert found == {}
    found = check(build(step(0), step(1, "a"), step(2, "x", "b"), step(3, "x", "b", "c")))
    assert [e.step_id for e in found["history_changed"].examples] == ["e/2"]
    assert [e.step_id for e in found["step_order"].examples] == ["e/3"]
    found = check(build(step(0), step(2, "a"), step(1, "a")))
    assert [e.step_id for e in found["history_length"].examples] == ["e/2"]
    assert [e.step_id for e in found["step_order"].examples] == ["e/1"]


def test_at_most_ten_examples(build):
    found = check(build(*[(picture(k % 2), {"instruction": ""}) for k in range(25)]))
    assert found["empty_instruction"].count == 25
    assert len(found["empty_instruction"].examples) == 10


def invoke(*arguments):
    return CliRunner().invoke(app, ["data", *map(str, arguments)])


def test_the_commands(build, tmp_path):
    table = build((picture(1), {"instruction": "", "alternative_boxes_px": (Box(0, 0, 9, 9),)}),
                  (picture(2), {"target_point_px": Point(150, 750)}))  # fmt: skip
    page = tmp_path / "new" / "page.html"
    done = invoke("check", table.path, "--html", page, "--json")
    assert done.exit_code == 1
    findings = {f["check"]: f for f in json.loads(done.stdout)["findings"]}
    assert findings["empty_instruction"]["examples"][0]["step_id"] == "e0/0"
    assert {"image_tokens_qwen2_5_vl", "image_tokens_qwen3_vl"} <= set(findings)
    text = page.read_text()
    assert "data:image/jpeg;base64," in text and "e0/0" in text
    assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    assert invoke("check", tmp_path / "none").exit_code == 2
    assert invoke("check", table.path, "--profile", "gpt").exit_code == 2
    done = invoke("show", table.path, "--step", "e1/0", "--png", tmp_path / "a.png")
    assert "point:      150, 750" in done.stdout and "e0/0" not in done.stdout
    drawn = Image.open(tmp_path / "a.png")
    assert drawn.size == SIZE and drawn.getpixel((100, 750)) == (230, 25, 60)
    assert drawn.getpixel((150, 750)) == (20, 110, 245)
    assert invoke("show", table.path, "--step", "e9/0").exit_code == 2
    assert invoke("show", table.path, "--split", "dev").exit_code == 2


def test_a_clean_dataset_ends_with_0(build):
    done = invoke("check", build((picture(1), {})).path, "--profile", "tiny")
    assert done.exit_code == 0, done.stdout
    assert "0 errors" in done.stdout
