"""Gates: token F1 and the many spellings of "no value"."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.rewards.gates import clean_value, token_f1, type_match, value_match

words = st.lists(st.sampled_from(["a", "b", "c", "New", "12/03"]), max_size=6).map(" ".join)


@pytest.mark.parametrize("absent", [None, "", "  ", "None", " None\n"])
@pytest.mark.parametrize("other", [None, "", "None"])
def test_all_spellings_of_no_value_are_equal(absent: str | None, other: str | None) -> None:
    assert clean_value(absent) is None
    assert token_f1(absent, other) == 1.0
    assert value_match(absent, other)


def test_none_in_lower_case_is_a_word() -> None:
    assert clean_value("none") == "none"


@pytest.mark.parametrize(
    ("predicted", "gold", "f1"),
    [
        ("New York city", "new york", 0.8),
        ("the the cat", "the cat cat", 2 / 3),  # repeats count: 2 shared of 3 and 3
        ("a", "the", 0.0),  # articles are kept
        ("12/03", "12 03", 0.0),  # punctuation is kept
        ("down", "up", 0.0),
        ("x", None, 0.0),
        (None, "x", 0.0),
    ],
)
def test_token_f1_by_hand(predicted: str | None, gold: str | None, f1: float) -> None:
    assert token_f1(predicted, gold) == pytest.approx(f1)


@given(words, words)
def test_token_f1_is_symmetric_and_bounded(first: str, second: str) -> None:
    assert 0 <= token_f1(first, second) <= 1
    assert token_f1(first, second) == token_f1(second, first)
    assert token_f1(first, first) == 1.0


def test_threshold_is_exclusive() -> None:
    assert token_f1("a", "a b c") == 0.5
    assert not value_match("a", "a b c")
    assert value_match("a", "a b c", threshold=0.4)


def test_type_match_is_exact() -> None:
    assert type_match("click", "click")
    assert not type_match("Click", "click")
    assert not type_match("double_click", "click")
