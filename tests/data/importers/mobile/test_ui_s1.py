import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.data.importers.android_control_ui_s1 import UiS1Importer
from coepg.data.importers.base import ImportOptions
from coepg.errors import ConfigError, DataError
from coepg.types import Box, Size

NAME = "android_control_ui_s1"


def step(action, name="8193_0.png", **checks):
    row = {"action_content": action, "screenshot": f"/datasets/AndroidControl/images/{name}",
           "step_instruction": "do it"}  # fmt: skip
    return row | ({"check_options": {"action": action.get("action"), **checks}} if checks else {})


@pytest.fixture
def source(tmp_path, make_png):
    (tmp_path / "8193_0.png").write_bytes(make_png((1080, 2400)))

    def write(*rows, name="ui_s1_test.jsonl"):
        path = tmp_path / name
        path.write_bytes(
            b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in rows)
        )
        return path

    return write


def row(*steps, **changes):
    values = {"goal": "Go.", "is_successful": True, "episode_id": 8193, "steps": list(steps)}
    return {**values, **changes}


BOXES = [[-55, 473, 1080, 2337], [456, 2211, 624, 2337], [0, 0, 5, 5]]
CLICK = step({"action": "click", "coordinate": [540, 2273]}, candidate_bbox=BOXES)


def test_the_smallest_candidate_is_the_target(source, import_steps):
    (found,) = import_steps(NAME, source(row(CLICK)), "test")
    assert found.target_box_px == Box(456, 2211, 624, 2337)
    # A box that does not hold the point is no candidate; the outer one reaches beyond the screen.
    assert found.alternative_boxes_px == (Box(0, 473, 1080, 2337),)
    assert found.tags["target_box_source"] == "annotation"
    (found,) = import_steps(NAME, source(row(CLICK)), "test", candidates="smallest")
    assert found.alternative_boxes_px == ()


def test_other_actions(source, import_steps):
    steps = import_steps(NAME, source(row(
        step({"action": "open", "text": "pCloud"}, candidate_bbox=[[1, 1, 2, 2]]),
        step({"action": "type", "text": "Sculpture art"}),
        step({"action": "wait", "time": 2}),
        step({"action": "system_button", "button": "Back"}),
        step({"action": "click", "coordinate": [10, 20]}, candidate_bbox=[]),
        step({"action": "terminate", "status": "success"}),
        step({"action": "click", "coordinate": [10.0, 20.0], "bbox": [0, 0, 30, 30]}),
    )), "test")  # fmt: skip
    assert [(s.action_type, s.value) for s in steps] == [
        ("open_app", "pCloud"), ("type", "Sculpture art"), ("wait", "2"),
        ("navigate_back", None), ("click", None), ("finish", None), ("click", None),
    ]  # fmt: skip
    assert steps[1].target_box_px == Box(0, 0, 1080, 2400)
    assert [steps[k].tags["target_box_source"] for k in (1, 4, 6)] == [
        "screen", "point", "annotation",
    ]  # fmt: skip
    assert steps[3].history == ("open_app: pCloud", "type: Sculpture art", "wait: 2")


@pytest.mark.parametrize(
    ("points", "word", "stroke", "expected"),
    [
        # In the test file up and down follow the finger, left and right the word: the word counts.
        ([[540, 1800], [540, 600]], "down", None, "down"),
        ([[270, 1200], [810, 1200]], "right", None, "right"),
        ([[540, 600], [540, 1800]], None, None, "down"),
        ([[540, 600], [540, 1800]], None, "finger", "up"),
        ([[540, 600], [540, 1800]], "up", "finger", "up"),
    ],
)
def test_directions(source, import_steps, points, word, stroke, expected):
    swipe = {"action": "swipe", "coordinate": points[0], "coordinate2": points[1]}
    checks = {"direction": word} if word else {}
    extra = {"stroke": stroke} if stroke else {}
    (found,) = import_steps(NAME, source(row(step(swipe, **checks))), "test", **extra)
    assert (found.action_type, found.value) == ("scroll", expected)
    assert found.target_point_px is None


