"""Source of visible text: made-up words, everyday words, names and codes."""

from __future__ import annotations

import random

from coepg.synth.vocabulary import (
    CITIES,
    COMMON_WORDS,
    COUNTRIES,
    FIRST_NAMES,
    LAST_NAMES,
    MONTHS,
    UI_WORDS,
    listed,
)

_ONSETS = listed("b c d f g h j k l m n p r s t v w z br ch cl cr dr fl gr pl pr sh st tr th qu")
_VOWELS = listed("a e i o u a e i o u ai ea ee io oa ou")
_CODAS = listed("n r s t l m d k p x ng nd st rt")

_DATE_LABELS = frozenset(listed("date day departure arrival due start"))
_NUMBER_LABELS = frozenset(
    listed("age number amount quantity zip room copies guests tickets nights count level speed")
)


class WordSource:
    """Draws visible texts from one seeded generator.

    Example:
        >>> WordSource(random.Random(1)).made_up() == WordSource(random.Random(1)).made_up()
        True
    """

    def __init__(self, rng: random.Random) -> None:
        """Keeps the generator that every draw uses."""
        self._rng = rng

    def made_up(self) -> str:
        """Pronounceable word of 2 to 10 letters that means nothing."""
        rng = self._rng
        length = rng.choice((2, 3, 4, 4, 5, 5, 6, 6, 7, 8, 9, 10))
        text = rng.choice(_VOWELS)[:1] if rng.random() < 0.25 else ""
        while len(text) < length:
            text += rng.choice(_ONSETS) + rng.choice(_VOWELS)
            if rng.random() < 0.35:
                text += rng.choice(_CODAS)
        return text[:length]

    def code(self) -> str:
        """Short string of letters and digits."""
        rng = self._rng
        alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 6)))

    def number(self) -> str:
        """Whole number, price, decimal or negative number."""
        rng = self._rng
        pick = rng.random()
        if pick < 0.55:
            return str(rng.randint(0, 10 ** rng.randint(1, 4)))
        if pick < 0.8:
            return f"${rng.randint(1, 300)}" + (f".{rng.randint(0, 99):02d}" if pick < 0.72 else "")
        if pick < 0.9:
            return f"{rng.randint(0, 99)}.{rng.randint(0, 9)}"
        return f"-{rng.randint(1, 99)}"

    def date(self) -> str:
        """Day in one of three written forms."""
        rng = self._rng
        month, day, year = rng.randint(1, 12), rng.randint(1, 28), rng.randint(1990, 2029)
        return rng.choice(
            (
                f"{month:02d}/{day:02d}/{year}",
                f"{year}-{month:02d}-{day:02d}",
                f"{MONTHS[month - 1][:3]} {day}",
            )
        )

    def phone(self) -> str:
        """Telephone number with separators."""
        rng = self._rng
        separator = rng.choice("- .")
        digits = [str(rng.randint(100, 999)), str(rng.randint(100, 999))]
        return separator.join([*digits, str(rng.randint(1000, 9999))][rng.randint(0, 1) :])

    def email(self) -> str:
        """Address at a made-up host."""
        user = self._rng.choice(FIRST_NAMES).lower() if self._rng.random() < 0.5 else self.made_up()
        return f"{user}@{self.made_up()}.{self._rng.choice(('com', 'org', 'net', 'io'))}"

    def lower_word(self) -> str:
        """One lower-case word from any of the word lists."""
        pick = self._rng.random()
        if pick < 0.4:
            return self.made_up()
        if pick < 0.7:
            return self._rng.choice(COMMON_WORDS)
        return self._rng.choice(UI_WORDS)

    def recase(self, text: str) -> str:
        """Same text lower, capitalised or in capitals."""
        pick = self._rng.random()
        if pick < 0.4:
            return text
        return text[:1].upper() + text[1:] if pick < 0.87 else text.upper()

    def word(self) -> str:
        """One visible word of any case; now and then a name, code or number."""
        pick = self._rng.random()
        if pick < 0.72:
            return self.recase(self.lower_word())
        if pick < 0.8:
            return self._rng.choice(FIRST_NAMES)
        if pick < 0.86:
            return self._rng.choice(COUNTRIES)
        return self.code() if pick < 0.92 else self.number()

    def phrase(self, max_words: int = 3) -> str:
        """One to max_words words, most often one."""
        count = self._rng.choice((1, 1, 1, 2, 2, 3))
        words = [self.word()] + [self.lower_word() for _ in range(min(count, max_words) - 1)]
        return " ".join(words)

    def distinct(self, count: int, max_words: int = 1) -> list[str]:
        """Texts that differ in more than case."""
        found: dict[str, str] = {}
        while len(found) < count:
            text = self.phrase(max_words)
            found.setdefault(text.casefold(), text)
        return list(found.values())

    def sentence(self, num_words: int) -> str:
        """Words in a row with a capital, a few commas and a full stop."""
        words = [self.lower_word() for _ in range(num_words)]
        for index in range(num_words - 1):
            if self._rng.random() < 0.1:
                words[index] += ","
        return " ".join(words).capitalize() + "."

    def person(self) -> str:
        """First name, sometimes with a last name."""
        first = self._rng.choice(FIRST_NAMES)
        return first if self._rng.random() < 0.6 else f"{first} {self._rng.choice(LAST_NAMES)}"

    def secret(self) -> str:
        """Password of letters and digits."""
        return self.made_up() + (
            str(self._rng.randint(0, 99)) if self._rng.random() < 0.5 else self.code()
        )

    def value_for(self, label: str) -> str:
        """Text that a person could type into a field with this label."""
        key = label.casefold()
        if "mail" in key:
            return self.email()
        if "phone" in key:
            return self.phone()
        parts = set(key.split())
        if parts & _DATE_LABELS:
            return self.date()
        if parts & _NUMBER_LABELS:
            return str(self._rng.randint(1, 9999))
        if "name" in key:
            return self.person()
        if "country" in key:
            return self._rng.choice(COUNTRIES)
        if key in ("city", "from", "to"):
            return self._rng.choice(CITIES)
        return self.phrase()
