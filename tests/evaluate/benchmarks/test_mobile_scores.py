"""GUI-Odyssey, AITW, AITZ and trajectories by hand."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.benchmarks.aitw import (
    BACK,
    DUAL_POINT,
    HOME,
    TYPE,
    AitwAction,
    AitwStep,
    aitw_report,
    match_aitw,
    taps_match,
)
from coepg.evaluate.benchmarks.aitz import (
    AitzAction,
    AitzStep,
    aitz_report,
    click_matches_coat,
    match_agentcpm,
    match_coat,
)
from coepg.evaluate.benchmarks.androidcontrol.semi_online import (
    SemiOnlineEpisode,
    semi_online_report,
)
from coepg.evaluate.benchmarks.boxes import box_iou, enlarged, enlarged_from_corner
from coepg.evaluate.benchmarks.gui_odyssey import (
    OdysseyAction,
    OdysseyStep,
    gui_odyssey_report,
    match_odyssey,
    match_os_atlas,
    text_matches,
)
from coepg.evaluate.benchmarks.outcomes import leading_share
from coepg.evaluate.benchmarks.registry import BENCHMARK_METRICS
from coepg.evaluate.definitions import METRICS
from coepg.types import Box, Point, Size, Space


def odyssey(gold, predicted, **more):
    return OdysseyStep("e", 0, gold, predicted, **more)


def touch(x, y, kind="CLICK"):
    return OdysseyAction(kind, Point(x, y, Space.NORM1000))


def test_odyssey_disc_and_sam_box():
    gold = touch(500, 500)
    assert match_odyssey(odyssey(gold, touch(500, 640)))
    far = odyssey(gold, touch(900, 500))
    assert not match_odyssey(far)
    boxed = replace(far, sam2_box_norm1000=Box(400, 400, 900, 600, Space.NORM1000))
    assert match_odyssey(boxed)
    assert not match_os_atlas(boxed)
    assert not match_odyssey(odyssey(gold, touch(500, 500, "LONG_PRESS")))
    assert not match_odyssey(odyssey(gold, OdysseyAction("CLICK")))


def test_odyssey_text_rules_differ():
    gold = OdysseyAction("TYPE", text="new york")
    swapped = odyssey(gold, OdysseyAction("TYPE", text="york new"))
    assert text_matches("abcd", "abxy") and not text_matches("abcd", "axyz")
    assert text_matches("abc", "")  # the empty text is contained in every text
    assert match_odyssey(odyssey(gold, OdysseyAction("TYPE", text="new yor")))
    assert not match_os_atlas(swapped)  # "[york" and "new]" are other words than "[new", "york]"
    assert match_odyssey(
        odyssey(OdysseyAction("SCROLL", text="UP"), OdysseyAction("SCROLL", text="up"))
    )


def test_odyssey_means_and_whole_episodes():
    right = odyssey(touch(1, 1), touch(1, 1), num_steps=1, category="Shopping")
    wrong = replace(right, predicted=None)
    steps = [
        right,
        replace(right, episode_id="f", num_steps=2, category="Tool"),
        replace(wrong, episode_id="f", num_steps=2, category="Tool", position=1),
        replace(wrong, episode_id="g", num_steps=5, category="Tool"),
    ]
    report = gui_odyssey_report(steps)
    value = {s.metric.name: (s.estimate.value, s.estimate.n) for s in report.scores if not s.part}
    assert value["gui_odyssey_ams"] == (0.5, 4)
    assert value["gui_odyssey_ams_category_mean"][0] == pytest.approx((1 + 1 / 3) / 2)
    assert value["gui_odyssey_sr"] == (0.5, 2)
    assert value["gui_odyssey_sr_category_mean"] == (0.5, 2)
    assert report.num_unparsed == 2
    bare = gui_odyssey_report([replace(s, category="") for s in steps])
    assert "no categories" in bare.notes[0]


def at(x, y):
    return Point(x, y, Space.NORM1)


def gesture(x0, y0, x1=None, y1=None):
    return AitwAction(
        DUAL_POINT, at(x0, y0), at(x0 if x1 is None else x1, y0 if y1 is None else y1)
    )


def aitw(gold, predicted, boxes=()):
    return AitwStep("e", 0, "general", gold, predicted, boxes, 1)


def test_aitw_taps_by_distance_or_shared_box():
    box = Box(0.4, 0.4, 0.6, 0.45, Space.NORM1)
    assert match_aitw(aitw(gesture(0.5, 0.5), gesture(0.5, 0.63)))
    far = aitw(gesture(0.3, 0.42), gesture(0.7, 0.42))
    assert not match_aitw(far)
    assert match_aitw(replace(far, boxes_norm1=(box,)))  # x: 0.4 - 0.14 to 0.26 + 0.48
    assert not match_aitw(aitw(gesture(0.2, 0.42), gesture(0.7, 0.42), (box,)))


def test_aitw_swipes_by_axis_and_other_types_by_type():
    up, down, left = (
        gesture(0.5, 0.8, 0.5, 0.2),
        gesture(0.5, 0.2, 0.5, 0.8),
        gesture(0.8, 0.5, 0.2, 0.5),
    )
    assert match_aitw(aitw(up, down))
    assert not match_aitw(aitw(up, left))
    assert not match_aitw(aitw(up, gesture(0.5, 0.5)))
    assert match_aitw(aitw(AitwAction(TYPE, text="a"), AitwAction(TYPE, text="b")))
    assert not match_aitw(aitw(AitwAction(BACK), AitwAction(HOME)))
    assert not match_aitw(aitw(gesture(0.5, 0.5), AitwAction(BACK)))
    assert not match_aitw(aitw(AitwAction(BACK), None))


def test_aitw_report_by_hand():
    right = aitw(AitwAction(TYPE, text="Abc"), AitwAction(TYPE, text="ab"))
    steps = [
        right,
        replace(right, episode_id="f", subset="single", predicted=None),
        replace(right, episode_id="g", subset="single", predicted=AitwAction(TYPE, text="z")),
        replace(right, episode_id="h", subset="single"),
    ]
    report = aitw_report(steps)
    value = {s.metric.name: s.estimate.value for s in report.scores if not s.part}
    assert value["aitw_action_acc"] == 0.75
    assert value["aitw_action_acc_subset_mean"] == pytest.approx((1 + 2 / 3) / 2)
    assert value["aitw_text_acc"] == 0.5
    assert value["aitw_episode_sr"] == 0.75


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_taps_match_both_ways(a, b, c, d):
    boxes = (Box(0.1, 0.1, 0.3, 0.2, Space.NORM1),)
    assert taps_match(at(a, b), at(c, d), boxes) == taps_match(at(c, d), at(a, b), boxes)


def test_enlarging_from_the_corner_moves_boxes_at_the_border():
    at_border = Box(0, 0, 0.2, 0.2, Space.NORM1)
    assert enlarged_from_corner(at_border, 2.0, 1).as_tuple() == (0, 0, 0.4, 0.4)
    assert enlarged(at_border, 2.0).as_tuple() == pytest.approx((-0.1, -0.1, 0.3, 0.3))


@given(*[st.floats(0, 500)] * 4, st.floats(1, 3))
def test_an_enlarged_box_holds_the_box(x, y, w, h, factor):
    box = Box(x, y, x + w, y + h)
    large = enlarged(box, factor)
    assert large.contains(box.center)
    assert large.x0 <= box.x0 and large.y1 >= box.y1
    assert 0 <= box_iou(box, large) <= 1 + 1e-9


SIZE = Size(200, 400)
BUTTON = Box(100, 100, 140, 120)


def aitz(gold, predicted, boxes=(BUTTON,)):
    return AitzStep("e", 0, 1, SIZE, gold, predicted, boxes)


def test_coat_accepts_boxes_around_the_point_or_the_same_element():
    touch_px = Point(138, 118)
    assert click_matches_coat(touch_px, Box(120, 105, 137, 117), ())
    same_element = Box(100, 100, 130, 113)
    assert not click_matches_coat(touch_px, same_element, ())
    assert click_matches_coat(touch_px, Box(98, 99, 132, 114), (BUTTON,))
    assert not click_matches_coat(touch_px, Box(0, 0, 20, 20), (BUTTON,))
    gold = AitzAction("click", touch_px)
    assert match_coat(aitz(gold, AitzAction("click", box_px=BUTTON)))
    assert not match_coat(aitz(gold, AitzAction("click")))


def test_agentcpm_accepts_points_in_the_same_element_or_near():
    gold = AitzAction("click", Point(120, 110))
    assert match_agentcpm(aitz(gold, AitzAction("click", Point(141, 121))))
    assert match_agentcpm(aitz(gold, AitzAction("click", Point(147, 110)), ()))
    assert not match_agentcpm(aitz(gold, AitzAction("click", Point(149, 110)), ()))
    assert not match_agentcpm(aitz(gold, AitzAction("click", Point(200, 300))))


def test_aitz_compares_text_and_direction():
    typed = aitz(AitzAction("type", text="Boston"), AitzAction("type", text="boston"))
    assert match_agentcpm(typed)
    assert match_coat(typed)  # 5 of 6 letters agree: ratio 0.83
    assert not match_coat(replace(typed, predicted=AitzAction("type", text="BOSTON")))
    scroll = aitz(AitzAction("scroll", direction="up"), AitzAction("scroll", direction="down"))
    assert not match_coat(scroll)
    report = aitz_report([typed, replace(scroll, episode_id="f")], "coat")
    assert report.score("aitz_coat_step_acc").estimate.value == 0.5
    assert report.score("aitz_coat_type_acc").estimate.value == 1.0
    assert report.score("aitz_coat_grounding_acc").estimate.n == 0


@given(st.lists(st.booleans(), min_size=1))
def test_progress_is_1_only_for_whole_success(successes):
    value = leading_share(successes)
    assert 0 <= value <= 1
    assert (value == 1) == all(successes)
    assert value <= sum(successes) / len(successes)


def test_semi_online_by_hand():
    report = semi_online_report([SemiOnlineEpisode("a", 4, 4), SemiOnlineEpisode("b", 4, 1)])
    assert report.score("androidcontrol_semi_online_sr").estimate.value == 0.5
    assert report.score("androidcontrol_semi_online_progress").estimate.value == 0.625
    with pytest.raises(ValueError, match="at least one"):
        leading_share([])


def test_every_definition_says_what_it_counts():
    assert not set(BENCHMARK_METRICS) & set(METRICS)
    for name, definition in BENCHMARK_METRICS.items():
        assert definition.name == name
        assert definition.version >= 1
        assert definition.text.endswith(".")
        assert definition.label


def test_the_metrics_reference_is_current():
    tool = Path(__file__).parents[3] / "tools" / "metric_reference.py"
    done = subprocess.run([sys.executable, str(tool), "--check"], check=False)
    assert done.returncode == 0, "run: python tools/metric_reference.py"
