from __future__ import annotations

import pytest

from coepg.config.models import HttpModelConfig, LocalModelConfig, OcrModelConfig
from coepg.errors import ConfigError, ModelError
from coepg.models.base import Observation
from coepg.models.factory import build_describer, build_grounder, build_planner
from coepg.models.http import HttpDescriber, HttpGrounder, HttpPlanner
from coepg.models.local import LocalDescriber, LocalGrounder, LocalPlanner
from coepg.models.ocr import OcrDescriber, OcrGrounder

LOCAL = LocalModelConfig(path="random-nano")
HTTP = HttpModelConfig(base_url="http://localhost:1/v1", model="qwen3-vl")
OCR = OcrModelConfig(min_score=0.7)


def test_every_kind_of_grounder(nano, store):
    local = build_grounder("a", LOCAL, store, local=nano, batch_size=3)
    assert isinstance(local, LocalGrounder) and local.engine.local is nano
    assert local.name == "a" and local.engine.batch_size == 3
    http = build_grounder("b", HTTP, store)
    assert isinstance(http, HttpGrounder) and http.client.profile.name == "qwen3_vl"
    ocr = build_grounder("c", OCR, store)
    assert isinstance(ocr, OcrGrounder) and ocr.min_score == 0.7


def test_every_kind_of_planner(nano, store):
    observation = Observation(history_max_steps=2)
    local = build_planner("a", LOCAL, store, local=nano, observation=observation)
    assert isinstance(local, LocalPlanner) and local.observation is observation
    http = build_planner("b", HTTP, store, observation=observation)
    assert isinstance(http, HttpPlanner) and http.name == "b"
    with pytest.raises(ConfigError, match="kind ocr"):
        build_planner("c", OCR, store, observation=observation)


def test_every_kind_of_describer(nano, store):
    assert isinstance(build_describer("a", LOCAL, store, local=nano), LocalDescriber)
    assert isinstance(build_describer("b", HTTP, store), HttpDescriber)
    assert isinstance(build_describer("c", OCR, store), OcrDescriber)


def test_a_local_member_loads_its_model_if_none_is_given(store):
    assert build_grounder("a", LOCAL, store).engine.local.name == "random-nano"
    with pytest.raises(ModelError, match="no such folder"):
        build_grounder("a", LocalModelConfig(path="no/such/model"), store)
