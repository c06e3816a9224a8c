from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont

from coepg.models.base import GroundingRequest, Sampling
from coepg.models.ocr import OcrDescriber, OcrGrounder, describe_box, upscale_of
from coepg.models.ocr_match import Target, best_match, match_text, parse_target
from coepg.types import Box, Point, Screenshot, ScreenText, Size, Step, TextSource

SIZE = Size(160, 160)
SHOT = Screenshot("h", SIZE)


def text(words: str, x0: float, y0: float, x1: float, y1: float) -> ScreenText:
    return ScreenText(words, Box(x0, y0, x1, y1), TextSource.OCR)


FORM = (
    text("Edit", 10, 5, 30, 15),
    text("Name", 10, 30, 40, 40),
    text("Password", 10, 60, 60, 70),
    text("Save changes", 10, 100, 80, 110),
    text("Edit", 120, 140, 150, 150),
    text("OK", 10, 140, 30, 150),
    text("Look", 50, 140, 80, 150),
)


def ground(element: str, texts=FORM, min_score: float = 0.5):
    grounder = OcrGrounder(None, min_score=min_score)
    ((grounding,),) = grounder.ground([GroundingRequest(SHOT, (element,), texts)])
    return grounding


@pytest.mark.parametrize(
    ("element", "point"),
    [
        ('button "Save changes"', (45, 105)),
        ('button "save CHANGES"', (45, 105)),
        ('button "Save changed"', (45, 105)),
        ('the word "changes"', (10 + 70 * 8.5 / 12, 105)),
        ('link "OK"', (20, 145)),
        ('link "Edit" at the bottom right', (135, 145)),
        ('link "Edit" in the upper left corner', (20, 10)),
        ('link "Edit" at the bottom', (135, 145)),
        ('link "Edit"', (20, 10)),
        ("the \u201cLook\u201d link", (65, 145)),
        ("press 'Look' now", (65, 145)),
        ("the Look link", (65, 145)),
        ("the save changes button", (45, 105)),
        ('text field right of "Name"', (70, 35)),
        ('icon to the right of the text "Name"', (47, 35)),
        ('icon left of "Look"', (43, 145)),
        ('checkbox above "Password"', (35, 50)),
        ('icon below "Save changes"', (45, 120)),
        ('button right of "OK"', (65, 145)),
        ('button next to "OK"', (65, 145)),
        ('text field "Name"', (25, 50)),
        ('password field "Password"', (35, 80)),
    ],
)
def test_points(element, point):
    found = ground(element).point_px
    assert (found.x, found.y) == pytest.approx(point)


def test_a_label_with_no_room_below_has_its_field_on_the_right():
    rows = (text("To:", 5, 30, 20, 40), text("Subject: hello", 5, 45, 90, 55))
    assert ground('text field "To:"', rows).point_px == Point(50, 35)


def test_points_stay_on_the_screen():
    rows = (text("Total", 140, 3, 159, 13),)
    assert ground('icon right of "Total"', rows).point_px == Point(159, 8)
    assert ground('icon above "Total"', rows).point_px == Point(149.5, 0)


@pytest.mark.parametrize(
    "element", ["red circle", "2nd text field", "icon at the top left", "", "'"]
)
def test_plans_that_name_no_text_are_left_to_others(element):
    assert ground(element) is None


def test_quoted_text_that_is_not_there_is_a_miss():
    elsewhere = tuple(ScreenText(t.text, t.box_px, TextSource.DOM) for t in FORM)
    for texts in (FORM, (text("a", 0, 0, 9, 9), *elsewhere)):
        grounding = ground('button "Zoom window"', texts)
        assert grounding is not None and grounding.point_px is None
        assert grounding.token_logprobs == ()


def test_confidence_is_the_score_of_the_match():
    assert ground('"Save changes"').token_logprobs == (0.0,)
    inside = ground('"changes"').token_logprobs[0]
    misread = ground('"Save chances"').token_logprobs[0]
    assert inside == pytest.approx(math.log(0.9))
    assert inside > math.log(0.5) and misread < 0
    assert ground('"xyz"', min_score=0.0).token_logprobs[0] >= math.log(1e-3)


