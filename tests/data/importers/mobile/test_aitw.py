import io
import json

import pytest
from PIL import Image

from coepg.data.importers.gestures import is_tap
from coepg.data.table import StepTable
from coepg.errors import DataError
from coepg.types import Box, Point, Space
from mobile.wire import write_tfrecord

WIDTH, HEIGHT = 100, 200


def step(kind=4, touch=(0.5, 0.2), lift=(0.5, 0.2), index=0, episode=b"e1", **changes):
    """Touch and lift as y, x."""
    values = {
        "android_api_level": 30, "current_activity": b"home", "device_type": b"pixel_4",
        "episode_id": episode, "episode_length": 3, "goal_info": b"open the clock",
        "image/channels": 3, "image/height": HEIGHT, "image/width": WIDTH,
        "image/encoded": bytes([10, 20, 30]) * (WIDTH * HEIGHT - 1) + bytes([1, 2, 3]),
        "image/ui_annotations_positions": [0.4, 0.1, 0.2, 0.3, 0.0, 0.0, 1.0, 1.0],
        "image/ui_annotations_text": [b"Clock", b""],
        "image/ui_annotations_ui_types": [b"TEXT", b"ICON_HOME"],
        "results/action_type": kind, "results/type_action": b"",
        "results/yx_touch": list(touch), "results/yx_lift": list(lift), "step_id": index,
    }  # fmt: skip
    return {k: v for k, v in {**values, **changes}.items() if v is not None}


@pytest.fixture
def write(tmp_path):
    (tmp_path / "general").mkdir()
    return lambda *steps: write_tfrecord(
        tmp_path / "general" / "general-00000-of-00321", *steps, zipped=True
    )


def test_an_episode(write, import_steps, tmp_path):
    tap = step()
    swipe = step(touch=(0.8, 0.5), lift=(0.2, 0.55), index=1)
    typed = step(3, (-1.0, -1.0), (-1.0, -1.0), 2, **{"results/type_action": b"alarm"})
    steps = import_steps("aitw", write(tap, swipe, typed))
    assert [(s.action_type, s.value) for s in steps] == [
        ("click", None), ("scroll", "down"), ("type", "alarm"),
    ]  # fmt: skip
    click, scroll, text = steps
    # y 0.4, x 0.1, height 0.2, width 0.3 of 100 x 200.
    assert click.target_box_px.as_tuple() == pytest.approx((10, 80, 40, 120), abs=1e-4)
    assert (click.target_repr, click.task_name) == ("[text] Clock", "general")
    assert click.target_point_px.x == pytest.approx(20)
    assert click.target_point_px.y == pytest.approx(100)
    assert click.tags == {
        "platform": "mobile", "device": "pixel_4", "activity": "home", "android_api_level": "30",
        "target_box_source": "ui_annotations",
    }  # fmt: skip
    assert scroll.end_point_px.y == pytest.approx(40)
    assert text.target_box_px == Box(0, 0, WIDTH, HEIGHT)
    assert text.history == ("[text] Clock -> click", "scroll: down")
    table = StepTable.open(tmp_path / "imported")
    picture = Image.open(io.BytesIO(table.image_bytes(click.screenshot.image_hash)))
    assert picture.format == "PNG" and picture.size == (WIDTH, HEIGHT)
    assert picture.getpixel((0, 0)) == (10, 20, 30) and picture.getpixel((99, 199)) == (1, 2, 3)


def test_other_types_and_the_swipe_setting(write, import_steps):
    off = (-1.0, -1.0)
    kinds = [step(kind, off, off, k) for k, kind in enumerate((5, 6, 7, 10))]
    other = [step(11, off, off, 0, b"e2"), step(touch=(0.1, 0.1), lift=(0.1, 0.9), index=1,
                                                episode=b"e2")]  # fmt: skip
    source = write(*kinds, *other)
    found = [(s.action_type, s.value) for s in import_steps("aitw", source)]
    assert found == [
        ("navigate_back", None), ("navigate_home", None), ("press", "enter"), ("finish", None),
        ("finish", "impossible"), ("scroll", "left"),
    ]  # fmt: skip
    last = import_steps("aitw", source, gesture="swipe")[-1]
    assert (last.action_type, last.value) == ("swipe", "right")


@pytest.mark.parametrize(
    ("lift", "tap"), [((0.5, 0.53), True), ((0.539, 0.5), True), ((0.53, 0.53), False)]
)
def test_a_tap_ends_within_4_percent(lift, tap):
    y, x = lift
    assert is_tap(Point(0.5, 0.5, Space.NORM1), Point(x, y, Space.NORM1)) is tap


def test_a_missing_step_is_refused_or_kept(write, import_steps):
    source = write(step(), step(index=2), step(episode=b"e2"))
    with pytest.raises(DataError, match="step 2 where step 1"):
        import_steps("aitw", source)
    assert len(import_steps("aitw", source, keep_going=True)) == 2
    steps = import_steps("aitw", source, partial_episodes="keep")
    assert [len(s.history) for s in steps] == [0, 1, 0]


def test_lists_of_splits(write, import_steps, tmp_path):
    source = write(step(), step(episode=b"e2"))
    lists = tmp_path / "standard.json"
    lists.write_text(json.dumps({"train": ["e1"], "validation": [], "test": ["e2"]}))
    assert len(import_steps("aitw", source, "test", splits=str(lists))) == 1
    import_steps("aitw", source, "test", choose="test", splits=str(lists))
    assert import_steps.report.steps == {"test": 1}
    lists.write_text(json.dumps({"train": ["e1"]}))
    with pytest.raises(DataError, match="list of splits does not name"):
        import_steps("aitw", source, splits=str(lists))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (step(99), "4 (DUAL_POINT)"),
        (step(touch=(0.5, 1.5), lift=(0.5, 1.5)), "in the picture"),
        (step(**{"image/encoded": b"\x89PNG"}), "raw pixels"),
        (step(**{"image/channels": 4}), "4 channels"),
        (step(**{"image/encoded": None}), "missing"),
        (step(**{"results/yx_touch": [0.5]}), "2 numbers"),
        (step(**{"results/yx_touch": [float("nan"), 0.5]}), "finite"),
        (step(**{"image/ui_annotations_positions": [0.5]}), "four numbers"),
        (step(**{"image/ui_annotations_positions": [0.4, 0.4, -0.2, 0.3, 0.0, 0.0, 1.0, 1.0]}),
         "positive sizes"),
        (step(**{"goal_info": b"\xff"}), "UTF-8"),
        (step(**{"goal_info": []}), "0 values"),
        ({"image/id": b"4"}, "feature 'episode_id'"),
        (b"no example", "tf.train.Example"),
    ],
)  # fmt: skip
def test_bad_steps(write, import_steps, bad, message):
    source = write(step(episode=b"e0"), bad)
    with pytest.raises(DataError, match="record 1 at byte") as caught:
        import_steps("aitw", source)
    assert message in str(caught.value)
    assert len(import_steps("aitw", source, keep_going=True)) == 1


def test_one_pixel(write, import_steps):
    changes = {"image/height": 1, "image/width": 1, "image/encoded": b"abc"}
    (found,) = import_steps("aitw", write(step(**changes)))
    assert found.target_box_px.as_tuple() == pytest.approx((0.1, 0.4, 0.4, 0.6))
