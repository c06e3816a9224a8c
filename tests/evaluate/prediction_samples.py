"""Where real samples of public data are, if they are there."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("COEPG_SHARED_DATA", ROOT / "../shared/data"))


def shared(path: str) -> Path:
    """A file of the samples; skips the test where it is not there."""
    found = FOLDER / path
    if not found.exists():
        pytest.skip(f"no real sample {found} (set COEPG_SHARED_DATA)")
    return found
