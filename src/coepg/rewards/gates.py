"""The gates: a plan with the wrong action type or the wrong value earns nothing."""

from __future__ import annotations

from collections import Counter


def clean_value(value: str | None) -> str | None:
    """A plan's value in one form: None, ``""``, blanks and the word ``None`` all mean "no value".

    Planners write the word ``None`` for an action without a value (Co-EPG Figure 1).

    Example:
        >>> clean_value("None") is None, clean_value("  two words ")
        (True, 'two words')
    """
    stripped = (value or "").strip()
    return None if stripped in ("", "None") else stripped


def token_f1(predicted: str | None, gold: str | None) -> float:
    """F1 of the words of two values, counting repeats.

    With overlap o (each word counted as often as it occurs in both), p predicted and g gold
    words: precision = o/p, recall = o/g, F1 = 2o / (p + g).

    Words are split at white space and compared in lower case. Punctuation and articles stay:
    in a form, ``a``, ``-`` or ``12/03`` is the value itself. Two absent values agree (1), one
    absent value does not (0).

    Example:
        >>> token_f1("New York city", "new york")
        0.8
    """
    words = (clean_value(predicted) or "").lower().split()
    gold_words = (clean_value(gold) or "").lower().split()
    if not words and not gold_words:
        return 1.0
    overlap = (Counter(words) & Counter(gold_words)).total()
    return 2 * overlap / (len(words) + len(gold_words))


def type_match(predicted: str, gold: str) -> bool:
    """r_type: whether the action kinds are the same string (Co-EPG section 4.3)."""
    return predicted == gold


def value_match(predicted: str | None, gold: str | None, threshold: float = 0.5) -> bool:
    """r_value: whether F1(value, gold) is *above* the threshold (Co-EPG section 4.3, 0.5).

    Example:
        >>> value_match("boston", "boston ma"), value_match("boston", "boston ma usa")
        (True, False)
    """
    return token_f1(predicted, gold) > threshold


def names_element(element: str | None) -> bool:
    """Whether a description can refer to anything: it holds a letter or a digit.

    A grounder answers any question, also the empty one, with the likeliest place on the screen. A
    lone quotation mark that hits by such luck must neither be rewarded nor learned from: a planner
    in reinforcement learning finds it within a few updates.

    Example:
        >>> names_element('button "OK"'), names_element('"'), names_element(None)
        (True, False, False)
    """
    return any(c.isalnum() for c in element or "")


def same_value(predicted: str | None, gold: str | None) -> bool:
    """Whether two values are the same words, case aside: the rule for data and for purity.

    The reward's gate (`value_match`) is lenient on purpose; what is learned from must be right.

    Example:
        >>> same_value("Boston", "boston"), same_value("boston", "boston ma")
        (True, False)
    """
    mine, theirs = clean_value(predicted), clean_value(gold)
    return (mine or "").lower() == (theirs or "").lower()
