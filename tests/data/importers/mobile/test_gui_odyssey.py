import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.data.importers.gestures import OPPOSITE, content_direction, finger_direction
from coepg.errors import DataError
from coepg.types import Box, Point


def step(action, info="", **more):
    return {"step": 0, "screenshot": "9_0.png", "action": action, "info": info, "ps": "", **more}


def episode(*steps, **changes):
    return {
        "episode_id": "9", "step_length": len(steps), "steps": list(steps),
        "device_info": {"device_name": "Pixel 7 Pro", "h": 400, "w": 200},
        "task_info": {"category": "General_Tool", "app": ["Clock", "Mail"], "task": "t",
                      "instruction": "Set a clock."},
        **changes,
    }  # fmt: skip


@pytest.fixture
def folder(tmp_path, make_png):
    """The published layout; gives a writer of episodes."""
    for name in ("annotations", "screenshots", "splits"):
        (tmp_path / "odyssey" / name).mkdir(parents=True)
    (tmp_path / "odyssey" / "screenshots" / "9_0.png").write_bytes(make_png((200, 400)))

    def write(*episodes):
        for number, one in enumerate(episodes):
            path = tmp_path / "odyssey" / "annotations" / f"{number}.json"
            path.write_bytes(one if isinstance(one, bytes) else json.dumps(one).encode())
        return tmp_path / "odyssey"

    return write


def test_all_actions_of_both_versions(folder, import_steps):
    source = folder(episode(
        step("CLICK", [[500, 250]], sam2_bbox=[250, 200, 750, 300], low_level_instruction="tap it"),
        step("LONG_PRESS", [[500, 250]], sam2_bbox=[]),
        step("SCROLL", [[500, 800], [510, 200]]),
        step("SCROLL", [[900, 500], [100, 510]], sam2_bbox=[]),
        step("CLICK", "KEY_HOME"), step("CLICK", "KEY_BACK"), step("CLICK", "KEY_APPSELECT"),
        step("TEXT", "hello"), step("TYPE", "you"), step("INCOMPLETE"), step("COMPLETE"),
    ))  # fmt: skip
    steps = import_steps("gui_odyssey", source)
    assert [(s.action_type, s.value) for s in steps] == [
        ("click", None), ("long_press", None), ("scroll", "down"), ("scroll", "right"),
        ("navigate_home", None), ("navigate_back", None), ("press", "app_switch"),
        ("type", "hello"), ("type", "you"), ("finish", "impossible"), ("finish", None),
    ]  # fmt: skip
    assert steps[0].target_box_px == Box(50, 80, 150, 120)
    assert steps[0].target_point_px == Point(100, 100)
    assert steps[0].step_instruction == "tap it"
    assert steps[0].tags == {
        "platform": "mobile", "device": "Pixel 7 Pro", "application": "Clock, Mail",
        "target_box_source": "annotation",
    }  # fmt: skip
    assert steps[1].target_box_px == Box(96, 96, 104, 104)
    assert steps[1].tags["target_box_source"] == "point"
    # The finger goes up (y falls), which shows what is below.
    assert (steps[2].target_point_px, steps[2].end_point_px) == (Point(100, 320), Point(102, 80))
    assert steps[8].history[-2:] == ("press: app_switch", "type: hello")
    assert {s.task_name for s in steps} == {"General_Tool"}


@given(*[st.floats(0, 1000)] * 4)
def test_content_moves_with_the_finger(x0, y0, x1, y1):
    touch, lift = Point(x0, y0), Point(x1, y1)
    assert content_direction(touch, lift) == OPPOSITE[finger_direction(touch, lift)]
    if abs(x1 - x0) != abs(y1 - y0):
        assert finger_direction(lift, touch) == content_direction(touch, lift)


def test_a_list_of_splits_names_and_filters(folder, import_steps):
    source = folder(episode(step("COMPLETE")), episode(step("COMPLETE"), episode_id="10"))
    lists = source / "splits" / "random_split.json"
    lists.write_text('{"train": ["9.json"], "test": ["10.json"]}')
    assert [s.episode_id for s in import_steps("gui_odyssey", source, "test")] == ["10"]
    import_steps("gui_odyssey", source, "train", choose="train")
    assert import_steps.report.steps == {"train": 1}
    other = source / "splits" / "app_split.json"
    other.write_text('{"train": ["9.json"]}')
    with pytest.raises(DataError, match="does not name"):
        import_steps("gui_odyssey", source, splits=str(other))


def test_one_file_of_all_episodes(folder, import_steps):
    source = folder()
    path = source / "all_anno.json"
    path.write_text(json.dumps([episode(step("COMPLETE")),
                                episode(step("COMPLETE"), episode_id="10")]))  # fmt: skip
    assert len(import_steps("gui_odyssey", path)) == 2


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (episode(step("FLY")), "'FLY'"),
        (episode(step(None)), "None"),
        (episode(step("CLICK", "KEY_CAMERA")), "KEY_CAMERA"),
        (episode(step("CLICK", [[5]])), "2 numbers"),
        (episode(step("CLICK", None)), "list of 1 points"),
        (episode(step("CLICK", [[1500, 2]])), "in the picture"),
        (episode(step("SCROLL", [[1, 2]])), "list of 2 points"),
        (episode(step("CLICK", [[5, 5]], sam2_bbox=[9, 9, 1, 1])), "order of the corners"),
        (episode(step("CLICK", [[5, 5]], sam2_bbox=[0, 0, 5, 1300])), "outside"),
        (episode(step("TEXT", None)), "info"),
        (episode(step("CLICK", "KEY_BACK", screenshot="404.png")), "picture '404.png'"),
        (episode(step("COMPLETE"), episode_id=None), "episode_id"),
        (episode(step("COMPLETE"), task_info=None), "task_info"),
        (episode(None), "action"),
        (b'{"episode_id": "\xff"}', "not JSON"),
        (b"", "not JSON"),
        (b'"text"', "an object of one episode"),
        ({"images": ["a.png"]}, "episode_id"),
    ],
)
def test_bad_episodes(folder, import_steps, bad, message):
    source = folder(episode(step("COMPLETE"), episode_id="10"), bad)
    with pytest.raises(DataError, match=r"1\.json") as caught:
        import_steps("gui_odyssey", source)
    assert message in str(caught.value)
    assert len(import_steps("gui_odyssey", source, keep_going=True)) == 1


def test_no_annotations(folder, import_steps):
    with pytest.raises(DataError, match="no annotations"):
        import_steps("gui_odyssey", folder())