def test_merged_and_misread_words_are_found_in_their_line():
    line = text("Sitlibero guamid ultrices", 0, 0, 100, 10)
    merged = match_text("Sit", line)
    assert merged.score == pytest.approx(0.8)
    assert (merged.box_px.x0, merged.box_px.x1) == pytest.approx((0, 12))
    misread = match_text("quamid", line)
    assert 0.5 < misread.score < 0.8
    assert 35 < misread.box_px.center.x < 60
    assert match_text("OK", text("Look", 0, 0, 9, 9)).score == 0
    assert match_text("x", text("  ", 0, 0, 9, 9)).score == 0


@given(st.text(max_size=12), st.text(max_size=20))
def test_scores_are_shares_and_boxes_lie_inside(query, words):
    item = text(words, 10, 10, 90, 20)
    match = match_text(query, item)
    assert 0 <= match.score <= 1
    assert 10 - 1e-6 <= match.box_px.x0 <= match.box_px.x1 <= 90 + 1e-6
    if query.strip() and query.casefold() == words.casefold():
        assert match.score == 1


@given(st.text(max_size=60))
def test_any_expression_can_be_parsed(element):
    target = parse_target(element, FORM)
    if target is not None:
        best_match(target, FORM, SIZE)
        ground(element)


def test_parse_target():
    assert parse_target('icon to the left of the text "A b"', ()) == Target(
        "A b", "icon to the left of the text", "left"
    )
    assert parse_target('row over "x" in the lower right corner', ()).region == ("bottom", "right")
    assert parse_target('row over "x"', ()).relation == "above"
    assert parse_target("tab at the top: 'Home'", ()).region == ("top",)


class Store:
    def __init__(self, picture=None) -> None:
        self.picture = picture
        self.asked = 0

    def image(self, image_hash):
        self.asked += 1
        return self.picture


def step(box, texts=FORM, action="click") -> Step:
    return Step(
        step_id="e/0", episode_id="e", task_name="t", split="train", step_index=0, num_steps=1,
        instruction="x", history=(), screenshot=SHOT, action_type=action, value=None,
        target_box_px=box, screen_text=texts,
    )  # fmt: skip


def test_describer_quotes_what_is_inside_or_near_and_unique():
    describer = OcrDescriber(Store())
    inside, near, none = describer.describe(
        [step(Box(5, 95, 90, 115)), step(Box(50, 28, 120, 42)), step(None, action="scroll")],
        Sampling(2),
    )
    assert inside[0] == '"Save changes"'
    assert near == ['element right of "Name"', 'element above "Password"']
    assert none == []
    assert describe_box(Box(5, 0, 40, 20), FORM)[0] != '"Edit"', "two texts read Edit"
    assert describe_box(Box(0, 0, 9, 9), ()) == []


def test_what_the_describer_quotes_the_grounder_finds():
    for item in FORM:
        box = Box(item.box_px.x0 - 2, item.box_px.y0 - 2, item.box_px.x1 + 2, item.box_px.y1 + 2)
        for expression in describe_box(box, FORM):
            if expression.startswith('"'):
                assert box.contains(ground(expression).point_px)


def test_pictures_are_read_once_and_only_if_needed():
    pytest.importorskip("rapidocr")
    picture = Image.new("RGB", (160, 160), "white")
    draw = ImageDraw.Draw(picture)
    font = ImageFont.load_default(14)
    draw.text((10, 20), "Cancel", "black", font)
    draw.text((80, 110), "Submit", "black", font)
    store = Store(picture)
    grounder = OcrGrounder(store)
    request = GroundingRequest(SHOT, ('button "Submit"', 'button "Cancel"', "red circle"))
    (first, second, third), (again,) = grounder.ground(
        [request, GroundingRequest(SHOT, ('button "Submit"',))]
    )
    assert Box(80, 110, 130, 128).contains(first.point_px)
    assert Box(10, 20, 60, 38).contains(second.point_px)
    assert third is None
    assert again == first
    assert store.asked == 1
    grounder.ground([GroundingRequest(Screenshot("other", SIZE), ())])
    assert store.asked == 1


def test_large_screens_are_not_enlarged():
    assert [upscale_of(Size(s, s // 2)) for s in (160, 400, 600, 1200, 2560)] == [3, 3, 2, 1, 1]
