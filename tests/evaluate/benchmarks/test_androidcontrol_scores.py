"""AndroidControl: five rules on the same answers."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.benchmarks.androidcontrol.agentcpm import match_agentcpm
from coepg.evaluate.benchmarks.androidcontrol.os_atlas import match_os_atlas
from coepg.evaluate.benchmarks.androidcontrol.qwen import match_infigui, match_ui_s1
from coepg.evaluate.benchmarks.androidcontrol.rules import RULES
from coepg.evaluate.benchmarks.androidcontrol.steps import (
    AndroidAction,
    AndroidStep,
    ScreenNode,
    androidcontrol_report,
)
from coepg.evaluate.benchmarks.androidcontrol.uground import match_uground
from coepg.types import Box, Point, Size, Space


def at(x, y):
    return Point(x, y, Space.NORM1000)


def box(*corners):
    return Box(*corners, Space.NORM1000)


def click(x, y, kind="click"):
    return AndroidAction(kind, at(x, y))


def step(gold, predicted, **more):
    return AndroidStep("e", 0, gold, predicted, 1, size_px=Size(1000, 2000), **more)


ALL = [match_os_atlas, match_ui_s1, match_infigui, match_uground, match_agentcpm]
TARGET = box(480, 480, 520, 500)
GOLD = click(500, 490)


def test_the_disc_of_14_percent_has_a_sharp_edge():
    assert match_os_atlas(step(GOLD, click(500, 630))).success
    assert match_os_atlas(step(GOLD, click(584, 602))).success
    assert not match_os_atlas(step(GOLD, click(500, 631))).success
    assert not match_os_atlas(step(GOLD, click(600, 590))).success


def test_box_enlarged_one_fifth_or_4_percent():
    near_box = step(GOLD, click(524, 490), boxes_norm1000=(TARGET,))
    assert match_ui_s1(near_box).success
    wide = box(0, 480, 1000, 500)
    assert match_ui_s1(step(GOLD, click(900, 502), boxes_norm1000=(wide,))).success
    assert not match_ui_s1(step(GOLD, click(900, 503), boxes_norm1000=(wide,))).success
    assert match_ui_s1(step(GOLD, click(500, 530))).success
    assert not match_ui_s1(step(GOLD, click(500, 530.1))).success


def test_infigui_measures_in_pixels_of_the_longer_side():
    sideways = step(GOLD, click(570, 490))
    assert match_infigui(sideways).success
    assert not match_ui_s1(sideways).success
    with pytest.raises(ValueError, match="size"):
        match_infigui(replace(sideways, size_px=None))


def test_scroll_direction_counts_except_for_ui_s1():
    wrong = step(AndroidAction("scroll", direction="up"), AndroidAction("scroll", direction="down"))
    assert [rule(wrong).success for rule in ALL] == [False, True, False, False, False]


def test_text_rules_differ():
    def typed(gold, predicted, kind="type"):
        return step(AndroidAction(kind, text=gold), AndroidAction(kind, text=predicted))

    assert match_os_atlas(typed("new york", "New orleans")).success
    assert not match_os_atlas(typed("york", "york city")).success  # "[york]" against "[york"
    assert match_ui_s1(typed("York", "new york city")).success
    assert not match_ui_s1(typed("new york", "new orleans")).success
    assert not match_uground(typed("York", "york")).success
    assert match_uground(typed("York", "York")).success
    assert match_agentcpm(typed("York", "new york city")).success


def test_a_click_on_the_icon_opens_the_app():
    gold = AndroidAction("open_app", text="Clock")
    found = step(
        gold, click(500, 490), boxes_norm1000=(TARGET,), nodes=(ScreenNode(TARGET, "clock"),)
    )
    assert match_ui_s1(found).success
    assert match_uground(found).success
    assert not match_os_atlas(found).success
    elsewhere = replace(found, predicted=click(100, 100))
    assert not match_ui_s1(elsewhere).success
    assert not match_uground(elsewhere).success
    assert not match_ui_s1(replace(found, boxes_norm1000=())).type_match


def test_uground_back_and_the_smallest_node():
    outer, inner = ScreenNode(box(0, 0, 1000, 1000)), ScreenNode(TARGET, description="Go Back")
    back = AndroidAction("press", button="back")
    assert match_uground(step(back, click(500, 490), nodes=(outer, inner))).success
    assert not match_uground(step(back, click(100, 100), nodes=(outer, inner))).success
    assert match_uground(step(GOLD, back, nodes=(outer, inner))).success
    assert match_uground(step(GOLD, click(520, 500), nodes=(outer, inner))).success
    assert not match_uground(step(GOLD, click(521, 500), nodes=(outer, inner))).success
    home = AndroidAction("press", button="home")
    assert not match_uground(step(GOLD, home, nodes=(outer, inner))).success


def test_agentcpm_takes_the_five_nearest_boxes_and_folds_kinds():
    near = [box(100 * i, 400, 100 * i + 60, 460) for i in range(9)]
    gold = click(430, 430)
    inside_third = step(gold, click(630, 430), boxes_norm1000=tuple(near))
    assert match_agentcpm(inside_third).success
    assert not match_agentcpm(replace(inside_third, predicted=click(830, 430))).success
    assert match_agentcpm(step(click(5, 5, "long_press"), click(5, 5))).success
    assert match_agentcpm(step(AndroidAction("finish"), AndroidAction("wait"))).success
    assert not match_ui_s1(step(AndroidAction("finish"), AndroidAction("wait"))).type_match


def test_report_counts_parse_failures_and_whole_episodes():
    right = AndroidStep("a", 0, AndroidAction("wait"), AndroidAction("wait"), 2)
    steps = [
        right,
        replace(right, position=1, predicted=None),
        replace(right, episode_id="b", num_steps=1),
        replace(right, episode_id="c", num_steps=9),
        replace(right, episode_id="d", gold=AndroidAction("open_app", text="x")),
    ]
    report = androidcontrol_report(steps, list(RULES.values()))
    assert report.num_unparsed == 1
    assert report.score("androidcontrol_os_atlas_step_acc").estimate.value == pytest.approx(3 / 5)
    assert (
        report.score("androidcontrol_os_atlas_step_acc_macro").estimate.value == (0.5 + 1 + 1) / 4
    )
    assert report.score("androidcontrol_agentcpm_step_acc").estimate.n == 4
    success = report.score("androidcontrol_ui_s1_episode_sr").estimate
    assert (success.value, success.n) == (0.5, 2)
    assert report.score("androidcontrol_ui_s1_goal_progress").estimate.value == pytest.approx(0.75)
    assert any("leaves out 1 steps" in note for note in report.notes)


@pytest.mark.parametrize("rule", ALL)
@given(x=st.floats(0, 1000), y=st.floats(0, 1000))
def test_the_gold_answer_is_right_by_every_rule(rule, x, y):
    node = box(0, 0, 1000, 1000)
    gold = click(x, y)
    exact = step(gold, gold, boxes_norm1000=(node,), nodes=(ScreenNode(node),))
    assert rule(exact).success
    assert not rule(replace(exact, predicted=None)).success


@given(x=st.integers(0, 1000), y=st.integers(0, 1000), t=st.floats(0, 1))
def test_moving_towards_the_gold_point_never_turns_a_disc_hit_into_a_miss(x, y, t):
    nearer = click(500 + t * (x - 500), 490 + t * (y - 490))
    for rule in (match_os_atlas, match_ui_s1, match_infigui):
        if rule(step(GOLD, click(x, y))).success:
            assert rule(step(GOLD, nearer)).success
