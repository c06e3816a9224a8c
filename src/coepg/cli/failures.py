"""What the command line says when something fails: no traceback for what a user can mend.

============================== ==== ========================================
what failed                    exit printed
============================== ==== ========================================
a user's mistake, a full disk, 2    what, found, expected, fix
a path without permission,
a part not installed
a server, device or member     3    what failed, and that it may be retried
interrupted (Ctrl+C)           130  how to continue
anything else (a bug)          1    the traceback
============================== ==== ========================================
"""

from __future__ import annotations

import errno
import itertools
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from coepg.errors import InfrastructureError, UserError

KEPT = "finished stages are kept; the same command continues from them"
_FULL_DISK = {errno.ENOSPC, errno.EDQUOT}
_FULL_DISK_TEXTS = (
    "No space left on device",
    "os error 28",
    "Disk quota exceeded",
    # torch.save on a full disk names a position in its archive, not the disk.
    "PytorchStreamWriter failed writing file",
    "inline_container.cc",
)
_EXTRA_OF = {
    **dict.fromkeys(["torch", "transformers", "accelerate", "safetensors", "datasets"], "train"),
    **dict.fromkeys(["playwright", "miniwob"], "browser"),
    **dict.fromkeys(["rapidocr", "onnxruntime"], "ocr"),
}


@dataclass(frozen=True, slots=True)
class Failure:
    """What to print on stderr, and the exit code."""

    text: str
    exit_code: int


def explain(error: BaseException, command: Sequence[str]) -> Failure | None:
    """How to report an error, or None for a bug, which keeps its traceback.

    Args:
        error: what was raised.
        command: the arguments of the command line, without the program's name.
    """
    if isinstance(error, KeyboardInterrupt):
        again = shlex.join(["coepg", *command])
        return Failure(f"interrupted; {KEPT}:\n  {again}", 130)
    if isinstance(error, UserError):
        return Failure(f"error: {error}", 2)
    if isinstance(error, ModuleNotFoundError) and error.name:
        extra = _EXTRA_OF.get(error.name.partition(".")[0])
        return Failure(f"error: {_not_installed(error.name, extra)}", 2) if extra else None
    for cause in _chain(error):
        if _is_full_disk(cause):
            return Failure(str(_full_disk(cause, command)), 2)
        if isinstance(cause, PermissionError):
            return Failure(str(_no_permission(cause, command)), 2)
    if isinstance(error, InfrastructureError):
        return Failure(f"infrastructure error: {error}\n  nothing was scored; {KEPT}", 3)
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _is_full_disk(error: BaseException) -> bool:
    # Writers in compiled libraries raise their own types; only their text tells a full disk.
    if isinstance(error, OSError) and error.errno in _FULL_DISK:
        return True
    return any(text in str(error) for text in _FULL_DISK_TEXTS)


def _not_installed(module: str, extra: str) -> UserError:
    return UserError(
        f"this command uses {module}",
        found="not installed",
        expected=f"coepg with its extra {extra!r}",
        fix=f"pip install 'coepg[{extra}]'",
    )


def _path(error: BaseException, command: Sequence[str]) -> str:
    """The path that failed; compiled writers do not tell it, so then the folder they write in."""
    path = getattr(error, "filename", None)
    if path:
        return str(path)
    for option, value in itertools.pairwise(command):
        if option in ("--run", "--out"):
            return f"a file in {value}"
    return "a file in the run folder"


def _full_disk(error: BaseException, command: Sequence[str]) -> UserError:
    return UserError(
        f"error: writing {_path(error, command)}",
        found=f"the disk is full ({error})",
        expected="free space",
        fix=f"free some space or choose another folder; {KEPT}",
    )


def _no_permission(error: PermissionError, command: Sequence[str]) -> UserError:
    return UserError(
        f"error: opening {_path(error, command)}",
        found="permission denied",
        expected="a path that this user may read and write",
        fix=f"change its permissions or choose another folder; {KEPT}",
    )
