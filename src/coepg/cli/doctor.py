"""``coepg doctor``: look at the machine and say what is missing for which job."""

from __future__ import annotations

import importlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Literal

import typer

State = Literal["ok", "warn", "fail"]
LEAST_MEMORY_GIB = 6.0
LEAST_DISK_GIB = 5.0


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: "fail" blocks ``coepg evolve``, "warn" blocks only what ``fix`` names."""

    name: str
    state: State
    detail: str
    fix: str = ""


def doctor(
    run: Annotated[Path, typer.Option(help="The folder that runs are to be written in.")] = Path(
        "runs"
    ),
    json_: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
) -> None:
    """Check versions, browser, fonts, cores, memory and the run folder.

    Exit code 1 if something that `coepg evolve` needs is missing, else 0.
    """
    checks = list(all_checks(run))
    if json_:
        import json

        typer.echo(json.dumps([asdict(check) for check in checks], indent=2))
    else:
        width = max(len(check.name) for check in checks)
        for check in checks:
            fix = f"  ({check.fix})" if check.fix else ""
            typer.echo(f"{check.state:<4}  {check.name:<{width}}  {check.detail}{fix}")
    raise typer.Exit(int(any(check.state == "fail" for check in checks)))


def all_checks(run_dir: Path) -> Iterator[Check]:
    """Every check, in the order of printing."""
    yield check_python()
    yield from (check_package(name, extra="") for name in ("coepg", "numpy", "pyarrow", "pillow"))
    yield check_torch()
    yield from (check_package(name, extra="train") for name in ("transformers", "accelerate"))
    yield check_package("rapidocr", extra="ocr")
    yield check_package("miniwob", extra="browser", needed_for="recording")
    yield check_package("playwright", extra="browser", needed_for="recording")
    yield check_chromium()
    yield check_fonts()
    yield Check("cores", "ok", f"{usable_cores()} usable")
    yield check_memory()
    yield check_run_dir(run_dir)


def check_python() -> Check:
    """Whether this Python is a supported one."""
    good = (3, 11) <= sys.version_info[:2] < (3, 14)
    fix = "" if good else "use Python 3.11, 3.12 or 3.13"
    return Check("python", "ok" if good else "fail", platform.python_version(), fix)


def check_package(name: str, extra: str, needed_for: str = "") -> Check:
    """Whether a package is installed; ``needed_for`` makes its absence a warning."""
    try:
        return Check(name, "ok", version(name))
    except PackageNotFoundError:
        what = f"coepg[{extra}]" if extra else "coepg"
        reason = f" for {needed_for}" if needed_for else ""
        return Check(
            name, "warn" if needed_for else "fail", "missing", f"pip install '{what}'{reason}"
        )


def check_torch() -> Check:
    """Whether torch really loads, and what it runs on; a torchvision that does not fit is found."""
    found = check_package("torch", extra="train")
    if found.state != "ok":
        return found
    try:
        torch = importlib.import_module("torch")
        if importlib.util.find_spec("torchvision"):
            importlib.import_module("torchvision")
    except (ImportError, OSError, RuntimeError) as error:
        first_line = str(error).splitlines()[0]
        return Check("torch", "fail", f"{found.detail} does not load: {first_line}", "reinstall it")
    device = torch.cuda.get_device_name(0) if torch.cuda.is_available() else "CPU"
    return Check("torch", "ok", f"{torch.__version__} on {device}")


def check_chromium() -> Check:
    """Whether a Chromium is there, for recording and for browser agents."""
    from coepg.devices.browser import find_chromium
    from coepg.errors import InfrastructureError

    try:
        path = find_chromium()
    except InfrastructureError as error:
        return Check("chromium", "warn", "missing", f"for recording: {error}")
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60)
    if answer.returncode != 0:
        return Check("chromium", "warn", f"{path} does not start", answer.stderr.strip()[:200])
    return Check("chromium", "ok", f"{answer.stdout.strip()} at {path}")


def check_fonts() -> Check:
    """Whether any font is installed; without one, recorded pages hold no letters."""
    program = shutil.which("fc-list")
    if program is None:
        return Check("fonts", "ok", "not checked (no fc-list on this system)")
    answer = subprocess.run([program, ":", "family"], capture_output=True, text=True, timeout=60)
    families = {line for line in answer.stdout.splitlines() if line.strip()}
    if not families:
        return Check("fonts", "warn", "none", "for recording: install one, such as DejaVu")
    return Check("fonts", "ok", f"{len(families)} families")


def usable_cores() -> int:
    """Cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_memory() -> Check:
    """Whether the machine has the memory that the default recipe takes."""
    try:
        gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (ValueError, OSError, AttributeError):
        return Check("memory", "ok", "not checked (this system does not tell)")
    if gib < LEAST_MEMORY_GIB:
        return Check(
            "memory", "warn", f"{gib:.1f} GiB", f"the default takes up to {LEAST_MEMORY_GIB:.0f}"
        )
    return Check("memory", "ok", f"{gib:.1f} GiB")


def check_run_dir(run_dir: Path) -> Check:
    """Whether runs can be written, tried in the nearest folder that exists."""
    folder = run_dir.absolute()
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    name = "run folder"
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(b"x")
    except OSError as error:
        return Check(name, "fail", f"{folder}: {error.strerror}", "choose another with --run")
    free_gib = shutil.disk_usage(folder).free / 2**30
    if free_gib < LEAST_DISK_GIB:
        return Check(
            name, "warn", f"{folder}: {free_gib:.1f} GiB free", f"have {LEAST_DISK_GIB:.0f}"
        )
    return Check(name, "ok", f"{folder}: writable, {free_gib:.1f} GiB free")
