"""Pictures, imports, and the folder of real samples."""

import io
import os
from pathlib import Path

import pytest
from PIL import Image

from coepg.data.importers.base import ImportOptions
from coepg.data.importers.registry import make_importer
from coepg.data.importers.run import import_dataset
from coepg.data.table import StepTable

ROOT = Path(__file__).parents[4]


def png_bytes(size, color=(9, 9, 9)):
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def make_png():
    return png_bytes


@pytest.fixture
def import_steps(tmp_path):
    """Import a source and give the steps of a split, in order; settings by keyword."""

    def run(name, source, split="train", *, images=None, choose=None, keep_going=False, **extra):
        out = tmp_path / "imported"
        options = ImportOptions(images, choose, extra)
        run.report = import_dataset(
            make_importer(name, options), source, out, keep_going=keep_going, overwrite=True
        )
        return StepTable.open(out).steps(split)

    return run


@pytest.fixture
def shared_data():
    folder = Path(os.environ.get("COEPG_SHARED_DATA", ROOT / ".." / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real samples in {folder} (COEPG_SHARED_DATA)")
    return folder
