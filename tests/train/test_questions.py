from dataclasses import replace

import numpy as np
import pytest
import torch
from PIL import Image

from coepg.models.answers import format_point, parse_plan, parse_point
from coepg.models.local import load_local
from coepg.models.tiny import build_image_processor
from coepg.models.tokenizer import shipped_tokenizer
from coepg.prefix.tree import num_tokens
from coepg.synth.types import ScreenElement, ScreenTask, SynthScreen
from coepg.train.pretrain import POOL_BATCHES, PretrainSettings, ScreenTrees
from coepg.train.questions import (
    FRAME,
    PROFILE,
    QuestionMix,
    QuestionSampler,
    patchify,
    read_question,
)
from coepg.types import Point


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
    for q in sampler.questions(screen, QuestionMix(1, 1, 1, 1, 1), rng, (0, 0)):
        assert sampler.prompt_ids(q.prompt) == local.prompt_ids(q.prompt, grid)
        assert sampler.answer_ids(q.answer) == local.answer_ids(q.answer)


def test_answers_are_right_and_move_with_the_picture(screen):
    sampler = QuestionSampler(shipped_tokenizer(), seed=0)
    read, find, describe, plan, act = sampler.questions(
        screen, QuestionMix(1, 1, 1, 1, 1), np.random.default_rng(0), (5, -3)
    )
    assert read.prompt.user == "read:"
    assert read.answer == find.answer + 'button "OK"'
    point = parse_point(PROFILE, FRAME, find.answer)
    assert point is not None
    assert abs(point.x - 45) <= 0.8 and abs(point.y - 37) <= 0.8
    assert describe.answer in ('button "OK"', '"OK"')
    parsed = parse_plan(plan.answer)
    assert parsed is not None and parsed.action_type == "click"
    assert act.answer.startswith("<type>click</type><value>None</value><loc_")


def test_a_draw_depends_on_seed_and_index_only(screen):
    mix = QuestionMix(1, 1, 1, 1, 1)
    a = QuestionSampler(shipped_tokenizer(), seed=3).tree(screen, mix, 7)
    b = QuestionSampler(shipped_tokenizer(), seed=3).tree(screen, mix, 7)
    assert a is not None and b is not None
    assert a.branches == b.branches
    assert torch.equal(a.pixel_values, b.pixel_values)


def test_a_run_of_a_long_screen_is_read_from_the_place_that_is_given(screen):
    """With room for two of five elements, the run starts where the prompt says."""
    rows = tuple(
        ScreenElement(k, "text", f"w{k}", (10, 30 * k, 50, 30 * k + 10), expressions=(f"w{k}",))
        for k in range(5)
    )
    centers = [(row, Point(*row.center_px)) for row in rows]
    places = [format_point(PROFILE, FRAME, center) for _, center in centers]
    starts = set()
    for seed in range(40):
        q = read_question(np.random.default_rng(seed), list(reversed(centers)), 2)
        first = places.index(q.prompt.user.removeprefix("read:")) if q.prompt.user != "read:" else 0
        starts.add(first)
        answer = q.prompt.user.removeprefix("read:") + q.answer
        assert answer == f"{places[first]}w{first}{places[first + 1]}w{first + 1}"
    assert starts == {0, 1, 2, 3}


def test_batches_hold_trees_of_like_length_and_every_draw_once(screen):
    settings = PretrainSettings(size="nano", num_steps=21, batch_size=4, seed=5)
    long = replace(screen, elements=tuple(
        replace(screen.elements[0], element_id=k, box_px=(20, 5 * k, 60, 5 * k + 4))
        for k in range(9)
    ))  # fmt: skip
    trees = ScreenTrees([screen, long], QuestionSampler(shipped_tokenizer(), 5), settings)
    packed = [num_tokens(trees[i]) for i in range(len(trees))]
    assert sorted(packed) == sorted(num_tokens(trees.draw(i)) for i in range(len(trees)))
    again = ScreenTrees([screen, long], QuestionSampler(shipped_tokenizer(), 5), settings)
    assert [num_tokens(again[i]) for i in (70, 3)] == [packed[70], packed[3]]
    pool = packed[: POOL_BATCHES * 4]
    spread = [max(pool[k : k + 4]) - min(pool[k : k + 4]) for k in range(0, len(pool), 4)]
    assert sum(spread) <= max(pool) - min(pool)
