from __future__ import annotations

import math
from dataclasses import replace

import pytest

from coepg.models.answers import coordinate_spans, format_point, parse_point, tokens_in_spans
from coepg.models.base import GroundingRequest, Observation, Sampling
from coepg.models.local import (
    LocalActor,
    LocalDescriber,
    LocalEngine,
    LocalGrounder,
    LocalPlanner,
)
from coepg.models.local import engine as engine_module
from coepg.models.local.pictures import EncodedPictures
from coepg.models.profile import PROFILES
from coepg.models.prompts import Prompt, planner_prompt
from coepg.prefix.generate import Generated
from coepg.prefix.score import score_answers
from coepg.prefix.tree import make_tree
from coepg.types import Box, Point, Size, Step

BOX = Box(10, 10, 40, 30)


def step(screenshot, number=0, *, action="click", box=BOX, history=()) -> Step:
    return Step(
        step_id=f"e/{number}", episode_id="e", task_name="t", split="train", step_index=number,
        num_steps=9, instruction="Click the Save button", history=tuple(history),
        screenshot=screenshot, action_type=action, value=None, target_box_px=box,
    )  # fmt: skip


SAMPLING = Sampling(num_samples=3, temperature=1.0, max_tokens=6, seed=4)


def test_rollouts_hold_the_sampled_tokens_and_their_logprobs(nano, store):
    steps = [step(store.noise(160, 160, 0)), step(store.noise(100, 60, 1), 1)]
    planner = LocalPlanner(nano, store, Observation())
    groups = planner.plan(steps, SAMPLING)
    assert [[(r.step_id, r.sample_index) for r in g] for g in groups] == [
        [("e/0", 0), ("e/0", 1), ("e/0", 2)],
        [("e/1", 0), ("e/1", 1), ("e/1", 2)],
    ]
    for s, group in zip(steps, groups, strict=True):
        values, grid = planner.engine.pictures(s.screenshot.image_hash)
        prompt = nano.prompt_ids(planner_prompt(nano.profile, s), grid)
        tree = make_tree([prompt] * 3, [r.token_ids for r in group], values, grid)
        for rollout, scores in zip(group, score_answers(nano, [tree], 1.0)[0], strict=True):
            assert rollout.token_logprobs == pytest.approx(scores, rel=1e-4)
            assert rollout.text == nano.decode(rollout.token_ids)
            assert rollout.plan is None, "an untrained model writes no plan"
            assert rollout.reward is None


def test_samples_depend_on_neither_batch_size_nor_cache(nano, store):
    steps = [step(store.noise(60 + 20 * i, 80, i), i) for i in range(5)]
    steps.append(step(steps[0].screenshot, 5, history=["[button] Save -> click"]))
    wide = LocalPlanner(nano, store, Observation(), batch_size=16).plan(steps, SAMPLING)
    narrow = LocalPlanner(nano, store, Observation(), batch_size=2).plan(steps, SAMPLING)
    assert [[r.token_ids for r in g] for g in wide] == [[r.token_ids for r in g] for g in narrow]


def test_prompts_on_one_picture_share_a_tree(nano, store, monkeypatch):
    seen = []
    real = engine_module.generate

    def spy(local, trees, **kwargs):
        seen.extend(len(t.branches) for t in trees)
        return real(local, trees, **kwargs)

    monkeypatch.setattr(engine_module, "generate", spy)
    monkeypatch.setattr(engine_module, "MAX_BRANCHES", 3)
    a, b = store.noise(60, 60, 0), store.noise(80, 60, 1)
    counted = []
    engine = LocalEngine(nano, store, batch_size=2, on_batch=counted.append)
    rows = [
        [Prompt("find: a"), Prompt("find: b")],
        [Prompt("find: c")],
        [],
        [Prompt("find: d")] * 3,
    ]
    answers = engine.ask([a, b, b, a], rows, Sampling(max_tokens=2))
    assert [len(r) for r in answers] == [2, 1, 0, 3]
    assert all(len(s) == 1 for r in answers for s in r)
    assert seen == [3, 2, 1], "five prompts on a in trees of at most three, one on b"
    assert counted == [5, 6]
    assert store.asked.count(a.image_hash) == 1
    assert answers[3][0][0].token_ids == answers[3][1][0].token_ids
    mixed = engine.ask([a], [[Prompt("x", "system one"), Prompt("x", "two")]], Sampling())
    assert len(mixed[0]) == 2, "other system texts cannot share a prefix with the picture"


def test_the_cache_of_pictures_is_bounded_and_drops_the_oldest(nano, store):
    shots = [store.noise(160, 160, i) for i in range(3)]
    one = nano.encode_image(store.pictures[shots[0].image_hash])[0].nbytes
    pictures = EncodedPictures(nano, store, max_bytes=2 * one)
    for i in (0, 1, 0, 2, 0, 1):
        pictures(shots[i].image_hash)
    asked = [[s.image_hash for s in shots].index(h) for h in store.asked]
    assert asked == [0, 1, 2, 1]
    assert pictures.num_bytes == 2 * one
    tight = EncodedPictures(nano, store, max_bytes=1)
    tight(shots[0].image_hash)
    assert tight.num_bytes == one, "the newest is always kept"


