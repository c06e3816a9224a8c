import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from coepg.data.crop import Crop, crop_imported
from coepg.data.importers.base import Imported, ImportOptions
from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable
from coepg.errors import ConfigError, DataError
from coepg.types import Box, Screenshot, Size, Step, content_hash


def png_bytes(size, color=(9, 9, 9)):
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def swift_row(name="a.png", **objects):
    return {"messages": [], "images": [name],
            "objects": {"ref": ["OK button"], "bbox": [[10, 20, 30, 40]], **objects}}  # fmt: skip


@pytest.fixture
def source(tmp_path):
    (tmp_path / "a.png").write_bytes(png_bytes((100, 50)))

    def write(*rows):
        path = tmp_path / "rows.jsonl"
        path.write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows))
        return path

    return write


def run(path, **more):
    out = path.parent / "out"
    return import_dataset(make_importer("ms_swift", ImportOptions()), path, out, **more)


def test_pixels_and_norm1_give_the_same_box(source):
    path = source(
        swift_row(), swift_row(bbox=[[0.1, 0.4, 0.3, 0.8]], bbox_type="norm1"),
        swift_row(bbox=[[20, 30]], bbox_type="real"),
    )  # fmt: skip
    report = run(path)
    steps = StepTable.open(path.parent / "out").steps("train")
    assert report.num_steps == 3
    assert steps[0].target_box_px == Box(10, 20, 30, 40)
    assert steps[1].target_box_px.as_tuple() == pytest.approx((10, 20, 30, 40), abs=1e-5)
    assert steps[2].target_box_px == Box(19, 29, 21, 31)
    assert steps[2].tags == {"target_box_source": "point"}
    assert steps[0].instruction == steps[0].target_expression == "OK button"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (swift_row("b.png"), "picture 'b.png'"),
        (swift_row(bbox=[[10, 20, 130, 40]]), "outside"),
        (swift_row(bbox=[[30, 20, 10, 40]]), "mend the box"),
        (swift_row(bbox=[None]), "bbox"),
        (swift_row(bbox_type="norm1000"), "bbox_type"),
        (swift_row(ref=["a", "b"]), "two lists of one length"),
        ({"images": None}, "one path"),
        ("[1]", "not an object"),
        ('{"a": ', "not JSON"),
    ],
)
def test_bad_rows_are_named_and_can_be_set_aside(source, row, message):
    path = source(swift_row(), row)
    with pytest.raises(DataError, match="line 2") as caught:
        run(path)
    assert message in str(caught.value)
    assert not (path.parent / "out").exists()
    report = run(path, keep_going=True)
    assert (report.num_steps, report.num_set_aside) == (1, 1)
    aside = json.loads(report.set_aside_path.read_text())
    assert "line 2" in aside["where"] and aside["error"] and aside["fix"]


def test_nothing_but_bad_rows_is_an_error_that_names_the_list(source):
    path = source(swift_row("b.png"))
    with pytest.raises(DataError, match="set_aside"):
        run(path, keep_going=True)


def test_unknown_format_lists_the_known_ones():
    with pytest.raises(ConfigError, match="ms_swift"):
        make_importer("excel", ImportOptions())


@given(
    st.integers(1, 4000), st.integers(1, 9000),
    st.floats(0, 1), st.floats(0, 1), st.integers(0, 120), st.sampled_from(["blocks", "around"]),
)  # fmt: skip
def test_the_cut_always_holds_a_target_that_fits(width, height, fx, fy, side, mode):
    size = Size(width, height)
    x0, y0 = fx * max(0, width - side), fy * max(0, height - side)
    target = Box(x0, y0, min(width, x0 + side), min(height, y0 + side))
    window = Crop(mode).window(size, target)
    if window is None:
        assert width <= 1280 and height <= 1000
        return
    left, top, right, bottom = window
    assert 0 <= left < right <= width and 0 <= top < bottom <= height
    assert right - left <= 1280 and bottom - top <= 1000
    assert left <= target.x0 and target.x1 <= right
    assert top <= target.y0 and target.y1 <= bottom


def test_a_cut_moves_the_boxes_and_is_recorded():
    data = png_bytes((1280, 4000))
    shot = Screenshot(content_hash(data), Size(1280, 4000))
    step = Step("e/0", "e", "t", "train", 0, 1, "x", (), shot, "click", None,
                Box(100, 1500, 200, 1540), alternative_boxes_px=(Box(0, 10, 5, 20),))  # fmt: skip
    (cut,) = crop_imported(Imported(step, data), Crop())
    assert cut.step.tags == {"crop_px": "0,800,1280,1800", "crop_source_px": "1280x4000"}
    assert cut.step.target_box_px == Box(100, 700, 200, 740)
    assert cut.step.alternative_boxes_px == ()
    assert Image.open(io.BytesIO(cut.image)).size == (1280, 1000)
    assert cut.step.screenshot.image_hash == content_hash(cut.image)
