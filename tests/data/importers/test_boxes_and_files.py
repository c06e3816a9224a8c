"""Boxes in every unit and order, and large files in pieces."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.data.importers import json_array
from coepg.data.importers.boxes import box_px
from coepg.errors import DataError
from coepg.types import Size

SIZE = Size(400, 300)


# Boxes


def pairs(largest):
    numbers = st.integers(0, largest)
    return st.lists(numbers, min_size=2, max_size=2, unique=True).map(sorted)


@given(pairs(400), pairs(300), st.sampled_from(["px", "norm1", "norm1000"]))
def test_all_orders_and_units_say_the_same_box(xs, ys, unit):
    (x0, x1), (y0, y1) = xs, ys
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
