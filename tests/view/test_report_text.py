"""The report as text: complete, escaped, small, and safe to write."""

import io
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from coepg.errors import DataError
from coepg.view.data import ReportData
from coepg.view.images import png_data_uri
from coepg.view.report import format_duration, render_report, write_report


def test_everything_is_on_the_page(report: ReportData) -> None:
    page = render_report(report)
    for text in (
        "Co-EPG on MiniWoB++",
        "num_generations = 7",
        "torch",
        "24 GiB",
        "Split test_seed",
        "Purity %",
        "Share of sampled plans that grounders execute",
        "Member weight",
        "2 min 40 s",
        "email-inbox",
        "blank picture",
        "could not be parsed",
        "[textbox] Name -&gt; type: bob",
    ):
        assert text in page
    assert page.count("<article") == len(report.examples)
    assert page.count("data:image/png;base64,") == len(report.examples)


def test_text_is_escaped(report: ReportData) -> None:
    hostile = '<img src=x onerror="alert(1)">'
    card = replace(
        report.examples[0],
        instruction=hostile,
        history=(hostile,),
        plan_element=hostile,
        plan_value=hostile,
        plan_text=f"</script>{hostile}",
        task_name=hostile,
        split=hostile,
        gold_element=hostile,
    )
    data = replace(
        report,
        title=hostile,
        recipe_toml=f"</script>{hostile}",
        notes=(hostile,),
        versions={hostile: hostile},
        examples=(card,),
        curves=tuple(replace(c, title=hostile, x_label=hostile) for c in report.curves),
        results=tuple(replace(r, arm=hostile) for r in report.results),
    )
    page = render_report(data)
    assert "<img src=x" not in page
    assert page.count("</script>") == 1
    assert "&lt;img src=x" in page


def test_page_refers_to_nothing_outside(report: ReportData) -> None:
    page = render_report(report)
    assert not re.search(r'(src|href)="(?!data:|#)', page)
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page


def test_empty_report_renders() -> None:
    page = render_report(ReportData(title="Nothing yet", recipe="smoke"))
    assert "Nothing yet" in page
    assert "<h2>Examples" not in page
    assert "<h2>Results" not in page


def test_sixty_examples_stay_under_three_megabytes(report: ReportData) -> None:
    pages = []
    for seed in range(2):  # noise is the worst case: it does not compress
        noise = random.Random(seed).randbytes(640 * 400 * 3)
        file = io.BytesIO()
        Image.frombytes("RGB", (640, 400), noise).save(file, "PNG", compress_level=0)
        pages.append(replace(report.examples[0], png=file.getvalue(), width=640, height=400))
    page = render_report(replace(report, examples=tuple(pages * 30)))
    assert len(page.encode()) < 3_000_000


def test_large_screens_shrink_and_small_ones_stay_as_they_are(report: ReportData) -> None:
    small = report.examples[0].png
    assert len(png_data_uri(small, 30_000, "x")) < 1.4 * len(small) + 40
    noise = Image.effect_noise((1280, 800), 40).convert("RGB")
    for kind in ("PNG", "JPEG"):
        file = io.BytesIO()
        noise.save(file, kind)
        uri = png_data_uri(file.getvalue(), 60_000, "x")
        assert uri.startswith("data:image/png;base64,")
        assert len(uri) < 60_000 * 4 / 3 + 40


def test_picture_that_is_none_names_its_step(report: ReportData) -> None:
    card = replace(report.examples[0], png=b"not a picture")
    with pytest.raises(DataError, match=re.escape(card.step_id)):
        render_report(replace(report, examples=(card,)))


def test_missing_picture_is_said(report: ReportData) -> None:
    card = replace(report.examples[0], png=b"")
    assert "no picture" in render_report(replace(report, examples=(card,)))


def test_failed_write_keeps_the_old_page(
    report: ReportData, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_report(tmp_path / "new" / "report.html", report)
    before = path.read_bytes()

    def full_disk(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full_disk)
    with pytest.raises(OSError, match="No space"):
        write_report(path, replace(report, title="other"))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_durations() -> None:
    assert [format_duration(s) for s in (0.04, 59.94, 61, 3599, 3661)] == [
        "0.0 s",
        "59.9 s",
        "1 min 01 s",
        "59 min 59 s",
        "1 h 01 min",
    ]
