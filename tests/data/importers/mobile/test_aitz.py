import json

import pytest

from coepg.errors import DataError
from coepg.types import Box, Point


def step(kind=4, touch=(0.5, 0.2), lift=(0.5, 0.2), index=0, **changes):
    values = {
        "episode_id": "52", "episode_length": 2, "step_id": index, "instruction": "open Clock",
        "ui_positions": "[[80, 10, 40, 30], [0, 0, 200, 100]]", "ui_text": '["Clock", ""]',
        "ui_types": '["TEXT", "ICON_HOME"]', "result_action_type": kind, "result_action_text": "",
        "result_touch_yx": json.dumps(list(touch)), "result_lift_yx": json.dumps(list(lift)),
        "image_path": "google_apps/GOOGLE_APPS-52/GOOGLE_APPS-52_0.png",
        "coat_action_desc": "tap the clock",
    }  # fmt: skip
    return {**values, **changes}


@pytest.fixture
def folder(tmp_path, make_png):
    def write(*episodes, size=(100, 200)):
        for number, rows in enumerate(episodes):
            at = tmp_path / "aitz" / "test" / f"episode-{number}"
            at.mkdir(parents=True, exist_ok=True)
            (at / "GOOGLE_APPS-52_0.png").write_bytes(make_png(size))
            data = rows if isinstance(rows, bytes) else json.dumps(rows).encode()
            (at / f"{number}.json").write_bytes(data)
        return tmp_path / "aitz"

    return write


def test_an_episode(folder, import_steps):
    steps = import_steps("aitz", folder([step(), step(touch=(0.2, 0.5), lift=(0.9, 0.5), index=1)]),
                         "test")  # fmt: skip
    click, scroll = steps
    # y 80, x 10, height 40, width 30 in pixels.
    assert click.target_box_px == Box(10, 80, 40, 120)
    assert click.target_point_px == Point(20, 100)
    assert click.tags["target_box_source"] == "ui_annotations"
    assert (click.step_instruction, click.task_name) == ("tap the clock", "google_apps")
    assert (scroll.action_type, scroll.value) == ("scroll", "up")
    assert scroll.history == ("[text] Clock -> click",)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([step(8)], "4 (DUAL_POINT)"),
        ([step(index=3)], "step_id"),
        ([step(ui_positions="[[1, 2, 3]]", ui_text='[""]', ui_types='[""]')], "4 numbers"),
        ([step(ui_positions="[[1, 2, 3, -4]]", ui_text='[""]', ui_types='[""]')], "positive"),
        ([step(ui_text="[]")], "different lengths"),
        ([step(ui_text=None)], "ui_text"),
        ([step(ui_text="[")], "JSON in a text"),
        ([step(result_touch_yx="[0.5, 4]", result_lift_yx="[0.5, 4]")], "in the picture"),
        ([step(instruction=None)], "instruction"),
        ([step(image_path="a/404.png")], "picture '404.png'"),
        ([], "an empty list"),
        ([None], "list"),
        ({"episode_id": 3}, "dict"),
        (b"[", "not JSON"),
        (b"", "not JSON"),
        (b'[{"instruction": "\xff"}]', "not JSON"),
    ],
)
def test_bad_episodes(folder, import_steps, bad, message):
    source = folder([step(episode_id="1")], bad)
    with pytest.raises(DataError, match=r"1\.json") as caught:
        import_steps("aitz", source, "test")
    assert message in str(caught.value)
    assert len(import_steps("aitz", source, "test", keep_going=True)) == 1


@pytest.mark.parametrize("size", [(1, 1), (6000, 9000)])
def test_sizes(folder, import_steps, size):
    (found,) = import_steps("aitz", folder([step()], size=size), "test")
    assert found.is_hit(found.target_point_px)


def test_the_real_episode(shared_data, import_steps):
    steps = import_steps("aitz", shared_data / "aitz")
    assert [(s.action_type, s.value) for s in steps] == [
        ("navigate_home", None), ("scroll", "down"), ("click", None), ("finish", None),
    ]  # fmt: skip
    assert {s.screenshot.size.width for s in steps} == {270}
    click = steps[2]
    assert click.is_hit(click.target_point_px)
    assert click.target_point_px.x == pytest.approx(0.6069772839546204 * 270, abs=1e-3)
    assert click.step_instruction.lower().find("clock") >= 0
    assert steps[3].history[:2] == ("navigate_home", "scroll: down")
    # The clock's icon is not annotated, only the word below it.
    assert click.tags["target_box_source"] == "point"
