"""Nearest-name hints for misspelt words."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``"; did you mean 'lr'?"`` for the nearest known word, or "" if none is near.

    Example:
        >>> did_you_mean("learning_rat", ["learning_rate", "seed"])
        "; did you mean 'learning_rate'?"
    """
    near = get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""
