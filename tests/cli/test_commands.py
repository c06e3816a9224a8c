import json

import pytest
from typer.testing import CliRunner

from coepg import __version__
from coepg.cli.data import stats_lines
from coepg.cli.doctor import all_checks, check_package, check_run_dir
from coepg.cli.main import app
from coepg.config import list_recipes, load_recipe, parse_recipe


def invoke(*arguments):
    return CliRunner().invoke(app, list(arguments))


def test_dry_run_prints_the_resolved_recipe():
    result = invoke(
        "evolve", "--recipe", "smoke", "--seed", "4", "--set", "grpo.max_steps=3", "--dry-run"
    )
    assert result.exit_code == 0
    expected = load_recipe("smoke", ["grpo.max_steps=3", "run.seed=4"])
    assert parse_recipe(result.stdout) == expected


def test_recipes_lists_all():
    lines = invoke("recipes").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(list_recipes())


def test_version():
    assert invoke("--version").stdout.strip() == f"coepg {__version__}"


@pytest.mark.parametrize(
    "command",
    [
        "compare",
        "data",
        "data check",
        "data export",
        "data import",
        "data record miniwob",
        "data show",
        "data stats",
        "doctor",
        "eval",
        "evolve",
        "pretrain",
        "recipes",
        "synth",
        "view",
    ],
)
def test_every_command_has_help(command):
    result = invoke(*command.split(), "--help")
    assert result.exit_code == 0
    assert "Usage" in result.stdout


def test_doctor_json_and_exit_code(tmp_path):
    result = invoke("doctor", "--json", "--run", str(tmp_path / "new" / "run"))
    findings = {check["name"]: check for check in json.loads(result.stdout)}
    assert findings["python"]["state"] == "ok"
    assert findings["run folder"]["state"] != "fail"
    assert result.exit_code == int(any(c["state"] == "fail" for c in findings.values()))


def test_doctor_names_the_extra_of_a_missing_package():
    check = check_package("no-such-package", extra="train")
    assert (check.state, "coepg[train]" in check.fix) == ("fail", True)
    assert check_package("no-such-package", "browser", "recording").state == "warn"


def test_doctor_finds_a_run_folder_that_is_a_file(tmp_path):
    (tmp_path / "file").write_text("x")
    check = check_run_dir(tmp_path / "file" / "run")
    assert (check.state, "--run" in check.fix) == ("fail", True)
    assert len({check.name for check in all_checks(tmp_path)}) > 10


def test_unknown_dataset_is_a_mistake():
    result = invoke("data", "stats", "no-such-set")
    assert result.exit_code == 2
    assert "no-such-set" in result.stderr


def test_stats_table():
    split = {
        "steps": 3,
        "episodes": 2,
        "images": 3,
        "tasks": {"click-test": 3},
        "action_types": {"click": 2, "type": 1},
    }
    lines = stats_lines({"name": "miniwob", "splits": {"train": split}})
    assert lines[0] == "dataset miniwob"
    assert lines[2].split() == ["train", "3", "2", "3", "1", "click", "2,", "type", "1"]
