"""An untrained model and a picture store in memory."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from coepg.models.local.load import LocalModel, load_local
from coepg.types import Screenshot, Size, content_hash


class MemoryStore:
    """Pictures by hash; counts how often each was asked for."""

    def __init__(self) -> None:
        self.pictures: dict[str, Image.Image] = {}
        self.asked: list[str] = []

    def add(self, picture: Image.Image) -> Screenshot:
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        key = content_hash(buffer.getvalue())
        self.pictures[key] = picture
        return Screenshot(key, Size(*picture.size))

    def noise(self, width: int, height: int, seed: int) -> Screenshot:
        rng = np.random.default_rng(seed)
        pixels = rng.integers(0, 256, size=(height // 10 + 1, width // 10 + 1, 3), dtype=np.uint8)
        small = Image.fromarray(pixels)
        return self.add(small.resize((width, height), Image.Resampling.NEAREST))

    def image(self, image_hash: str) -> Image.Image:
        self.asked.append(image_hash)
        return self.pictures[image_hash]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture(scope="session")
def nano() -> LocalModel:
    return load_local("random-nano")
