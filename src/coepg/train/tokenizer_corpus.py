"""What the tiny tokenizer is trained on: the words of synthetic tasks and expressions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from coepg.models.tokenizer import train_tokenizer
from coepg.synth.types import SynthScreen

_FRAME = (
    "user\nassistant\nfind\ndescribe\nread\nplan\nact\nscreen\nNone\n->\n"
    "click\ntype\nselect\nscroll"
)


def corpus(screens: Iterable[SynthScreen]) -> Iterator[str]:
    """Instructions, history and the expressions of all elements."""
    for screen in screens:
        yield _FRAME
        for task in screen.tasks:
            yield "\n".join([task.instruction, *task.history])
        for element in screen.elements:
            yield "\n".join(element.expressions)


def make_tokenizer(screens: Iterable[SynthScreen], out_dir: Path) -> Any:
    """Train the tokenizer and write it to ``out_dir``."""
    tokenizer = train_tokenizer(corpus(screens))
    tokenizer.save_pretrained(out_dir)
    return tokenizer
