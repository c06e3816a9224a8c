"""Every importer against everything that is wrong with real files: it says which file and row."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from importer_sources import MARK, SOURCES, Case, picture

from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable
from coepg.errors import DataError

pytestmark = pytest.mark.parametrize("name", sorted(SOURCES))
BIG = (6016, 3384)


def imported(name, case, source=None, options=None):
    made, own = SOURCES[name](case) if source is None else (source, options)
    out = case.folder.parent / "out"
    report = import_dataset(make_importer(name, own), made, out, overwrite=True)
    table = StepTable.open(out)
    return report, [step for split in table.splits for step in table.steps(split)]


def refused(name, case, source=None, options=None):
    with pytest.raises(DataError) as caught:
        imported(name, case, source, options)
    text = str(caught.value)
    assert "found:" in text and "expected:" in text and "fix:" in text
    assert not (case.folder.parent / "out").exists()
    return text


@pytest.fixture
def case(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    return Case(folder)


def test_a_good_source_is_imported(name, case):
    report, (step,) = imported(name, case)
    assert report.num_records == report.num_steps == 1
    assert step.instruction == MARK
    assert step.num_steps > step.step_index
    if name != "miniwob_demos":  # its boxes are those of a page of 160 x 210
        assert step.target_box_px.as_tuple() == pytest.approx(case.box, abs=0.01)


@pytest.mark.parametrize("size", [BIG, (1, 1)], ids=["6016x3384", "1x1"])
def test_any_size_of_picture(name, case, size):
    case.size = size
    case.box = (5900, 3300, 6000, 3380) if size == BIG else (0, 0, 1, 1)
    _, (step,) = imported(name, case)
    assert (step.screenshot.size.width, step.screenshot.size.height) == size
    if name != "miniwob_demos":
        assert step.target_box_px.as_tuple() == pytest.approx(case.box, abs=0.01)


def test_truncated_file(name, case):
    source, options = SOURCES[name](case)
    data = source.read_bytes()
    source.write_bytes(data[: len(data) * 6 // 10])
    assert source.name in refused(name, case, source, options)


def test_empty_file(name, case):
    source, options = SOURCES[name](case)
    source.write_bytes(b"")
    assert source.name in refused(name, case, source, options)


def test_no_file(name, case):
    source, options = SOURCES[name](case)
    source.unlink()
    assert source.name in refused(name, case, source, options)


def test_wrong_data_set(name, case):
    """Well-formed rows of something else."""
    source, options = SOURCES[name](case)
    other = {"a": 1, "b": [2], "c": None}
    if source.suffix == ".parquet":
        pq.write_table(pa.table({"a": [1]}), source)
    elif source.suffix == ".gz":
        source.write_bytes(gzip.compress(json.dumps(other).encode()))
    elif source.suffix == ".jsonl":
        source.write_text(json.dumps(other))
    else:
        source.write_text(json.dumps({"x": other} if name == "omniact" else [other]))
    text = refused(name, case, source, options)
    assert source.name in text
    # Not a word of the row it has no business with, but of what is missing.
    assert "no such field" in text or "missing" in text or "key 'a'" in text or "list" in text


def test_another_kind_of_file(name, case):
    source, options = SOURCES[name](case)
    source.write_bytes(picture((20, 20)))
    assert source.name in refused(name, case, source, options)


def test_missing_picture(name, case):
    case.has_picture = False
    source, _ = SOURCES[name](case)
    text = refused(name, case)
    assert source.name in text and ("picture" in text or "image" in text or "screenshot" in text)


def test_broken_picture(name, case):
    source, options = SOURCES[name](case)
    pictures = list(case.folder.rglob("*.png"))
    if not pictures:
        pytest.skip("its pictures are inside its rows")
    for path in pictures:
        path.write_bytes(b"no picture")
    assert "picture" in refused(name, case, source, options)


def test_box_in_the_other_order(name, case):
    if name == "miniwob_demos":
        pytest.skip("boxes have names there: left, top, width, height")
    case.swapped = True
    text = refused(name, case)
    assert "order" in text or "unit" in text


def test_an_action_never_seen(name, case):
    case.unknown = "teleport"
    text = refused(name, case)
    assert "teleport" in text


def test_text_that_is_not_utf8(name, case):
    source, options = SOURCES[name](case)
    found = 0
    for path in [p for p in case.folder.rglob("*") if p.is_file()]:
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
        found += data.count(MARK.encode())
        data = data.replace(MARK.encode(), b"\xff\xfe" + MARK.encode()[2:])
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    assert found
    assert source.name in refused(name, case, source, options)


def test_null_fields(name, case, tmp_path):
    """Each field null by itself: refused by name, or not needed. Never another error."""
    SOURCES[name](case)
    refusals = 0
    for number, key in enumerate(sorted(case.keys)):
        folder = tmp_path / f"null{number}" / "source"
        folder.mkdir(parents=True)
        made = Case(folder, null=key)
        try:
            imported(name, made)
        except DataError as error:
            refusals += 1
            assert SOURCES[name](made)[0].name in str(error), key
    assert refusals >= 2


def test_bad_rows_are_set_aside_and_counted(name, case):
    case.has_picture = False
    source, options = SOURCES[name](case)
    out = case.folder.parent / "out"
    with pytest.raises(DataError, match="nothing could be imported"):
        import_dataset(make_importer(name, options), source, out, keep_going=True)
    (line,) = (out.parent / "out.set_aside.jsonl").read_text().splitlines()
    assert json.loads(line)["where"]
