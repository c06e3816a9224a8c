"""OmniACT scripts and scores by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.benchmarks.omniact import (
    OmniActTask,
    click_penalty,
    judge_omniact,
    judge_omniact_uground,
    letter_bleu,
    omniact_report,
    sequence_matches,
    write_penalty,
)
from coepg.evaluate.benchmarks.omniact_script import (
    FUNCTIONS,
    parse_answer,
    parse_line,
    parse_task,
)
from coepg.types import Box, Point

LINES = {
    "click": "pyautogui.click(20.0,15.0)",
    "rightClick": "pyautogui.rightClick(20.0,15.0)",
    "doubleClick": "pyautogui.doubleClick(20.0,15.0)",
    "moveTo": "pyautogui.moveTo(20.0,15.0)",
    "dragTo": 'pyautogui.dragTo(20.0,15.0, button="left")',
    "scroll": "pyautogui.scroll(-10)",
    "hscroll": "pyautogui.hscroll(10)",
    "write": 'pyautogui.write("Hello")',
    "press": 'pyautogui.press("enter")',
    "hotkey": 'pyautogui.hotkey("ctrl", "c")',
}
BOX = Box(0, 0, 40, 30)
TEXTS = st.text("abAB ", max_size=12)


def task(gold, answer, boxes=(BOX,)):
    script = "Task: x\nOutput Script:\n" + "\n".join(gold)
    return OmniActTask("1", parse_task(script), parse_answer("\n".join(answer)), boxes)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_matches_itself_and_no_other(name):
    assert parse_line(LINES[name]).name == name
    assert judge_omniact(task([LINES[name]], [LINES[name]])).action == 1.0
    others = [other for other in FUNCTIONS if other != name]
    assert not any(sequence_matches(task([LINES[name]], [LINES[o]])) for o in others)


def test_lower_casing_gold_lines_loses_four_functions():
    lost = {
        name
        for name, line in LINES.items()
        if judge_omniact_uground(task([line], [line])).sequence == 0
    }
    assert lost == {"rightClick", "doubleClick", "moveTo", "dragTo"}
    typed = judge_omniact_uground(task([LINES["write"]], [LINES["write"]]))
    assert (typed.sequence, typed.action) == (
        1.0,
        pytest.approx(1 - 1 + letter_bleu("hello", "Hello")),
    )


def test_penalties_are_means_over_lines():
    gold = [LINES["click"], LINES["press"], LINES["hotkey"], LINES["scroll"]]
    answer = ["pyautogui.click(100, 15)", 'pyautogui.press("tab")',
              "pyautogui.hotkey('c', 'ctrl')", "pyautogui.scroll(5)"]  # fmt: skip
    verdict = judge_omniact(task(gold, answer))
    assert verdict.click == pytest.approx((1 - 50 / (50 + 60)) / 4)
    assert verdict.press == pytest.approx(1 / 4)
    assert verdict.action == pytest.approx(1 - verdict.click - 1 / 4)
    assert verdict.weight == pytest.approx(3.1)


def test_length_and_order_count():
    both = [LINES["click"], LINES["press"]]
    assert judge_omniact(task(both, both[:1])).sequence == 0
    assert judge_omniact(task(both, both[::-1])).sequence == 0
    assert not judge_omniact(task(both, ["I cannot do that."])).is_parsed


def test_a_gold_point_without_a_box_costs_nothing_and_a_missing_point_all():
    assert judge_omniact(task([LINES["click"]], ["pyautogui.click(1,1)"], ())).action == 1.0
    described = judge_omniact(task([LINES["click"]], ['pyautogui.click("the button")']))
    assert (described.sequence, described.action) == (1.0, 0.0)
    assert judge_omniact_uground(task([LINES["click"]], ['pyautogui.click("b")'])).action == 1.0


def test_answers_are_parsed_not_run():
    calls = parse_answer(
        "```python\nimport pyautogui\npyautogui.click(__import__('os').getpid(), 2)\n```"
    )
    assert [(c.name, c.point_px) for c in calls] == [("click", None)]
    assert parse_answer("pyautogui.write('unclosed")[0].name == "write"
    assert parse_line("click(1,2)").name == ""


def test_scores_are_weighted_by_gold_lines():
    long = task([LINES["click"]] * 3, [LINES["click"]] * 3)
    short = task([LINES["click"]], [LINES["press"]])
    report = omniact_report([long, short], has_points=True)
    assert report.score("omniact_sequence_score").estimate.value == pytest.approx(2.1 / 2.2)
    assert report.score("omniact_action_score").estimate.value == pytest.approx(2.1 / 2.2)
    plan_only = omniact_report([long, short], has_points=False)
    assert [s.metric.name for s in plan_only.scores] == [
        "omniact_sequence_score",
        "omniact_uground_sequence_score",
    ]


def test_a_task_without_a_script_weighs_negative_in_ugrounds_sum_and_nothing_in_ours():
    empty, right = task([], [LINES["click"]]), task([LINES["click"]] * 3, [LINES["click"]] * 3)
    report = omniact_report([right, empty, task([LINES["press"]] * 2, [])], has_points=True)
    assert report.score("omniact_sequence_score").estimate.value == pytest.approx(2.1 / 3.2)
    uground = report.score("omniact_uground_sequence_score").estimate
    assert uground.value == pytest.approx(2.1 / (2.1 + 1.1 - 0.9))
    assert "1 tasks have no gold script" in report.notes[0]


def test_bleu_by_hand():
    """abcd against abce: letters 3/4, pairs 2/3, equal length."""
    assert letter_bleu("abcd", "abce") == pytest.approx((3 / 4 * 2 / 3) ** 0.5)
    assert letter_bleu("a", "a") == 0 and write_penalty("a", "a") == 0
    assert letter_bleu("abcdef", "abcd") == pytest.approx(2.718281828 ** (1 - 6 / 4))
    assert write_penalty("abc", "") == 1


@given(TEXTS, TEXTS)
def test_write_penalty_is_a_share_and_zero_only_for_equal_texts(a, b):
    assert 0 <= write_penalty(a, b) <= 1
    assert write_penalty(a, a) == 0


@given(st.floats(0, 1000), st.floats(0, 1000), st.sampled_from([0.5, 2.0, 8.0]))
def test_click_penalty_is_a_share_grows_outwards_and_has_no_scale(dx, more, scale):
    near, far = Point(40 + dx, 15), Point(40 + dx + more, 15)
    assert 0 <= click_penalty(BOX, near) <= click_penalty(BOX, far) < 1
    large = Box(*(v * scale for v in BOX.as_tuple()))
    scaled = click_penalty(large, Point(near.x * scale, near.y * scale))
    assert scaled == pytest.approx(click_penalty(BOX, near))
    assert click_penalty(BOX, Point(20, 15)) == 0
