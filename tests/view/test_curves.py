"""Curves from metrics.jsonl and from results, and their drawing."""

import math
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.evaluate.metrics import ResultRow
from coepg.view.curves import (
    MAX_POINTS,
    curves_from_metrics,
    curves_from_results,
    stage_times_from_metrics,
    thin,
)
from coepg.view.data import Curve, Series
from coepg.view.svg import line_chart

ROWS = [
    {"stage": "sft", "iteration": 1, "step": 0, "loss": 2.0},
    {"stage": "sft", "iteration": 1, "step": 1, "loss": 1.0},
    {"stage": "sft", "iteration": 2, "step": 0, "loss": 0.5, "note": "text", "flag": True},
    {"stage": "grpo", "iteration": 1, "step": 0, "loss": math.nan, "reward_mean": 0.4},
    {"stage": "grpo", "iteration": 1, "step": 1, "member_weight": {"ocr": 0.2, "other": None}},
    {"stage": "grpo", "iteration": 2, "step": 0, "member_weight/ocr": 0.3},
    {"stage": "sft", "iteration": 1, "stage_seconds": 9.0},
    {"stage": "sft", "iteration": 1, "stage_seconds": 12.5},
]


def test_one_chart_per_stage_and_a_line_per_iteration() -> None:
    curves = {c.title: c for c in curves_from_metrics(ROWS)}
    assert set(curves) == {"Loss, sft", "Mean reward, grpo", "Member weight"}
    assert curves["Loss, sft"].series == (
        Series("iteration 1", ((0.0, 2.0), (1.0, 1.0))),
        Series("iteration 2", ((0.0, 0.5),)),
    )


def test_members_run_through_all_iterations() -> None:
    (curve,) = [c for c in curves_from_metrics(ROWS) if c.title == "Member weight"]
    assert curve.series == (Series("ocr", ((1.0, 0.2), (2.0, 0.3))),)
    assert curve.marks == ((0.0, "iteration 1"), (2.0, "iteration 2"))


def test_stage_times_take_the_last_word() -> None:
    (time,) = stage_times_from_metrics(ROWS)
    assert (time.iteration, time.stage, time.seconds) == (1, "sft", 12.5)


def test_results_over_iterations() -> None:
    rows = [
        ResultRow(i, arm, "test", "step_sr", 0.5 + 0.1 * i, 10, 0.4, 0.9)
        for i in (2, 1)
        for arm in ("sft", "grpo")
    ]
    (curve,) = curves_from_results(rows)
    assert (curve.title, curve.is_share) == ("Step SR, test", True)
    assert [s.name for s in curve.series] == ["sft", "grpo"]
    assert curve.series[0].points == ((1.0, 0.6), (2.0, 0.7))
    assert curve.series[0].bands == ((0.4, 0.9), (0.4, 0.9))
    assert curves_from_results(rows[:2]) == ()  # one iteration makes no curve


@given(st.lists(st.tuples(st.integers(0, 9999), st.floats(-5, 5)), max_size=600))
def test_thinning_keeps_range_and_order(points: list[tuple[float, float]]) -> None:
    found = thin(points)
    assert len(found) <= MAX_POINTS
    assert [x for x, _ in found] == sorted(x for x, _ in found)
    if points:
        assert min(y for _, y in found) >= min(y for _, y in points) - 1e-9


finite = st.floats(-1e6, 1e6)


@given(
    st.lists(st.lists(st.tuples(finite, finite), max_size=5), max_size=3),
    st.booleans(),
    st.text(max_size=20).filter(lambda t: t.isprintable()),
)
def test_any_curve_gives_well_formed_svg(lines, is_share: bool, title: str) -> None:
    series = tuple(Series(title, tuple(sorted(line))) for line in lines)
    text = line_chart(Curve(title, series, is_share=is_share, marks=((0.0, title),)))
    root = ElementTree.fromstring(text)
    assert "nan" not in text.replace(str(title), "")
    if any(lines):
        assert root.tag == "svg"
        assert root.get("aria-label") == title


@pytest.mark.parametrize("values", [(0.0, 0.0), (3.0, 3.0), (-2.0, -2.0)])
def test_flat_lines_are_drawn(values: tuple[float, float]) -> None:
    text = line_chart(Curve("flat", (Series("a", ((0, values[0]), (1, values[1]))),)))
    assert "polyline" in text
