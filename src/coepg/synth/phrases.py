"""Instruction wording: many templates a kind, with varied quotes, case and tone."""

from __future__ import annotations

import random
import re

from coepg.synth.templates import TEMPLATES
from coepg.synth.vocabulary import listed

_SLOT = re.compile(r"\{(\w+)\}")

_COMMANDS = frozenset(
    listed(
        """
        Click Press Hit Tap Go Choose Activate Find Put Pick Use Follow Open Visit Locate Select
        Point Touch Set Type Enter Write Fill Key Complete Log Sign Tick Check Mark Turn Enable
        Switch Untick Clear Remove Disable Change Take Show Bring Expand Unfold Uncover Confirm
        Accept Cancel Dismiss Close Look Search Read Copy Repeat Scroll Move Count Compute
        Calculate Solve Double-click Right-click Focus Place Start Raise Increase Lower Decrease
        Register Create Make Send
        """
    )
)
"""First words of templates that a polite opening can go before."""

_POLITE = ("Please ", "Could you ", "Kindly ", "I want you to ", "You should ", "Now ")


class Phrases:
    """Draws instruction texts from one seeded generator."""

    def __init__(self, rng: random.Random) -> None:
        """Keeps the generator."""
        self._rng = rng

    def quote(self, text: str) -> str:
        """The text in double quotes, single quotes or bare."""
        pick = self._rng.random()
        if pick < 0.55:
            return f'"{text}"'
        return text if pick < 0.85 else f"'{text}'"

    def join(self, texts: list[str]) -> str:
        """Listing of the texts, all quoted the same way."""
        rng = self._rng
        mark = rng.choice(('"', "", "", "'"))
        quoted = [f"{mark}{text}{mark}" for text in texts]
        if len(quoted) == 1:
            return quoted[0]
        pick = rng.random()
        if pick < 0.4:
            return ", ".join(quoted)
        comma = "," if pick < 0.6 and len(quoted) > 2 else ""
        return ", ".join(quoted[:-1]) + comma + " and " + quoted[-1]

    def say(self, kind: str, **slots: str) -> str:
        """One instruction of the kind.

        Slots whose name starts with `q` are quoted at random; the others go in
        as they are.
        """
        template = self._tone(self._rng.choice(TEMPLATES[kind]))

        def fill(match: re.Match[str]) -> str:
            name = match.group(1)
            return self.quote(slots[name]) if name.startswith("q") else slots[name]

        return _SLOT.sub(fill, template)

    def _tone(self, text: str) -> str:
        """Same template, polite, lower case or plain, with or without a full stop."""
        rng = self._rng
        if text.split()[0] in _COMMANDS and rng.random() < 0.1:
            text = rng.choice(_POLITE) + text[:1].lower() + text[1:]
        if rng.random() < 0.15:
            text = text[:1].lower() + text[1:]
        if rng.random() < 0.55 and text[-1] not in "?.!":
            text += "."
        return text
