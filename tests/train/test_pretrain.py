"""Pre-training from drawn screens to a model folder, in real Chromium, stopped and continued."""

import json
from dataclasses import replace

import pytest
import torch
from transformers import TrainerCallback

from coepg.models.local import load_local
from coepg.synth.dataset import write_screens
from coepg.train.glyphs import GlyphTrainer
from coepg.train.pretrain import PretrainSettings, PretrainTrainer, pretrain

pytestmark = pytest.mark.browser

SETTINGS = PretrainSettings(
    size="nano", num_steps=6, batch_size=2, acting_from=0.5, save_steps=2, logging_steps=1,
    glyph_steps=12,
)  # fmt: skip


@pytest.fixture(scope="module")
def screens(tmp_path_factory):
    folder = tmp_path_factory.mktemp("screens")
    write_screens(folder, 16, 5)
    return folder


@pytest.fixture(scope="module")
def sheets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sheets")
    write_screens(folder, 8, 5, kind="sheets")
    return folder


@pytest.fixture(scope="module")
def trained(screens, sheets, tmp_path_factory):
    return pretrain(screens, tmp_path_factory.mktemp("models") / "whole", SETTINGS, sheets)


def weights(folder):
    return load_local(folder).model.state_dict()


def test_the_model_loads_and_its_record_says_how_it_was_made(trained):
    record = json.loads((trained / "pretraining.json").read_text())
    assert record["settings"]["num_steps"] == 6
    assert record["num_screens"] == 16
    assert [row["step"] for row in record["log"] if "loss" in row] == [1, 2, 3, 4, 5, 6]
    assert load_local(trained).profile.name == "tiny"


@pytest.mark.parametrize(("phase", "step"), [(GlyphTrainer, 11), (PretrainTrainer, 3)])
def test_an_interrupted_training_ends_with_the_same_weights(
    screens, sheets, trained, tmp_path, monkeypatch, phase, step
):
    class Stop(TrainerCallback):
        def on_step_end(self, args, state, control, **kwargs):
            if state.global_step == step:
                raise KeyboardInterrupt

    original = phase.__init__

    def interrupted(self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.add_callback(Stop())

    monkeypatch.setattr(phase, "__init__", interrupted)
    with pytest.raises(KeyboardInterrupt):
        pretrain(screens, tmp_path / "again", SETTINGS, sheets)
    monkeypatch.undo()
    again = pretrain(screens, tmp_path / "again", SETTINGS, sheets)
    for name, value in weights(trained).items():
        assert torch.equal(value, weights(again)[name]), name


def test_both_architectures_train(screens, sheets, tmp_path):
    settings = replace(SETTINGS, architecture="qwen2_5_vl", num_steps=2, save_steps=10)
    folder = pretrain(screens, tmp_path / "qwen2_5", settings, sheets)
    assert type(load_local(folder).model).__name__.startswith("Qwen2_5_VL")


def test_without_sheets_there_is_no_phase_of_letters(screens, tmp_path):
    folder = pretrain(screens, tmp_path / "plain", replace(SETTINGS, num_steps=2))
    assert json.loads((folder / "pretraining.json").read_text())["glyph_log"] == []
    assert not (folder / "glyphs").exists()
