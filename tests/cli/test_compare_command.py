import json

from typer.testing import CliRunner

from coepg.cli.main import app
from coepg.errors import DataError


def write(path, wins, steps=range(8)):
    rows = [{"step_id": f"t/{k}/0", "step_success": k < wins} for k in steps]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def invoke(*arguments):
    return CliRunner().invoke(app, ["compare", *arguments])


def test_a_table_and_json(tmp_path):
    a, b = write(tmp_path / "a.jsonl", 2), write(tmp_path / "b.jsonl", 7)
    result = invoke(a, b)
    assert result.exit_code == 0, result.output
    assert "b.jsonl against a.jsonl" in result.stdout
    assert "+0.6250" in result.stdout
    numbers = json.loads(invoke(a, b, "--json").stdout)
    (row,) = numbers["rows"]
    assert (row["metric"], row["num_better"], row["test"]["p_value"]) == ("step_sr", 5, 0.0625)


def test_files_of_one_name_are_told_apart(tmp_path):
    paths = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        paths.append(write(tmp_path / name / "rows.jsonl", 3))
    assert f"{paths[1]} against {paths[0]}" in invoke(*paths).stdout


def test_differing_steps_end_with_code_2_or_a_warning(tmp_path):
    a, b = write(tmp_path / "a.jsonl", 2), write(tmp_path / "b.jsonl", 7, range(1, 9))
    result = invoke(a, b)
    assert result.exit_code == 2
    assert "9 steps in all, 7 of them" in result.stderr
    assert "Traceback" not in result.output
    result = invoke(a, b, "--common-only")
    assert result.exit_code == 0
    assert "WARNING" in result.stderr
    assert "only the 7 steps" in result.stdout


def test_published_numbers_come_with_their_doubts(tmp_path):
    a, b = write(tmp_path / "a.jsonl", 2), write(tmp_path / "b.jsonl", 7)
    result = invoke(a, b, "--reference", "multimodal_mind2web")
    assert "Co-EPG-Web-7B (Co-EPG, Table 1)" in result.stdout
    assert "Protocol not known to be the same" in result.stdout
    result = invoke(a, b, "--reference", "mind2web")
    assert result.exit_code == 2
    assert isinstance(result.exception, SystemExit | DataError)
