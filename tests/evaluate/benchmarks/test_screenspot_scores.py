"""ScreenSpot v1, v2 and Pro by hand."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.benchmarks.screenspot import (
    ScreenSpotAnswer,
    count_categories,
    is_hit,
    screenspot_report,
)
from coepg.evaluate.benchmarks.screenspot_pro import (
    ScreenSpotProAnswer,
    official_blocks,
    official_row,
    screenspot_pro_report,
    verdict,
)
from coepg.types import Box, Point

BOX = Box(10, 20, 30, 40)
IN, OUT = Point(30, 40), Point(30.001, 40)
NUMBERS = st.floats(-1e4, 1e4, allow_nan=False)


def answer(platform, ui_type, point, image="a"):
    return ScreenSpotAnswer(image, platform, ui_type, BOX, point)


def pro(group, ui_type, point, app="excel", platform="windows"):
    return ScreenSpotProAnswer(
        "a", group, platform, app, "instruction", "positive", ui_type, BOX, point
    )


def test_edges_are_inside_and_nothing_is_rounded():
    assert is_hit(BOX, IN)
    assert is_hit(BOX, Point(10, 20))
    assert not is_hit(BOX, OUT)
    assert not is_hit(BOX, None)


@given(NUMBERS, NUMBERS, st.floats(0.01, 100))
def test_hits_do_not_depend_on_the_scale(x, y, factor):
    """Powers of two keep floats exact, so that edges stay edges."""
    scale = 2.0 ** round(math.log2(factor))
    big = Box(*(v * scale for v in BOX.as_tuple()))
    assert is_hit(BOX, Point(x, y)) == is_hit(big, Point(x * scale, y * scale))


@given(NUMBERS, NUMBERS, st.floats(0, 50))
def test_a_larger_box_keeps_every_hit(x, y, margin):
    wide = Box(10 - margin, 20 - margin, 30 + margin, 40 + margin)
    assert is_hit(wide, Point(x, y)) or not is_hit(BOX, Point(x, y))


def test_both_means_by_hand():
    answers = [
        answer("mobile", "text", IN),
        answer("mobile", "text", IN),
        answer("mobile", "text", OUT),
        answer("web", "icon", None),
    ]
    report = screenspot_report(answers, "v1")
    assert report.score("screenspot_v1_acc").estimate.value == pytest.approx(2 / 4)
    assert report.score("screenspot_v1_acc_category_mean").estimate.value == pytest.approx(1 / 3)
    assert report.score("screenspot_v1_acc", "mobile/text").estimate.n == 3
    assert report.score("screenspot_v1_acc", "web").estimate.value == 0
    assert (report.num_rows, report.num_unparsed) == (4, 1)
    assert count_categories(answers) == {"mobile/text": 3, "web/icon": 1}
    with pytest.raises(KeyError):
        screenspot_report(answers, "v2").score("screenspot_v1_acc")


def test_the_category_mean_of_equal_categories_is_the_micro_mean():
    answers = [
        answer(platform, ui_type, IN if platform == "web" else OUT, f"{platform}{ui_type}{n}")
        for platform in ("mobile", "desktop", "web")
        for ui_type in ("text", "icon")
        for n in range(4)
    ]
    report = screenspot_report(answers, "v2")
    micro = report.score("screenspot_v2_acc").estimate
    plain = report.score("screenspot_v2_acc_category_mean").estimate
    assert micro.value == pytest.approx(plain.value) == pytest.approx(1 / 3)
    assert micro.low <= micro.value <= micro.high


def test_pro_verdicts_and_tables_by_hand():
    answers = [
        pro("Office", "text", IN),
        pro("Office", "icon", OUT),
        pro("CAD", "text", None, "autocad"),
    ]
    assert [verdict(a) for a in answers] == ["correct", "wrong", "wrong_format"]
    blocks = official_blocks(answers)
    assert blocks["overall"] == {
        "num_correct_action": 1,
        "num_total": 3,
        "wrong_format_num": 1,
        "action_acc": 1 / 3,
        "text_acc": 1 / 2,
        "icon_acc": 0.0,
    }
    assert set(blocks) == {
        "fine_grained",
        "seeclick_style",
        "leaderboard_simple_style",
        "leaderboard_detailed_style",
        "overall",
    }
    assert blocks["leaderboard_simple_style"]["group:Office"]["action_acc"] == 1 / 2
    assert list(blocks["fine_grained"]) == [
        "plat:windows app:autocad inst_style:instruction gt_type:positive",
        "plat:windows app:excel inst_style:instruction gt_type:positive",
    ]
    report = screenspot_pro_report(answers)
    assert report.score("screenspot_pro_acc").estimate.value == pytest.approx(1 / 3)
    assert report.score("screenspot_pro_acc_group_mean").estimate.value == pytest.approx(1 / 4)


def test_pro_table_of_nothing_is_zero_as_in_the_official_script():
    assert official_row([])["action_acc"] == 0.0
