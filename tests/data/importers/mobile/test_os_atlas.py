import json

import pytest

from coepg.errors import DataError
from coepg.types import Box, Point

AC, ODYSSEY = "android_control_os_atlas", "gui_odyssey_os_atlas"


def row(answer, step=0, episode="episode_140_screenshot", task="Share it.", history="None\n"):
    prompt = f"You are a model.\nScreenshot: <image>\nTask: {task}\nHistory: \n{history}"
    turns = [{"from": "human", "value": prompt}, {"from": "gpt", "value": answer}]
    return {"id": 1, "image": f"/far/away/{episode}_{step}.png", "conversations": turns}


@pytest.fixture
def source(tmp_path, make_png):
    for name in ("episode_140_screenshot", "9187"):
        for k in range(9):
            (tmp_path / f"{name}_{k}.png").write_bytes(make_png((1000, 2000), (k, k, k)))

    def write(*rows):
        path = tmp_path / "ac_test.jsonl"
        path.write_bytes(
            b"\n".join(r if isinstance(r, bytes) else json.dumps(r).encode() for r in rows)
        )
        return path

    return write


def test_rows_of_one_episode(source, import_steps):
    steps = import_steps(AC, source(
        row("thoughts:\nopen it.\nactions:\nOPEN_APP [PocketBook]",
            task="Share it. You need to: open the app."),
        row("actions:\nCLICK <point>[[108,272]]</point>", 1,
            history="Step 1: open the app.\nStep 2: wait: really.\n\n"),
        row("actions:\nTYPE [a [b] c]", 2), row("actions:\nPRESS_BACK", 3),
        row("actions:\nLONG_PRESS <point>[[0,1000]]</point>", 4), row("actions:\nWAIT", 5),
        row("actions:\nPRESS_HOME", 6), row("actions:\nPRESS_RECENT", 7),
        row("actions:\nCOMPLETE", 8),
        row("actions:\nIMPOSSIBLE", 0, "9187"),
    ), "test")  # fmt: skip
    assert [(s.action_type, s.value) for s in steps] == [
        ("open_app", "PocketBook"), ("click", None), ("type", "a [b] c"), ("navigate_back", None),
        ("long_press", None), ("wait", None), ("navigate_home", None), ("press", "app_switch"),
        ("finish", None), ("finish", "impossible"),
    ]  # fmt: skip
    assert (steps[0].instruction, steps[0].step_instruction) == ("Share it.", "open the app.")
    assert steps[1].target_point_px == Point(108, 544)
    assert steps[1].target_box_px == Box(88, 524, 128, 564)
    assert steps[1].tags["target_box_source"] == "point"
    assert steps[1].history == ("open the app.", "wait: really.")
    assert steps[4].target_box_px == Box(0, 1980, 20, 2000)
    assert [s.num_steps for s in steps] == [9] * 9 + [1]


@pytest.mark.parametrize(("meaning", "expected"), [("finger", "down"), ("content", "up")])
def test_scrolls_need_to_be_explained(source, import_steps, meaning, expected):
    path = source(row("actions:\nSCROLL [UP]"))
    with pytest.raises(DataError, match="--option scroll=finger"):
        import_steps(AC, path, "test")
    assert import_steps(AC, path, "test", scroll=meaning)[0].value == expected


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (row("actions:\nFLY", 0, "9187"), "FLY"),
        (row("CLICK", 0, "9187"), "CLICK"),
        (row("actions:\nCLICK [[5,5]]", 0, "9187"), "CLICK [[5,5]]"),
        (row("actions:\nCLICK <point>[[5,1005]]</point>", 0, "9187"), "in the picture"),
        (row("actions:\nSCROLL [AWAY]", 0, "9187"), "AWAY"),
        (row("actions:\nWAIT", 0, "404"), "picture '404_0.png'"),
        (row("actions:\nWAIT", "x", "9187"), "image"),
        ({"image": None, "conversations": []}, "image"),
        ({"image": "9187_0.png", "conversations": []}, "the turn of"),
        (row(None, 0, "9187"), "the turn of 'gpt'"),
        ({"image": "9187_0.png", "conversations": [{"from": "human", "value": "hello"},
                                                   {"from": "gpt", "value": "WAIT"}]}, "Task"),
        (b"\xff", "not JSON"),
    ],
)  # fmt: skip
def test_bad_rows(source, import_steps, bad, message):
    path = source(row("actions:\nWAIT"), bad)
    with pytest.raises(DataError, match="line 2") as caught:
        import_steps(ODYSSEY, path, "test")
    assert message in str(caught.value)
    assert len(import_steps(ODYSSEY, path, "test", keep_going=True)) == 1


def test_real_rows(shared_data, tmp_path, make_png, import_steps):
    for k in range(3):
        (tmp_path / f"9187342439395422_{k}.png").write_bytes(make_png((1440, 3120)))
        (tmp_path / f"episode_140_screenshot_{k}.png").write_bytes(make_png((1080, 2400)))
    source = shared_data / "gui_odyssey" / "os_atlas" / "gui_odyssey_test.jsonl"
    steps = import_steps(ODYSSEY, source, "test", images=tmp_path)
    assert [s.step_id for s in steps] == [f"9187342439395422/{k}" for k in range(3)]
    assert {s.action_type for s in steps} == {"click"}
    assert steps[0].target_point_px.x == pytest.approx(683 * 1.44, abs=1e-3)
    source = shared_data / "androidcontrol" / "os_atlas" / "ac_test.jsonl"
    steps = import_steps(AC, source, "test", images=tmp_path)
    assert [s.action_type for s in steps] == ["open_app", "long_press", "click"]
    assert [len(s.history) for s in steps] == [0, 1, 2]
    assert steps[1].step_instruction == 'Long press on the "the Queen\'s Gambit" book.'
    # UI-S1 has this click at (117, 654) px of 1080 x 2400.
    assert steps[1].target_point_px.x == pytest.approx(117, abs=1)
    assert steps[1].target_point_px.y == pytest.approx(654, abs=2)
