"""Comparisons of typed text that several benchmarks share."""

from __future__ import annotations

import string
from collections.abc import Iterable


def set_f1(predicted: Iterable[str], gold: Iterable[str]) -> float:
    """F1 of two sets: 2 |A & B| / (|A| + |B|); both empty 1, one empty 0.

    Example:
        >>> set_f1({"type", "boston"}, {"type", "boston", "ma"})
        0.8
    """
    a, b = set(predicted), set(gold)
    if not a and not b:
        return 1.0
    return 2 * len(a & b) / (len(a) + len(b))


def without_punctuation(words: Iterable[str]) -> set[str]:
    """The words less those that are a piece of ``string.punctuation``.

    This is how MindAct, SeeAct and UGround write "drop punctuation": single marks go, and so do
    the few runs such as ``()`` that stand in that string.
    """
    return {word for word in words if word not in string.punctuation}


def contains_either_way(a: str, b: str) -> bool:
    """Whether one text contains the other. An empty text is contained in every text.

    Example:
        >>> contains_either_way("Boston", "Boston MA"), contains_either_way("", "x")
        (True, True)
    """
    return a in b or b in a


def clean_lower(text: str) -> str:
    """Lower case, without blanks around."""
    return text.lower().strip()
