"""Published numbers: the files fit together, and no comparison goes without its note."""

import tomllib
from pathlib import Path

import pytest

import coepg.evaluate.reference as reference
from coepg.errors import DataError
from coepg.evaluate.reference import ReferenceRow, benchmarks, load_reference, reference_rows

FOLDER = Path(reference.__file__).parent
TABLE = """
paper = "P"
cite = "P 2026"
[[table]]
benchmark = "b"
protocol = ""
columns = [["s", "m"], ["t", "m"]]
rows = [{ model = "x", values = [50.0, nan] }]
"""


def test_numbers_of_the_papers():
    def value(benchmark, split, metric, model, paper):
        found = [
            row.value
            for row in reference_rows(benchmark, split=split, metric=metric)
            if (row.model, row.paper) == (model, paper)
        ]
        assert len(found) == 1
        return found[0]

    mind2web = "multimodal_mind2web"
    assert value(mind2web, "cross_task", "step_sr", "Co-EPG-Web-7B", "Co-EPG") == 0.619
    assert value(mind2web, "average", "step_sr", "AGUVIS-7B", "Co-EPG") == 0.572
    assert value("android_control", "low", "step_acc", "InfiGUI-R1-3B", "Co-EPG") == 0.921
    assert value("android_control", "low", "step_acc", "InfiGUI-R1-3B", "GUI-SAGE") == 0.911
    assert value("screenspot_pro", "all", "accuracy", "SE-GUI-7B", "SE-GUI") == 0.473
    assert value("webarena_lite", "all", "success_rate", "Llama-3.1-8B + WebRL", "WebRL") == 0.424


def test_printed_averages_are_those_of_the_printed_splits():
    """Where a paper prints splits and their average, a slip of a digit would show."""
    for benchmark, metric, splits in [
        ("android_control", "step_acc", ("high", "low")),
        ("multimodal_mind2web", "step_sr", ("cross_task", "cross_website", "cross_domain")),
    ]:
        rows = [r for r in reference_rows(benchmark, metric=metric) if r.paper == "Co-EPG"]
        by_model = {}
        for row in rows:
            by_model.setdefault(row.model, {})[row.split] = row.value
        assert len(by_model) >= 10
        for model, values in by_model.items():
            mean = sum(values[split] for split in splits) / len(splits)
            assert abs(mean - values["average"]) < 0.0011, (benchmark, model)


def test_rows_are_best_first_and_complete():
    rows = reference_rows("android_control", split="high", metric="step_acc")
    assert [row.value for row in rows] == sorted((row.value for row in rows), reverse=True)
    assert {row.paper for row in rows} == {"Co-EPG", "SE-GUI", "GUI-SAGE"}
    assert "multimodal_mind2web" in benchmarks()
    every = [row for name in benchmarks() for row in reference_rows(name)]
    keys = {(r.benchmark, r.split, r.metric, r.model, r.paper) for r in every}
    assert len(keys) == len(every) > 250
    assert all(0 <= row.value <= 1 for row in every)


def test_an_unknown_protocol_is_said():
    row = reference_rows("multimodal_mind2web", split="cross_task", metric="step_sr")[0]
    assert (row.model, row.source) == ("Co-EPG-Web-7B", "Co-EPG, Table 1")
    assert "not stated" in row.comparison_note("ours")
    assert "full pages" in row.comparison_note("ours")
    known = reference_rows("android_world")[0]
    assert known.comparison_note(known.protocol) == ""
    assert "116 tasks" in known.comparison_note("ours")
    assert known.source == "GUI-SAGE"


def test_an_unprinted_cell_is_no_row():
    assert load_reference(TABLE, "p.toml") == (
        ReferenceRow("b", "s", "m", 0.5, "x", "P", "P 2026", "", "", ""),
    )


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("[50.0, nan]", "[50.0]", "1 values for 2 columns"),
        ("[50.0, nan]", "[150.0, nan]", "outside 0..100"),
        ('["t", "m"]', '["s", "m"]', "stands twice"),
        ('paper = "P"', "", "paper"),
        ('paper = "P"', 'paper = "P"\npage = 1', "page"),
        ('paper = "P"', "paper =", "TOML"),
    ],
)
def test_files_that_do_not_fit_are_refused(old, new, text):
    with pytest.raises(DataError, match="p.toml") as caught:
        load_reference(TABLE.replace(old, new), "p.toml")
    assert text in str(caught.value)


def test_an_unknown_benchmark_lists_the_known_ones():
    with pytest.raises(DataError, match="screenspot_pro"):
        reference_rows("mind2web")


def test_the_package_ships_the_files():
    names = {path.name for path in FOLDER.glob("*.toml")}
    assert {"co_epg.toml", "se_gui.toml", "gui_sage.toml", "webrl.toml", "autoglm.toml"} == names
    pyproject = tomllib.loads((FOLDER.parents[3] / "pyproject.toml").read_text(encoding="utf-8"))
    shipped = pyproject["tool"]["setuptools"]["package-data"]["coepg"]
    assert "evaluate/reference/*.toml" in shipped
