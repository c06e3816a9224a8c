import json

import pytest

from coepg.errors import ConfigError, DataError
from coepg.evolve.stage import chunk, run_stage


def test_a_finished_stage_is_not_done_again(tmp_path):
    calls = []

    def work(folder):
        calls.append(folder)
        (folder / "result").write_text("x")
        return {"value": 1}

    first = run_stage(tmp_path, "01-a", ["seed"], work)
    second = run_stage(tmp_path, "01-a", ["seed"], work)
    assert len(calls) == 1
    assert second.record == first.record == {"value": 1}
    assert second.fingerprint == first.fingerprint
    assert (first.folder / "result").read_text() == "x"


def test_a_stage_that_dies_leaves_its_partial_folder_and_continues(tmp_path):
    def dies(folder):
        chunk(folder, "a", lambda: [1, 2])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_stage(tmp_path, "01-a", [], dies)
    assert not (tmp_path / "01-a").exists()

    def finishes(folder):
        return {"a": chunk(folder, "a", lambda: pytest.fail("computed twice"))}

    assert run_stage(tmp_path, "01-a", [], finishes).record == {"a": [1, 2]}


def test_a_partial_folder_of_other_inputs_is_not_continued(tmp_path):
    def dies(folder):
        chunk(folder, "a", lambda: "old")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_stage(tmp_path, "01-a", ["old settings"], dies)
    made = run_stage(
        tmp_path, "01-a", ["new settings"], lambda f: {"a": chunk(f, "a", lambda: "new")}
    )
    assert made.record == {"a": "new"}


def test_a_finished_stage_of_other_inputs_is_refused(tmp_path):
    run_stage(tmp_path, "01-a", ["seed 0"], lambda folder: {})
    with pytest.raises(ConfigError) as error:
        run_stage(tmp_path, "01-a", ["seed 1"], lambda folder: {})
    assert "01-a" in str(error.value) and "another --run folder" in str(error.value)


def test_a_damaged_chunk_is_made_again(tmp_path):
    chunk(tmp_path, "a", lambda: "old")
    (tmp_path / "chunks" / "a.json").write_text('{"half')
    assert chunk(tmp_path, "a", lambda: "new") == "new"
    assert chunk(tmp_path, "a", lambda: pytest.fail("computed twice")) == "new"


@pytest.mark.parametrize("content", ["", "{", json.dumps({"record": {}})])
def test_a_damaged_record_is_named(tmp_path, content):
    run_stage(tmp_path, "01-a", [], lambda folder: {})
    (tmp_path / "01-a" / "stage.json").write_text(content)
    with pytest.raises(DataError) as error:
        run_stage(tmp_path, "01-a", [], lambda folder: {})
    assert "stage.json" in str(error.value) and "delete" in str(error.value)


def test_a_stage_of_equal_inputs_is_copied_from_another_run(tmp_path):
    def work(folder):
        (folder / "result").write_text("first run")
        return {"value": 1}

    def refuse(folder):
        raise AssertionError("must not be computed")

    other, mine = tmp_path / "other", tmp_path / "mine"
    run_stage(other, "01-a", ["seed"], work)
    copied = run_stage(mine, "01-a", ["seed"], refuse, reuse=[tmp_path / "none", other])
    assert (copied.folder / "result").read_text() == "first run"
    assert copied.record == {"value": 1} and copied.folder == mine / "01-a"
    with pytest.raises(AssertionError, match="must not be computed"):
        run_stage(mine, "02-b", ["other seed"], refuse, reuse=[other])
    assert not (mine / "02-b").exists()
