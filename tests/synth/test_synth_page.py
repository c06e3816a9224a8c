"""Pages: seeds, scripts, wording."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.synth.drawing import COLORS, SHAPES, shape_svg
from coepg.synth.icons import ICON_PURPOSES, ICONS, icon_svg
from coepg.synth.page import FAMILIES, draw_page
from coepg.synth.phrases import Phrases
from coepg.synth.stage import Stage, Step
from coepg.synth.templates import TEMPLATES
from coepg.synth.widgets import field, tick
from coepg.synth.words import WordSource


@given(st.integers(0, 2**40))
def test_same_seed_gives_the_same_page(seed):
    first, second = draw_page(seed), draw_page(seed)
    assert first.html == second.html
    assert (first.family, first.step) == (second.family, second.step)


@given(st.integers(0, 2**40))
def test_no_placeholder_is_left(seed):
    assert "\u27e6" not in draw_page(seed).html


def test_every_family_is_drawn():
    assert {draw_page(seed).family for seed in range(1500)} == set(FAMILIES)


def test_typed_values_show_after_their_step():
    shown = 0
    for seed in range(400):
        page = draw_page(seed)
        if page.family == "login" and page.step:
            assert page.script is not None
            value = page.script.steps[page.step - 1].value
            assert f'value="{value}"' in page.html
            shown += 1
    assert shown > 3


def test_history_lines():
    stage = Stage.from_seed(1)
    node = field(stage, "Name", 60)
    assert Step(node, "type", "bob").history_line == "[text field] Name -> type: bob"
    assert Step(node).history_line == "[text field] Name -> click"
    assert Step(field(stage, "", 60), "type", "x").history_line == "[text field] -> type: x"
    assert Step(None, "scroll", "down").history_line == "[screen] -> scroll: down"


def test_radio_buttons_of_a_group_exclude_each_other():
    stage = Stage.from_seed(1)
    one, two = (tick(stage, name, radio_group="g") for name in ("one", "two"))
    stage.perform(Step(one))
    stage.perform(Step(two))
    assert (one.checked, two.checked) == (False, True)


def test_a_click_toggles_a_checkbox():
    stage = Stage.from_seed(1)
    box = tick(stage, "one")
    stage.perform(Step(box))
    assert box.checked
    stage.perform(Step(box))
    assert not box.checked


@pytest.mark.parametrize("kind", sorted(TEMPLATES))
def test_each_kind_has_six_wordings_with_the_same_inputs(kind):
    assert len(set(TEMPLATES[kind])) >= 6
    slots = {name: "VALUE" for text in TEMPLATES[kind] for name in re.findall(r"\{(\w+)\}", text)}
    for seed in range(30):
        assert "{" not in Phrases(random.Random(seed)).say(kind, **slots)


def test_tone_leaves_values_as_they_are():
    for seed in range(300):
        text = Phrases(random.Random(seed)).say("type_only", qv="Maya Totho", role="text field")
        assert "Maya Totho" in text


def test_words_have_two_to_ten_letters():
    words = WordSource(random.Random(0))
    assert all(2 <= len(words.made_up()) <= 10 for _ in range(500))


def test_distinct_texts_differ_in_more_than_case():
    texts = WordSource(random.Random(3)).distinct(40)
    assert len({text.casefold() for text in texts}) == 40


def test_values_fit_their_labels():
    words = WordSource(random.Random(0))
    assert "@" in words.value_for("Email")
    assert words.value_for("Zip code").isdigit()
    assert not all(words.value_for("Message").isdigit() for _ in range(20))


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_carry_their_mark(shape):
    assert 'data-k="3"' in shape_svg(shape, 20, COLORS["red"], 'data-k="3"', "a")


@pytest.mark.parametrize("icon", sorted(ICONS))
def test_icons_have_no_open_slots(icon):
    assert "{" not in icon_svg(icon, 12, "#444")


def test_purposes_belong_to_icons():
    assert set(ICON_PURPOSES) <= set(ICONS)