class Scripted(LocalGrounder):
    """A grounder whose engine answers from a script."""

    def __init__(self, local, store, answers):
        super().__init__(local, store, name="scripted")
        self.questions = []

        def ask(screens, prompts, sampling):
            assert sampling.temperature == 0
            self.questions += [[p.user for p in row] for row in prompts]
            return [[[self.answer(answers[p.user.removeprefix("find: ")])] for p in row]
                    for row in prompts]  # fmt: skip

        self.engine.ask = ask

    def answer(self, text) -> Generated:
        ids = tuple(self.engine.local.answer_ids(text))
        return Generated(ids, tuple(-0.1 * k for k in range(len(ids))), True)


def test_grounder_asks_each_element_once_and_keeps_coordinate_logprobs(nano, store):
    shot, other = store.noise(160, 100, 0), store.noise(60, 60, 1)
    grounder = Scripted(
        nano, store, {"a": "<loc_10><loc_50>", "b": "no 3", "c": "x <loc_99><loc_00>"}
    )
    requests = [
        GroundingRequest(shot, ("a", "b", "a")),
        GroundingRequest(other, ()),
        GroundingRequest(other, ("c",)),
    ]
    first, second, third = grounder.ground(requests)
    assert grounder.questions == [["find: a", "find: b"], ["find: c"]]
    assert first[0] is first[2]
    assert first[0].point_px == Point(160 * 0.105, 100 * 0.505)
    assert first[0].token_logprobs == pytest.approx((0.0, -0.1))
    assert first[1].point_px is None and first[1].token_logprobs == ()
    assert second == []
    at = len(nano.answer_ids("x ")) - 1
    assert third[0].token_logprobs == pytest.approx((-0.1 * at, -0.1 * (at + 1)))


def test_grounder_reads_points_in_digits(nano, store):
    local = replace(nano, profile=replace(PROFILES["qwen3_vl"], resize_factor_px=20))
    text = "\u00e9 4: (512, 7) or (1, 2)"
    grounder = Scripted(local, store, {})
    answer = grounder.answer(text)
    grounding = grounder._grounding(local.frame(Size(200, 100)), answer)
    assert grounding.point_px == parse_point(local.profile, local.frame(Size(200, 100)), text)
    assert grounding.point_px.x == pytest.approx(102.4)
    digits = [k for k, i in enumerate(answer.token_ids) if local.decode([i]).strip().isdigit()]
    assert len(grounding.token_logprobs) == 4, "5, 1, 2 and 7, not the other digits"
    assert grounding.token_logprobs == tuple(answer.token_logprobs[k] for k in digits[1:5])


def test_spans_of_coordinates():
    xy, loc = PROFILES["qwen2_5_vl"], PROFILES["tiny"]
    assert coordinate_spans(xy, "at (12, 3.5)") == ((4, 6), (8, 11))
    assert coordinate_spans(loc, "<loc_01> <loc_22>") == ((5, 7), (14, 16))
    assert coordinate_spans(xy, "nothing") == ()
    assert tokens_in_spans(["at", " (1", "2,", " 3.", "5)"], [(4, 6), (8, 11)]) == [1, 2, 3, 4]
    assert tokens_in_spans(["", "ab"], [(0, 1)]) == [1]
    assert tokens_in_spans(["ab"], []) == []


def test_an_untrained_grounder_answers_everything(nano, store):
    (row,) = LocalGrounder(nano, store).ground(
        [GroundingRequest(store.noise(60, 60, 2), ("x", "y"))]
    )
    assert len(row) == 2
    assert all(g.raw or g.point_px is None for g in row)
    assert all(math.isfinite(p) and p <= 0 for g in row for p in g.token_logprobs)


def test_describer_skips_steps_without_target(nano, store):
    shot = store.noise(60, 60, 3)
    steps = [step(shot), step(shot, 1, action="scroll", box=None), step(shot, 2)]
    texts = LocalDescriber(nano, store).describe(steps, SAMPLING)
    assert [len(t) for t in texts] == [3, 0, 3]
    assert all(isinstance(t, str) for row in texts for t in row)


def test_actor_returns_rollouts_and_points(nano, store):
    shot = store.noise(160, 160, 4)
    actor = LocalActor(nano, store, Observation())
    (group,) = actor.act([step(shot)], SAMPLING)
    assert [a.rollout.sample_index for a in group] == [0, 1, 2]
    assert all(a.point_px is None and a.rollout.plan is None for a in group)
    text = "<type>click</type><value>None</value>" + format_point(
        nano.profile, nano.frame(shot.size), Point(80, 40)
    )
    ids = tuple(nano.answer_ids(text))
    actor.engine.ask = lambda *_: [[[Generated(ids, (0.0,) * len(ids), True)]]]
    ((answer,),) = actor.act([step(shot)], Sampling())
    assert answer.rollout.plan.action_type == "click"
    assert answer.point_px == Point(160 * 0.505, 160 * 0.255)
