"""Referring expressions fit one element alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from coepg.synth.describe import describe, reading_order, region_of
from coepg.synth.types import ScreenElement


def element(number, role, name, box, **more):
    return ScreenElement(number, role, name, box, **more)


def test_role_name_text_and_bare_role_when_alone():
    screen = [
        element(0, "button", "Go", (0, 0, 30, 15)),
        element(1, "link", "Help", (100, 100, 130, 112)),
    ]
    assert describe(screen[0], screen)[:3] == ['button "Go"', '"Go"', "button"]


def test_twins_are_told_apart_by_region_and_order_only():
    screen = [
        element(0, "button", "Go", (0, 0, 30, 15)),
        element(1, "button", "go", (120, 140, 150, 155)),
    ]
    found = describe(screen[0], screen)
    assert 'button "Go"' not in found and '"Go"' not in found
    assert 'button "Go" at the top left' in found
    assert "1st button" in found
    assert "last button" in describe(screen[1], screen)


def test_field_is_named_by_its_label_and_content():
    field = element(
        0, "text field", "Name", (40, 10, 100, 25), value="bob", label_box_px=(5, 10, 35, 25)
    )
    other = element(
        1, "text field", "City", (40, 30, 100, 45), value="Rome", label_box_px=(5, 30, 35, 45)
    )
    found = describe(field, [field, other])
    assert found[0] == 'text field "Name"'
    assert 'text field with "bob"' in found
    assert 'text field right of "Name"' in found
    assert '"Name"' not in found


def test_checkbox_is_left_of_its_label():
    box = element(0, "checkbox", "tulip", (0, 0, 13, 13), label_box_px=(15, 0, 40, 13))
    other = element(1, "checkbox", "rose", (0, 20, 13, 33), label_box_px=(15, 20, 40, 33))
    assert 'checkbox left of "tulip"' in describe(box, [box, other])


def test_shapes_use_as_many_traits_as_needed():
    screen = [
        element(0, "shape", "", (0, 0, 30, 30), color="red", shape="circle", size="large"),
        element(1, "shape", "", (50, 0, 62, 12), color="red", shape="circle", size="small"),
        element(2, "shape", "k", (90, 0, 120, 30), color="green", shape="triangle", size="large"),
    ]
    assert describe(screen[0], screen)[0] == "large red circle"
    found = describe(screen[2], screen)
    assert found[0] == "green triangle"
    assert 'green triangle "k"' in found and "triangle" in found


def test_shape_forms_ignore_texts_of_other_roles():
    screen = [
        element(0, "swatch", "", (0, 0, 10, 10), color="blue"),
        element(1, "icon", "trash", (50, 0, 60, 10)),
        element(2, "icon", "trash", (50, 100, 60, 110)),
        element(3, "text", "Ann", (10, 0, 40, 10)),
    ]
    assert describe(screen[0], screen)[0] == "blue swatch"
    assert 'trash icon right of "Ann"' in describe(screen[1], screen)
    assert "trash icon" not in describe(screen[1], screen)


def test_cells_of_a_full_board_have_row_and_column():
    board = [
        element(
            row * 2 + column, "cell", "", (column * 20, row * 20, column * 20 + 19, row * 20 + 19)
        )
        for row in range(2)
        for column in range(2)
    ]
    assert "cell in row 2, column 1" in describe(board[2], board)
    assert not any("row" in text for text in describe(board[2], board[1:]))


def test_scrolled_lists_have_no_ordinals():
    screen = [
        element(0, "list item", "one", (0, 0, 60, 12)),
        element(1, "list item", "two", (0, 14, 60, 26)),
    ]
    assert "1st list item" in describe(screen[0], screen)
    assert "1st list item" not in describe(screen[0], screen, frozenset({"list item"}))


def test_reading_order_goes_line_by_line():
    screen = [
        element(0, "button", "c", (0, 40, 20, 52)),
        element(1, "button", "b", (60, 2, 80, 14)),
        element(2, "button", "a", (0, 0, 20, 12)),
    ]
    assert [e.name for e in reading_order(screen)] == ["a", "b", "c"]


def test_region_is_unnamed_near_a_border():
    assert region_of((70, 70, 90, 90)) == "center"
    assert region_of((45, 0, 62, 10)) is None
    assert region_of((0, 60, 20, 100)) == "left"


NAMES = st.sampled_from(["", "Go", "go", "Save", "Name", "12"])
ROLES = st.sampled_from(
    ["button", "link", "text", "text field", "checkbox", "shape", "icon", "cell"]
)
PLACES = st.tuples(st.integers(0, 140), st.integers(0, 145))


@st.composite
def screens(draw):
    made = []
    for number in range(draw(st.integers(1, 8))):
        left, top = draw(PLACES)
        made.append(
            element(
                number,
                draw(ROLES),
                draw(NAMES),
                (left, top, left + 18, top + 12),
                color=draw(st.sampled_from(["red", "blue"])),
                shape=draw(st.sampled_from(["circle", "star"])),
                size=draw(st.sampled_from(["", "small", "large"])),
                value=draw(st.sampled_from(["", "bob"])),
            )
        )
    return made


@given(screens())
def test_no_expression_is_shared(screen):
    found = [text for e in screen for text in {t.casefold() for t in describe(e, screen)}]
    assert len(found) == len(set(found))


@given(screens())
def test_expressions_are_distinct_and_not_blank(screen):
    for e in screen:
        found = describe(e, screen)
        assert len(found) == len(set(found))
        assert all(text.strip() == text and text for text in found)
