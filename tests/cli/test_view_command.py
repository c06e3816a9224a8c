import json
import socket
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coepg.cli.main import app

sys.path.append(str(Path(__file__).parents[1] / "view"))
from viewer_data import make_dataset  # noqa: E402


def invoke(*arguments):
    return CliRunner().invoke(app, ["view", *map(str, arguments)])


def test_export_writes_one_file(tmp_path):
    make_dataset(tmp_path / "data")
    result = invoke(tmp_path / "data", "--export", tmp_path / "page.html", "--limit", 3)
    assert result.exit_code == 0
    assert "3 steps" in result.stdout
    assert [p.name for p in tmp_path.iterdir() if p.is_file()] == ["page.html"]


@pytest.mark.parametrize("name", ["nothing", "data/dataset.json", "data/steps"])
def test_an_unknown_folder_is_a_named_error(tmp_path, name):
    make_dataset(tmp_path / "data")
    if name == "data/steps":
        for path in (tmp_path / name).iterdir():
            path.rename(path.with_suffix(".txt"))
    result = invoke(tmp_path / name, "--port", 0, "--no-browser")
    assert result.exit_code == 2
    assert str(tmp_path / name) in result.stderr
    assert "expected:" in result.stderr
    assert "Traceback" not in result.stderr


def test_damaged_parquet_is_a_named_error(tmp_path):
    make_dataset(tmp_path / "data")
    path = tmp_path / "data/steps/test.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    result = invoke(tmp_path / "data", "--port", 0, "--no-browser")
    assert (result.exit_code, str(path) in result.stderr) == (2, True)


def test_damaged_answers_are_a_named_error(tmp_path):
    path = tmp_path / "answers.parquet"
    path.write_bytes(b"PAR1")
    result = invoke(path, "--port", 0, "--no-browser")
    assert (result.exit_code, str(path) in result.stderr) == (2, True)


def test_a_wrong_dataset_is_a_named_error(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps({"step_id": "a"}) + "\n")
    result = invoke(path, "--dataset", tmp_path / "none", "--no-browser")
    assert (result.exit_code, str(tmp_path / "none") in result.stderr) == (2, True)


def test_a_port_in_use_is_a_named_error(tmp_path):
    make_dataset(tmp_path / "data")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = invoke(tmp_path / "data", "--port", port, "--no-browser")
    assert result.exit_code == 2
    assert f"--port {port}" in result.stderr
    assert "in use" in result.stderr
