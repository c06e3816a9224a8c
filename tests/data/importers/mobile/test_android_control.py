import json

import pytest

from coepg.errors import DataError
from coepg.types import Box, Point
from mobile.wire import forest, node, write_tfrecord

LIST = node((0, 0, 200, 900), role="android.widget.ListView")
OK = node((20, 30, 80, 60), text="OK", role="android.widget.Button")
HIDDEN = node((40, 40, 50, 50), text="hidden", visible=False)
FIELD = node((0, 100, 200, 140), description="Search", role="android.widget.EditText",
             editable=True, focused=True)  # fmt: skip
SCREEN = forest(LIST, OK, HIDDEN)


def episode(make_png, *actions, number=7, **changes):
    count = len(actions)
    values = {
        "episode_id": number,
        "goal": b"Do it.",
        "screenshots": [make_png((200, 400), (k, 0, number)) for k in range(count + 1)],
        "accessibility_trees": [SCREEN] * (count + 1),
        "screenshot_widths": [200] * (count + 1),
        "screenshot_heights": [400] * (count + 1),
        "actions": [a if isinstance(a, bytes) else json.dumps(a).encode() for a in actions],
        "step_instructions": [f"step {k}".encode() for k in range(count)],
    }
    return {k: v for k, v in {**values, **changes}.items() if v is not None}


def write(tmp_path, *episodes):
    return write_tfrecord(tmp_path / "android_control-00000-of-00020", *episodes, zipped=True)


def test_all_actions(tmp_path, make_png, import_steps):
    actions = [
        {"action_type": "click", "x": 45, "y": 45},
        {"action_type": "long_press", "x": 150, "y": 350},
        {"action_type": "scroll", "direction": "down"},
        {"action_type": "open_app", "app_name": "Clock"},
        {"action_type": "input_text", "text": "hi"},
        {"action_type": "type", "x": 30, "y": 31, "text": "yo"},
        {"action_type": "navigate_home"},
        {"action_type": "navigate_back"},
        {"action_type": "wait"},
    ]
    steps = import_steps("android_control", write(tmp_path, episode(make_png, *actions)))
    assert [(s.action_type, s.value) for s in steps] == [
        ("click", None), ("long_press", None), ("scroll", "down"), ("open_app", "Clock"),
        ("type", "hi"), ("type", "yo"), ("navigate_home", None), ("navigate_back", None),
        ("wait", None),
    ]  # fmt: skip
    click, press, scroll, *_ = steps
    # The smallest visible node; the list is larger, and the hidden one cannot be seen.
    assert click.target_box_px == Box(20, 30, 80, 60)
    assert click.target_repr == "[Button] OK"
    assert click.target_point_px == Point(45, 45)
    assert click.tags["target_box_source"] == "a11y"
    # The list reaches below the screen.
    assert press.target_box_px == Box(0, 0, 200, 400)
    assert scroll.target_box_px is None and "target_box_source" not in scroll.tags
    assert steps[4].tags["target_box_source"] == "screen"
    assert steps[5].target_repr == "[Button] OK"
    assert steps[3].history == ("[Button] OK -> click", "[ListView] -> long_press", "scroll: down")
    assert {s.num_steps for s in steps} == {9} and steps[8].step_instruction == "step 8"
    assert [t.text for t in click.screen_text] == ["OK"]


def test_typed_text_goes_to_the_field_with_the_focus(tmp_path, make_png, import_steps):
    source = write(tmp_path, episode(make_png, {"action_type": "input_text", "text": "hi"},
                                     accessibility_trees=[forest(LIST, FIELD)] * 2))  # fmt: skip
    (step,) = import_steps("android_control", source)
    assert step.target_box_px == Box(0, 100, 200, 140)
    assert step.target_repr == "[EditText] Search"
    assert step.tags["target_box_source"] == "a11y"


def test_a_point_without_an_element_gets_a_small_box(tmp_path, make_png, import_steps):
    source = write(tmp_path, episode(make_png, {"action_type": "click", "x": 199, "y": 399},
                                     accessibility_trees=[forest(OK)] * 2))  # fmt: skip
    (step,) = import_steps("android_control", source)
    assert step.target_box_px == Box(195, 395, 200, 400)
    assert step.tags["target_box_source"] == "point"


def test_splits_beside_the_records(tmp_path, make_png, import_steps):
    wait = {"action_type": "wait"}
    write(tmp_path, *(episode(make_png, wait, number=n) for n in (1, 2, 3)))
    splits = {"train": [1], "validation": [], "test": [2, 3]}
    (tmp_path / "splits.json").write_text(json.dumps(splits))
    subsplits = {"IDD": [2], "app_unseen": [3], "task_unseen": [3]}
    (tmp_path / "test_subsplits.json").write_text(json.dumps(subsplits))
    steps = import_steps("android_control", tmp_path, "test")
    assert [s.tags.get("subsplits") for s in steps] == ["IDD", "app_unseen,task_unseen"]
    assert import_steps.report.steps == {"train": 1, "test": 2}
    import_steps("android_control", tmp_path, "test", choose="test")
    assert import_steps.report.steps == {"test": 2}
    (tmp_path / "splits.json").write_text('{"train": [1]}')
    with pytest.raises(DataError, match=r"splits\.json does not name"):
        import_steps("android_control", tmp_path)


CLICK = {"action_type": "click", "x": 45, "y": 45}


@pytest.mark.parametrize(
    ("action", "changes", "message"),
    [
        ({"action_type": "fly"}, {}, "'fly'"),
        ({"action_type": "click", "x": None, "y": 4}, {}, "a list of 2 numbers"),
        ({"action_type": "click", "x": 45, "y": 4500}, {}, "in the picture"),
        ({"action_type": "scroll", "direction": "away"}, {}, "scroll away"),
        ({"action_type": "input_text", "text": None}, {}, "text"),
        (b"{", {}, "JSON object"),
        (b"null", {}, "JSON object"),
        (b"\xff", {}, "UTF-8"),
        (CLICK, {"goal": b"\xff"}, "UTF-8"),
        (CLICK, {"goal": None}, "feature 'goal'"),
        (CLICK, {"screenshots": [b"no", b"picture"]}, "Pillow can open"),
        (CLICK, {"screenshots": [b"x"]}, "1 screenshots"),
        (CLICK, {"accessibility_trees": [b"\x0a\xff", b""]}, "accessibility tree"),
        (CLICK, {"episode_id": b"7"}, "values of type bytes"),
    ],
)
def test_bad_episodes(tmp_path, make_png, import_steps, action, changes, message):
    good = episode(make_png, CLICK, number=1)
    source = write(tmp_path, good, episode(make_png, action, **changes))
    with pytest.raises(DataError, match="record 1 at byte") as caught:
        import_steps("android_control", source)
    assert message in str(caught.value)
    assert len(import_steps("android_control", source, keep_going=True)) == 1


@pytest.mark.parametrize("size", [(1, 1), (5000, 9000)])
def test_sizes_of_pictures(tmp_path, make_png, import_steps, size):
    x, y = size[0] - 1, size[1] - 1
    source = write(tmp_path, episode(make_png, {"action_type": "click", "x": x, "y": y},
                                     screenshots=[make_png(size)] * 2,
                                     accessibility_trees=[b"", b""]))  # fmt: skip
    (step,) = import_steps("android_control", source)
    assert step.is_hit(Point(x, y))


def test_a_folder_without_records(tmp_path, import_steps):
    with pytest.raises(DataError, match="no records"):
        import_steps("android_control", tmp_path)
