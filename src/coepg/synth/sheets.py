"""Sheets of words: nothing but text, for learning to read.

A screen of widgets holds some thirty letters that are asked for; a sheet holds four times as
many, half of them in strings that no language model could guess.
"""

from __future__ import annotations

import random

from coepg.synth.page import Page, area
from coepg.synth.stage import Node, Stage, esc

FAMILY = "sheet"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABETS = (
    _LETTERS,
    _LETTERS,
    _LETTERS,
    _LETTERS.upper(),
    "0123456789",
    _LETTERS + _LETTERS.upper() + "0123456789",
)
_FONTS_PX = (10,) * 14 + (9, 11, 12, 13, 13.333, 16)
_INKS = ("#000",) * 15 + ("#222", "#555", "#00e", "#c0392b", "#2a6fb5", "#777")
_PAPERS = ("#fff", "#fff", "#fff", "#eee", "#f6f6f6", "#fdf5ce", "#dfeffc")
_DARK = ("#007fff", "#2a6fb5", "#3a7d44", "#555", "#8a3ab9", "#f22", "#333")


def draw_sheet(seed: int) -> Page:
    """Builds the sheet of one seed: rows of one to three pieces, mostly black 10 px Arial."""
    stage = Stage.from_seed(seed)
    stage.family = FAMILY
    rng = stage.rng
    rows = []
    height = 150.0
    while height > 14:
        font_px = rng.choice(_FONTS_PX)
        gap_px = rng.randint(0, 5)
        height -= 1.35 * font_px + gap_px
        rows.append(_row(stage, font_px, gap_px))
    stage.body = "".join(rows)
    return Page(seed, FAMILY, area(stage), stage.nodes, None, 0, stage)


def _row(stage: Stage, font_px: float, gap_px: int) -> str:
    """One line; its pieces together fill at most the width of the screen."""
    rng = stage.rng
    room = int(150 / (0.56 * font_px))
    pieces: list[str] = []
    while room >= 2 and len(pieces) < 3 and (not pieces or rng.random() < 0.55):
        text = _text(stage, min(room, rng.randint(2, 24)))
        room -= len(text) + 2
        pieces.append(_piece(stage, text).slot)
    indent = rng.randint(0, max(0, int(0.56 * font_px * max(0, room))))
    return (
        f'<div style="font-size:{font_px}px;margin-top:{gap_px}px;padding-left:{indent}px;'
        f'white-space:nowrap">{"&nbsp; ".join(pieces)}</div>'
    )


def _text(stage: Stage, length: int) -> str:
    """Words or random strings of at most ``length`` characters."""
    rng = stage.rng
    parts: list[str] = []
    while not parts or len(" ".join(parts)) < length - 2:
        parts.append(_string(rng) if rng.random() < 0.5 else stage.words.phrase(1))
        if rng.random() < 0.4:
            break
    return " ".join(parts)[:length].strip() or "a"


def _string(rng: random.Random) -> str:
    alphabet = rng.choice(_ALPHABETS)
    text = "".join(rng.choice(alphabet) for _ in range(rng.randint(1, 9)))
    return text.capitalize() if rng.random() < 0.2 else text


def _piece(stage: Stage, text: str) -> Node:
    rng = stage.rng
    style = f"color:{rng.choice(_INKS)};"
    if rng.random() < 0.08:
        style = f"color:#fff;background:{rng.choice(_DARK)};"
    elif rng.random() < 0.2:
        style += f"background:{rng.choice(_PAPERS)};"
    if rng.random() < 0.15:
        style += f"border:1px solid {rng.choice(('#aaa', '#000', '#767676'))};padding:0 3px;"
    style += "font-weight:bold;" if rng.random() < 0.2 else ""
    style += "text-decoration:underline;" if rng.random() < 0.1 else ""
    if rng.random() < 0.08:
        style += f"font-family:{rng.choice(('Verdana', 'Times New Roman', 'sans-serif'))};"
    return stage.add("text", text, lambda n: f'<span {n.mark} style="{style}">{esc(n.name)}</span>')
