from __future__ import annotations

import pytest
from small_models import ARCHITECTURES, random_model, random_picture

from coepg.models.local.load import LocalModel


@pytest.fixture(scope="session", params=ARCHITECTURES)
def local(request: pytest.FixtureRequest) -> LocalModel:
    return random_model(request.param)


@pytest.fixture
def picture():
    return random_picture
