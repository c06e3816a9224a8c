"""The report in a real browser: pictures shown, filters work, nothing on the console."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from coepg.view.data import ReportData
from coepg.view.report import write_report

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser() -> Iterator["sync_api.Browser"]:
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.executable_path
        path = found if Path(found).exists() else shutil.which("chromium")
        if path is None:
            pytest.skip("no Chromium on this machine")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(
    browser: "sync_api.Browser", report: ReportData, tmp_path: Path
) -> Iterator["sync_api.Page"]:
    path = write_report(tmp_path / "report.html", report)
    page = browser.new_page(viewport={"width": 390, "height": 844})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url[:80]))
    page.goto(path.as_uri())
    yield page
    assert complaints == []
    page.close()


def shown(page: "sync_api.Page") -> list[dict[str, str]]:
    return page.evaluate(
        "[...document.querySelectorAll('.card')].filter(c => c.offsetParent)"
        ".map(c => ({...c.dataset}))"
    )


def test_pictures_are_shown_enlarged_and_sharp(page: "sync_api.Page") -> None:
    pictures = page.evaluate(
        "[...document.images].map(i => [i.naturalWidth, i.naturalHeight, i.clientWidth,"
        " getComputedStyle(i).imageRendering])"
    )
    assert pictures == [[160, 210, 320, "pixelated"]] * 12


def test_page_fits_a_phone(page: "sync_api.Page") -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_gold_box_lies_where_it_should(page: "sync_api.Page", report: ReportData) -> None:
    card = report.examples[0]
    assert card.gold_box_px is not None
    found = page.evaluate(
        "(() => { const card = document.querySelector('.card');"
        " const image = card.querySelector('img').getBoundingClientRect();"
        " const box = card.querySelector('rect.gold:not(.under)').getBoundingClientRect();"
        " return [box.left - image.left, box.top - image.top, box.right - image.left,"
        " box.bottom - image.top]; })()"
    )
    assert found == pytest.approx([2 * v for v in card.gold_box_px], abs=0.6)


def test_filters(page: "sync_api.Page", report: ReportData) -> None:
    assert len(shown(page)) == 12
    page.get_by_role("button", name="wrong", exact=True).click()
    expected = [c for c in report.examples if not c.is_right]
    assert len(shown(page)) == len(expected) > 0
    assert {card["outcome"] for card in shown(page)} == {"wrong"}
    page.get_by_role("button", name="test_task", exact=True).click()
    assert {card["split"] for card in shown(page)} == {"test_task"}
    page.get_by_role("button", name="all", exact=True).click()
    page.get_by_role("button", name="all splits", exact=True).click()
    page.get_by_label("Task", exact=True).select_option("enter-text")
    assert {card["task"] for card in shown(page)} == {"enter-text"}
    page.get_by_label("Iteration and arm").select_option("iteration 3, sft")
    assert page.locator("#shown").inner_text() == f"{len(shown(page))} of 12"
    page.get_by_label("Task", exact=True).select_option("")
    page.get_by_label("Iteration and arm").select_option("")
    assert len(shown(page)) == 12


def test_impossible_filter_says_so(page: "sync_api.Page", report: ReportData) -> None:
    sft = {c.task_name for c in report.examples if c.arm == "sft"}
    missing = next(c.task_name for c in report.examples if c.task_name not in sft)
    page.get_by_label("Iteration and arm").select_option("iteration 3, sft")
    page.get_by_label("Task", exact=True).select_option(missing)
    assert page.get_by_text("No example fits").is_visible()


def test_chart_reads_out_values(page: "sync_api.Page") -> None:
    page.locator("svg.chart").first.hover()
    readout = page.locator(".readout").first
    assert readout.is_visible()
    assert "iteration 2\nsft: 74.0 %\ngrpo: 77.0 %" in readout.inner_text()
