"""Mind2Web by hand, in three variants."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.benchmarks.mind2web import (
    MISS,
    Mind2WebStep,
    Mind2WebVerdict,
    judge_seeact,
    judge_seeclick,
    judge_uground,
    mind2web_report,
)
from coepg.evaluate.benchmarks.words import set_f1
from coepg.types import Box, Point

STEP = Mind2WebStep(
    "t_1", "t", "TYPE", "New York",
    positive_boxes_px=(Box(0, 0, 10, 10), Box(50, 50, 60, 60)),
    positive_ids=frozenset({"7", "9"}),
    predicted_op="TYPE", predicted_value="new york city",
    point_px=Point(55, 60), element_id="9",
)  # fmt: skip
WORDS = st.sets(st.sampled_from("abcdef"))


def test_uground_takes_any_box_and_lower_cased_words():
    verdict = judge_uground(STEP)
    assert verdict.element_hit
    assert verdict.op_f1 == pytest.approx(2 * 3 / (4 + 3))
    assert not verdict.step_success
    assert judge_uground(replace(STEP, predicted_value="NEW york")).step_success


def test_lone_punctuation_is_dropped_by_uground_and_kept_by_seeclick():
    dash = replace(
        STEP, gold_value="a - b", predicted_value="a b", positive_boxes_px=(Box(50, 50, 60, 60),)
    )
    assert judge_uground(dash).op_f1 == 1.0
    assert judge_seeclick(dash).op_f1 == pytest.approx(2 * 3 / (4 + 3))


def test_seeclick_reads_no_value_of_a_click():
    box = (Box(50, 50, 60, 60),)
    one = replace(STEP, gold_op="CLICK", gold_value="", predicted_op="CLICK",
                  predicted_value="something", positive_boxes_px=box)  # fmt: skip
    assert judge_seeclick(one) == Mind2WebVerdict(True, 1.0)
    assert judge_uground(one).op_f1 == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="needs one"):
        judge_seeclick(STEP)


def test_a_step_without_positive_candidate_differs_between_seeact_and_uground():
    none = replace(STEP, positive_boxes_px=(), positive_ids=frozenset(), predicted_value="New York")
    assert judge_seeact(none) == MISS
    assert judge_uground(none) == Mind2WebVerdict(False, 1.0)


def test_seeact_needs_the_chosen_element():
    assert judge_seeact(replace(STEP, predicted_value="new york")).step_success
    assert not judge_seeact(replace(STEP, element_id="8")).element_hit
    assert judge_seeact(replace(STEP, element_id=None)) == MISS


def test_missing_steps_fail_and_both_means_differ():
    good = replace(STEP, predicted_value="New York")
    steps = [
        replace(good, step_id="a_1", task_id="a"),
        replace(good, step_id="b_1", task_id="b"),
        replace(good, step_id="b_2", task_id="b", point_px=None),
    ]
    report = mind2web_report(steps, "uground", {"a": 1, "b": 5})
    value = {s.metric.name: s.estimate.value for s in report.scores}
    assert value["mind2web_uground_ele_acc"] == pytest.approx(2 / 6)
    assert value["mind2web_uground_ele_acc_macro"] == pytest.approx((1 + 1 / 5) / 2)
    assert value["mind2web_uground_op_f1"] == pytest.approx(3 / 6)
    assert value["mind2web_uground_task_sr"] == pytest.approx(1 / 2)
    assert report.num_unparsed == 3
    with pytest.raises(ValueError, match="task b has 1 steps"):
        mind2web_report(steps, "uground", {"b": 1})
    with pytest.raises(ValueError, match="twice"):
        mind2web_report([steps[0], steps[0]], "uground")


def test_seeclick_prints_the_mean_over_operations():
    one = replace(STEP, positive_boxes_px=(Box(50, 50, 60, 60),))
    steps = [
        replace(one, step_id="1", predicted_value="new york"),
        replace(one, step_id="2", gold_op="CLICK", gold_value=""),
        replace(one, step_id="3", gold_op="CLICK", gold_value="", predicted_op=None),
    ]
    report = mind2web_report(steps, "seeclick")
    assert report.score("mind2web_seeclick_op_f1").estimate.value == pytest.approx(1 / 3)
    assert report.score("mind2web_seeclick_op_f1_op_mean").estimate.value == pytest.approx(1 / 2)


@given(WORDS, WORDS)
def test_f1_is_bounded_symmetric_and_1_only_for_equal_sets(a, b):
    value = set_f1(a, b)
    assert 0 <= value <= 1
    assert value == set_f1(b, a)
    assert (value == 1) == (a == b)


@given(WORDS, WORDS, st.sampled_from("abcdef"))
def test_f1_grows_with_a_common_word(a, b, word):
    assert set_f1(a | {word}, b | {word}) >= set_f1(a - {word}, b - {word}) or a == b
