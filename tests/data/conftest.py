"""Small datasets made on the spot."""

import io

import pytest
from PIL import Image

from coepg.types import Box, Screenshot, ScreenText, Size, Step, TextSource, content_hash


def make_png(color=(200, 30, 30), size=(40, 30)):
    buffer = io.BytesIO()
    Image.new("RGB", size, color).save(buffer, "PNG")
    return buffer.getvalue()


def make_step(image_hash, **changes):
    values = {
        "step_id": "demo/1/0",
        "episode_id": "demo/1",
        "task_name": "demo",
        "split": "train",
        "step_index": 0,
        "num_steps": 1,
        "instruction": 'Click "Go"',
        "history": ("[text field] Name -> type: bob",),
        "screenshot": Screenshot(image_hash, Size(40, 30)),
        "action_type": "click",
        "value": None,
        "target_box_px": Box(1, 2, 30, 20),
        "target_repr": "[button] Go",
        "seed": 7,
        "screen_text": (
            ScreenText("Go", Box(1, 2, 30, 20), TextSource.DOM, "button"),
            ScreenText("G0", Box(2, 2, 29.5, 20), TextSource.OCR, score=0.75),
        ),
    }
    return Step(**{**values, **changes})


@pytest.fixture
def png():
    return make_png()


@pytest.fixture
def step(png):
    return make_step(content_hash(png))


@pytest.fixture
def about():
    return {"name": "demo", "source": "tests", "license": "none", "made_by": "tests"}
