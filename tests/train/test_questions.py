import numpy as np
import pytest
import torch
from PIL import Image

from coepg.models.answers import parse_plan, parse_point
from coepg.models.local import load_local
from coepg.models.tiny import build_image_processor
from coepg.models.tokenizer import shipped_tokenizer
from coepg.synth.types import ScreenElement, ScreenTask, SynthScreen
from coepg.train.questions import FRAME, PROFILE, QuestionMix, QuestionSampler, patchify


def png_bytes(pixels: np.ndarray) -> bytes:
    import io

    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def screen() -> SynthScreen:
    pixels = np.random.RandomState(0).randint(0, 255, (160, 160, 3), dtype=np.uint8)
    button = ScreenElement(0, "button", "OK", (20, 30, 60, 50), expressions=('button "OK"', '"OK"'))
    task = ScreenTask("Click OK", ("[text] a -> click",), 0, "click", None, "click_text")
    return SynthScreen("s", 0, png_bytes(pixels), 160, 160, (button,), (task,))


def test_patchify_equals_the_picture_processor():
    pixels = np.random.RandomState(1).randint(0, 255, (160, 160, 3), dtype=np.uint8)
    expected = build_image_processor()(images=[Image.fromarray(pixels)], return_tensors="pt")
    assert torch.allclose(patchify(pixels), expected["pixel_values"].float(), atol=1e-6)


def test_questions_are_asked_as_local_models_are_asked(screen):
    """Pre-training prompts have the very ids that a loaded model gets at run time."""
    sampler = QuestionSampler(shipped_tokenizer(), seed=0)
    local = load_local("random-nano")
    grid = torch.tensor([[1, 16, 16]])
    rng = np.random.default_rng(0)
    for q in sampler.questions(screen, QuestionMix(1, 1, 1, 1), rng, (0, 0)):
        assert sampler.prompt_ids(q.prompt) == local.prompt_ids(q.prompt, grid)
        assert sampler.answer_ids(q.answer) == local.answer_ids(q.answer)


def test_answers_are_right_and_move_with_the_picture(screen):
    sampler = QuestionSampler(shipped_tokenizer(), seed=0)
    find, describe, plan, act = sampler.questions(
        screen, QuestionMix(1, 1, 1, 1), np.random.default_rng(0), (5, -3)
    )
    point = parse_point(PROFILE, FRAME, find.answer)
    assert point is not None
    assert abs(point.x - 45) <= 0.8 and abs(point.y - 37) <= 0.8
    assert describe.answer in ('button "OK"', '"OK"')
    parsed = parse_plan(plan.answer)
    assert parsed is not None and parsed.action_type == "click"
    assert act.answer.startswith("<type>click</type><value>None</value><loc_")


def test_a_draw_depends_on_seed_and_index_only(screen):
    mix = QuestionMix(1, 1, 1, 1)
    a = QuestionSampler(shipped_tokenizer(), seed=3).tree(screen, mix, 7)
    b = QuestionSampler(shipped_tokenizer(), seed=3).tree(screen, mix, 7)
    assert a is not None and b is not None
    assert a.branches == b.branches
    assert torch.equal(a.pixel_values, b.pixel_values)
