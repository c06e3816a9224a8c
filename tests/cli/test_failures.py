import errno
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from coepg.cli import evolve as evolve_module
from coepg.cli.failures import explain
from coepg.cli.main import app
from coepg.errors import ConfigError, InfrastructureError


def chained(error, cause):
    try:
        raise error from cause
    except type(error) as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "exit_code", "texts"),
    [
        (ConfigError("a.toml: key 'x'", found="1", expected="2"), 2, ["a.toml", "expected: 2"]),
        (OSError(errno.ENOSPC, "No space left on device", "runs/a/x.bin"), 2, ["runs/a/x.bin"]),
        (
            RuntimeError("PytorchStreamWriter: No space left on device"),
            2,
            ["disk is full", "kept", "a file in my run"],
        ),
        (
            chained(InfrastructureError("worker died"), OSError(errno.ENOSPC, "full", "/x/y")),
            2,
            ["/x/y", "kept"],
        ),
        (PermissionError(errno.EACCES, "denied", "/root/x"), 2, ["/root/x", "permission"]),
        (InfrastructureError("server is down"), 3, ["server is down", "kept"]),
        (KeyboardInterrupt(), 130, ["coepg evolve --run 'my run'", "kept"]),
        (ModuleNotFoundError("no torch", name="torch.nn"), 2, ["coepg[train]"]),
    ],
)
def test_what_a_user_can_mend_is_explained(error, exit_code, texts):
    failure = explain(error, ["evolve", "--run", "my run"])
    assert failure is not None
    assert failure.exit_code == exit_code
    for text in texts:
        assert text in failure.text


@pytest.mark.parametrize("error", [ValueError("x"), KeyError("y"), ModuleNotFoundError(name="no")])
def test_a_bug_keeps_its_traceback(error):
    assert explain(error, []) is None


def run_program(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "coepg.cli.main", *arguments], capture_output=True, text=True
    )


def test_a_mistake_ends_with_code_2_and_no_traceback():
    done = run_program("evolve", "--dry-run", "--set", "grpo.max_step=3")
    assert done.returncode == 2
    assert "did you mean 'max_steps'" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_the_group_reports_what_a_command_raises(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("coepg.config.load_recipe", interrupted)
    result = CliRunner().invoke(app, ["evolve"])
    assert result.exit_code == 130
    assert "interrupted" in result.stderr
    assert evolve_module.evolve.__doc__


def test_a_disk_that_fills_up_while_a_checkpoint_is_saved_is_explained():
    error = RuntimeError("[enforce fail at inline_container.cc:672] . unexpected pos 4879 vs 4878")
    failure = explain(error, ["evolve"])
    assert failure is not None and failure.exit_code == 2
