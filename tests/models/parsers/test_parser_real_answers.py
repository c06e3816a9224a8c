"""Real answers of public models: every one is read or refused with a reason, in known numbers.

The files are listed in docs/reference/answers.md; tests are skipped where they are absent.
"""

import json
import os
from pathlib import Path

import pytest

from coepg.models.parsers import count_parsing, get_parser
from coepg.models.profile import smart_resize
from coepg.types import Frame, Point, Size, Space

ROOT = Path(__file__).parents[3]
SHARED = Path(os.environ.get("COEPG_SHARED_DATA", ROOT.parent / "shared" / "data"))

MAX_PIXELS = 16_384 * 28 * 28
# Sizes of pictures of ScreenSpot-Pro.
SIZES = [
    *(
        Size(1920, 1080),
        Size(2160, 1440),
        Size(2560, 1440),
        Size(2560, 1600),
        Size(2560, 1664),
        Size(2880, 1800),
    ),
    *(Size(2992, 1870), Size(3024, 1964), Size(3456, 2160), Size(3456, 2234), Size(3840, 1080)),
    *(Size(3840, 2160), Size(5120, 1440), Size(5120, 2880), Size(6016, 3384)),
]


def need(path):
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"no {path} in the folder of public samples (COEPG_SHARED_DATA)")
    return found


def details(name):
    return json.loads(need(f"screenspot_pro/{name}").read_text(encoding="utf-8"))["details"]


def test_qwen_on_screenspot_pro():
    rows = details("qwen25vl.json")
    answers = [get_parser("qwen2_5_vl").parse(row["raw_response"]) for row in rows]
    counts = count_parsing(answers)
    assert (counts.total, counts.parsed, counts.clean) == (1581, 1581, 0)
    assert counts.repairs == {
        "action_as_function_name": 1581,
        "arguments_as_list": 5,
        "extra_closing_bracket": 2,
    }
    assert {answer.kind for answer in answers} == {"click"}
    # The official script could not read exactly those whose arguments are a list.
    wrong_format = [row["correctness"] == "wrong_format" for row in rows]
    assert wrong_format == ["arguments_as_list" in answer.repairs for answer in answers]


def test_qwen_with_a_prompt_that_confuses_it():
    rows = details("qwen25vldevice.json")
    answers = [get_parser("qwen2_5_vl").parse(row["raw_response"]) for row in rows]
    counts = count_parsing(answers)
    assert (counts.total, counts.parsed, counts.clean) == (1581, 1565, 0)
    assert counts.failures == {"too_many_keys": 11, "malformed_json": 3, "no_call": 2}
    kinds = [answer.kind for answer in answers]
    assert [kinds.count(kind) for kind in ("click", "press", "type")] == [918, 644, 3]
    official = [row["correctness"] != "wrong_format" for row in rows]
    ours = [answer.point is not None for answer in answers]
    assert sum(official) == 851
    assert all(mine for mine, theirs in zip(ours, official, strict=True) if theirs)


@pytest.mark.parametrize("name", ["qwen25vl.json", "qwen25vldevice.json"])
def test_points_agree_with_those_that_the_official_script_scored(name):
    """Mapped through one of the known picture sizes, a point is the script's, to 1e-6 px."""
    parser, unexplained, checked = get_parser("qwen2_5_vl"), [], 0
    for row in details(name):
        if row["pred"] is None:
            continue
        checked += 1
        point = parser.parse(row["raw_response"]).point
        mapped = [
            Frame(size, model=smart_resize(size, 28, 56 * 56, MAX_PIXELS)).convert(
                point, Space.IMAGE_PX
            )
            for size in SIZES
        ]
        gold = Point(*row["pred"])
        if not any(abs(p.x - gold.x) < 1e-6 and abs(p.y - gold.y) < 1e-6 for p in mapped):
            unexplained.append((row["task_filename"], point, gold))
    assert checked > 800
    assert unexplained == []


@pytest.mark.parametrize(
    ("path", "dialect", "kinds"),
    [
        ("androidcontrol/os_atlas/ac_test.jsonl", "os_atlas", ["open_app", "long_press", "click"]),
        (
            "androidcontrol/os_atlas/ac_low_test.jsonl",
            "os_atlas",
            ["open_app", "long_press", "click"],
        ),
        ("gui_odyssey/os_atlas/gui_odyssey_test.jsonl", "os_atlas_finger", ["click"] * 3),
    ],
)
def test_os_atlas_rows(path, dialect, kinds):
    rows = [json.loads(line) for line in need(path).read_text(encoding="utf-8").splitlines()]
    answers = [get_parser(dialect).parse(row["conversations"][-1]["value"]) for row in rows]
    assert [answer.kind for answer in answers] == kinds
    assert count_parsing(answers).clean == 3


def test_pyautogui_lines_of_a_desktop_trajectory():
    path = need("agentnetbench/s_7f27a11115e596eb.json")
    steps = json.loads(path.read_text(encoding="utf-8"))["steps"]
    answers = [get_parser("aguvis").parse(step["action"]) for step in steps]
    counts = count_parsing(answers)
    assert (counts.total, counts.clean, counts.warnings) == (11, 11, {"extra_calls": 2})
    kinds = [answer.kind for answer in answers]
    assert [kinds.count(k) for k in ("click", "type", "scroll", "finish")] == [7, 2, 1, 1]
    for step, answer in zip(steps, answers, strict=True):
        gold = step["ground_truth_actions"][0]
        if gold["type"] == "click":
            place = gold["params"]["position"]
            assert answer.point == Point(place["x"], place["y"], Space.NORM1)