def test_training_rows_have_no_episode_id(source, import_steps):
    path = source({"goal": "Go.", "steps": [CLICK]}, name="train.jsonl")
    (found,) = import_steps(NAME, path, "train")
    assert found.step_id == "8193/0"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row(step({"action": "fly"})), "'fly'"),
        (row(step({"action": "click", "coordinate": None})), "missing or null"),
        (row(step({"action": "click", "coordinate": [1, 2, 3]})), "2 numbers"),
        (row(step({"action": "click", "coordinate": [5000, 2]})), "in the picture"),
        (row(step({"action": "click", "coordinate": [9, 9]}, candidate_bbox=[[30, 5, 1, 9]])),
         "order of the corners"),
        (row(step({"action": "click", "coordinate": [9, 9]}, candidate_bbox=[[0, 0, 9]])),
         "4 numbers"),
        (row(step({"action": "swipe"}, direction="away")), "swipe away"),
        (row(step({"action": "system_button", "button": "Camera"})), "Camera"),
        (row(step({"action": "wait"}, "404_0.png")), "picture '404_0.png'"),
        (row(goal=None), "goal"),
        (row(), "at least one step"),
        (row(None), "action"),
        ({"conversations": []}, "goal"),
        (b'{"goal": "\xff"}', "not JSON"),
        (b'{"goal": ', "not JSON"),
    ],
)  # fmt: skip
def test_bad_rows(source, import_steps, bad, message):
    path = source(row(CLICK), bad)
    with pytest.raises(DataError, match="line 2") as caught:
        import_steps(NAME, path, "test")
    assert message in str(caught.value)
    assert len(import_steps(NAME, path, "test", keep_going=True)) == 1


def test_empty_file_and_unknown_settings(source, import_steps):
    with pytest.raises(DataError, match="no steps|nothing to import"):
        import_steps(NAME, source())
    with pytest.raises(ConfigError, match="--option colour"):
        import_steps(NAME, source(row(CLICK)), colour="red")
    with pytest.raises(ConfigError, match="one of content, finger"):
        import_steps(NAME, source(row(CLICK)), stroke="pen")


@given(st.integers(0, 1079), st.integers(0, 2399))
def test_a_target_always_holds_the_point(x, y):
    raw = step({"action": "click", "coordinate": [x, y]}, candidate_bbox=[[100, 100, 900, 2000]])
    act = UiS1Importer(ImportOptions()).act(raw, Size(1080, 2400), "x")
    assert act.box_px.contains(act.point_px)


def test_real_episodes_keep_their_counts(shared_data):
    """Actions of the 300 episodes, converted without their pictures (not in the sample)."""
    importer = UiS1Importer(ImportOptions())
    path = shared_data / "androidcontrol" / "ui_s1_test_first300.jsonl"
    kinds, boxes, directions = Counter(), Counter(), Counter()
    for line in path.read_text().splitlines():
        for raw in json.loads(line)["steps"]:
            # Some screens are wider or taller than 1080 x 2400.
            act = importer.act(raw, Size(4000, 4000), "x")
            kinds[act.kind] += 1
            boxes[act.box_source] += 1
            directions[act.value if act.kind == "scroll" else ""] += 1
    assert kinds == {
        "click": 976, "scroll": 213, "open_app": 127, "type": 125, "wait": 101,
        "navigate_back": 69, "long_press": 3,
    }  # fmt: skip
    assert directions == {"": 1401, "down": 183, "right": 13, "up": 10, "left": 7}
    assert boxes == {"": 510, "annotation": 945, "screen": 125, "point": 34}


def test_real_training_rows_scroll_down(shared_data):
    importer = UiS1Importer(ImportOptions())
    path = shared_data / "androidcontrol" / "android_control_train_example.jsonl"
    steps = [s for line in path.read_text().splitlines() for s in json.loads(line)["steps"]]
    acts = [importer.act(raw, Size(4000, 4000), "x") for raw in steps]
    assert Counter(act.kind for act in acts) == {
        "click": 102, "finish": 32, "scroll": 19, "type": 16, "wait": 15, "open_app": 13,
        "navigate_back": 9,
    }  # fmt: skip
    assert {act.value for act in acts if act.kind == "scroll"} == {"down"}
