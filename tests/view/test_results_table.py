"""The results table in the terminal."""

import math

from coepg.evaluate.metrics import ResultRow
from coepg.view.data import ReportData
from coepg.view.pivot import format_value, main_arm, pivot
from coepg.view.table import results_table


def test_plain_table(report: ReportData) -> None:
    text = results_table(report.results, is_terminal=False)
    assert "\x1b" not in text
    assert "split test_seed" in text
    assert "*84.0 ±3.5" in text  # (0.87 - 0.80) / 2
    assert "67.0 ±3.5" in text
    assert "2.04 ±0.50" in text
    assert max(map(len, text.splitlines())) <= 120
    assert text.index("test_seed") < text.index("test_task")


def test_terminal_table_has_colours(report: ReportData) -> None:
    assert "\x1b[" in results_table(report.results, is_terminal=True)


def test_records_of_a_csv_file_are_taken_too(report: ReportData) -> None:
    records = [{k: str(v) for k, v in row.to_record().items()} for row in report.results]
    plain = results_table(records, is_terminal=False)
    assert plain == results_table(report.results, is_terminal=False)


def test_missing_numbers_are_dashes() -> None:
    rows = [
        ResultRow(1, "[bold]sft", "test", "step_sr", 0.5, 9, math.nan, math.nan),
        ResultRow(1, "grpo", "test", "ele_acc", math.nan, 0, math.nan, math.nan),
    ]
    text = results_table(rows, is_terminal=False)
    assert "[bold]sft" in text  # names are not markup
    lines = {line.split("|")[2].strip(): line for line in text.splitlines() if "|" in line}
    assert "*50.0 " in lines["[bold]sft"]
    assert lines["grpo"].count(" - ") == 2


def test_no_rows() -> None:
    assert results_table([], is_terminal=False) == "no results\n"


def test_pivot_orders_lines_and_finds_the_best(report: ReportData) -> None:
    first, _ = pivot(report.results)
    assert [(line.iteration, line.arm) for line in first.lines] == [
        (i, arm) for i in (1, 2, 3) for arm in ("sft", "grpo")
    ]
    assert first.best["step_sr"] == first.lines[-1].cells["step_sr"].value
    assert "episode_sr" not in first.metrics


def test_main_arm_has_most_iterations(report: ReportData) -> None:
    extra = ResultRow(3, "grpo_blank", "test_seed", "step_sr", 0.2, 9, 0.1, 0.3)
    assert main_arm([*report.results, extra]) == "grpo"
    assert main_arm([]) == ""


def test_values_as_people_read_them() -> None:
    assert format_value("step_sr", 0.8125) == "81.2"
    assert format_value("plan_diversity", 2.25) == "2.25"
    assert format_value("step_sr", math.nan) == "-"
