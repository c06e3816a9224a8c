"""Letters first: the vision tower learns which letter stands where, before any language.

A language model of this size learns to read from its own loss only after very many screens: until
the picture's tokens hold letters, attending to them does not pay, and until it pays, nothing tells
the vision tower to hold them. So the tower is trained directly at first. For every letter of a
sheet (`coepg.synth.sheets`), the merged token that holds the letter's centre, and the centre's
place inside that token, are given. Small heads name the letter, the one after it on the line, and
the token's own column and row: what a language model needs to look a place up, to read its
letter, and to go on to the next. The heads are thrown away.

    z_g = h[token(g)],  u_g = z_g + e_x[dx(g)] + e_y[dy(g)]
    loss = -mean_g [log p(c_g | MLP(u_g)) + log p(next_g | MLP'(u_g))
                    + (log p(column_g | W z_g) + log p(row_g | W' z_g)) / 2]

h: the tower's merged tokens; dx, dy: pixels from the token's corner; c: one of 94 printable ASCII
characters; next: the same, or none.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from safetensors.torch import load_file, save_file
from torch import nn
from torch.utils.data import Dataset
from transformers import TrainingArguments
from transformers.trainer_utils import get_last_checkpoint

from coepg.models.tiny import GRID, MERGE, PATCH_SIZE_PX
from coepg.synth.types import Glyph, SynthScreen
from coepg.train.from_scratch import FromScratchTrainer, epoch_order
from coepg.train.questions import moved, patchify

FIRST_CHARACTER = "!"
NUM_CHARACTERS = 94
MAX_SHIFT_PX = 10
SIDE_PX = GRID * PATCH_SIZE_PX
TOKEN_PX = PATCH_SIZE_PX * MERGE
TOKENS_A_SIDE = GRID // MERGE
HEAD_WIDTH = 256
MAX_ADVANCE_PX = 14
"""Two letters with centres closer than this on one line are neighbours, a space apart at most."""
VISION_FILE = "vision.safetensors"


@dataclass(frozen=True, slots=True)
class GlyphSample:
    """The letters of one sheet: G of them.

    Attributes:
        patches: ``(GRID * GRID, patch_dim)`` float32.
        token: ``(G,)`` index of the merged token that holds the letter's centre.
        offset_px: ``(G, 2)`` centre minus the token's corner, x and y.
        label: ``(G,)`` character number.
        next_label: ``(G,)`` number of the character after it; `NUM_CHARACTERS` for none.
    """

    patches: torch.Tensor
    token: torch.Tensor
    offset_px: torch.Tensor
    label: torch.Tensor
    next_label: torch.Tensor


def _with_next(glyphs: Sequence[Glyph]) -> list[tuple[int, int, int, int]]:
    """x, y, character number and number of the next character, of the printable ASCII glyphs."""
    known = [
        (*g.center_px, ord(g.text) - ord(FIRST_CHARACTER))
        for g in glyphs
        if len(g.text) == 1 and 0 <= ord(g.text) - ord(FIRST_CHARACTER) < NUM_CHARACTERS
    ]
    rows = []
    for k, (x, y, label) in enumerate(known):
        after = known[k + 1] if k + 1 < len(known) else (x, y, NUM_CHARACTERS)
        is_near = 0 < after[0] - x <= MAX_ADVANCE_PX and abs(after[1] - y) <= 1
        rows.append((int(x), int(y), label, int(after[2]) if is_near else NUM_CHARACTERS))
    return rows


def glyph_sample(sheet: SynthScreen, shift_px: tuple[int, int] = (0, 0)) -> GlyphSample:
    """The printable ASCII letters of a sheet that is moved by ``shift_px``, white coming in."""
    dx, dy = shift_px
    rows = [(x + dx, y + dy, *labels) for x, y, *labels in _with_next(sheet.glyphs)]
    rows = [r for r in rows if 2 <= r[0] < SIDE_PX - 2 and 2 <= r[1] < SIDE_PX - 2]
    x, y, label, next_label = torch.tensor(rows, dtype=torch.long).reshape(-1, 4).unbind(1)
    pixels = np.asarray(Image.open(io.BytesIO(sheet.png)).convert("RGB"))
    return GlyphSample(
        patchify(moved(pixels, dx, dy)),
        (y // TOKEN_PX) * TOKENS_A_SIDE + x // TOKEN_PX,
        torch.stack([x % TOKEN_PX, y % TOKEN_PX], dim=1),
        label,
        next_label,
    )


class GlyphSheets(Dataset[GlyphSample]):
    """Draw number i -> the letters of a sheet, every epoch in a new order and moved anew."""

    def __init__(self, sheets: Sequence[SynthScreen], num_draws: int, seed: int) -> None:
        self.sheets = sheets
        self.num_draws = num_draws
        self.seed = seed

    def __len__(self) -> int:
        return self.num_draws

    def __getitem__(self, index: int) -> GlyphSample:
        epoch, position = divmod(index, len(self.sheets))
        order = epoch_order(self.seed, 76, epoch, len(self.sheets))
        shifts = np.random.default_rng([self.seed, 75, index]).integers(
            -MAX_SHIFT_PX, MAX_SHIFT_PX + 1, size=2
        )
        sheet = self.sheets[order[position]]
        return glyph_sample(sheet, (int(shifts[0]), int(shifts[1])))


@dataclass(frozen=True, slots=True)
class GlyphLogits:
    """What the heads say of G letters: ``(G, classes)`` each."""

    letter: torch.Tensor
    next_letter: torch.Tensor
    column: torch.Tensor
    row: torch.Tensor


class GlyphReader(nn.Module):
    """A vision tower and the heads that name letters and places from its merged tokens."""

    def __init__(self, visual: nn.Module, width: int, seed: int) -> None:
        super().__init__()
        self.visual = visual
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.offset_x_embed = nn.Embedding(TOKEN_PX, width)
            self.offset_y_embed = nn.Embedding(TOKEN_PX, width)
            self.letter_head = _mlp(width, NUM_CHARACTERS)
            self.next_head = _mlp(width, NUM_CHARACTERS + 1)
            self.column_head = nn.Linear(width, TOKENS_A_SIDE)
            self.row_head = nn.Linear(width, TOKENS_A_SIDE)
            for table in (self.offset_x_embed, self.offset_y_embed):
                nn.init.normal_(table.weight, std=0.3)

    def forward(self, samples: Sequence[GlyphSample]) -> GlyphLogits:
        """Logits of every letter of every sheet, in order."""
        device = self.offset_x_embed.weight.device
        grid = torch.tensor([[1, GRID, GRID]] * len(samples), device=device)
        patches = torch.cat([s.patches for s in samples]).to(device)
        merged = self.visual(patches, grid_thw=grid).pooler_output
        first = torch.arange(len(samples)) * TOKENS_A_SIDE**2
        token = torch.cat([s.token + f for s, f in zip(samples, first, strict=True)]).to(device)
        offset = torch.cat([s.offset_px for s in samples]).to(device)
        at_token = merged[token]
        at_letter = at_token + self.offset_x_embed(offset[:, 0]) + self.offset_y_embed(offset[:, 1])
        return GlyphLogits(
            self.letter_head(at_letter),
            self.next_head(at_letter),
            self.column_head(at_token),
            self.row_head(at_token),
        )


def _mlp(width: int, num_classes: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Linear(width, HEAD_WIDTH), nn.GELU(), nn.Linear(HEAD_WIDTH, num_classes)
    )


def glyph_loss(logits: GlyphLogits, samples: Sequence[GlyphSample]) -> torch.Tensor:
    """The loss of the module's text: a scalar."""
    device = logits.letter.device

    def error(scores: torch.Tensor, labels: list[torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(scores, torch.cat(labels).to(device))

    column = error(logits.column, [s.token % TOKENS_A_SIDE for s in samples])
    row = error(logits.row, [s.token // TOKENS_A_SIDE for s in samples])
    letter = error(logits.letter, [s.label for s in samples])
    return letter + error(logits.next_letter, [s.next_label for s in samples]) + (column + row) / 2


class GlyphTrainer(FromScratchTrainer):
    """Trains a `GlyphReader`."""

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, **_: Any
    ) -> torch.Tensor:
        """See `glyph_loss`."""
        samples = inputs["samples"]
        num_patches = sum(len(s.patches) for s in samples)
        self.throughput.count(num_patches, num_patches)
        return glyph_loss(model(samples), samples)


def learn_glyphs(
    visual: nn.Module,
    width: int,
    sheets: Sequence[SynthScreen],
    work_dir: Path,
    arguments: TrainingArguments,
    learning_rates: tuple[float, float],
) -> list[dict[str, float]]:
    """Train a vision tower on letters in place, or load what an earlier process trained.

    Args:
        visual: the tower of a tiny model.
        width: of its merged tokens.
        sheets: sheets of words, with their letters.
        work_dir: for checkpoints and the finished tower.
        arguments: of the Trainer.
        learning_rates: peaks of Muon and AdamW.

    Returns:
        The training log; empty if the tower was finished already.
    """
    finished = work_dir / VISION_FILE
    if finished.is_file():
        visual.load_state_dict(load_file(finished))
        return []
    num_draws = arguments.max_steps * arguments.per_device_train_batch_size
    trainer = GlyphTrainer(
        model=GlyphReader(visual, width, arguments.seed),
        args=arguments,
        train_dataset=GlyphSheets(sheets, num_draws, arguments.seed),
        data_collator=lambda samples: {"samples": samples},
    )
    trainer.learning_rates = learning_rates
    trainer.train(resume_from_checkpoint=get_last_checkpoint(str(arguments.output_dir)))
    draft = finished.with_suffix(".tmp")
    save_file({k: v.contiguous() for k, v in visual.state_dict().items()}, draft)
    draft.replace(finished)
    return trainer.state.log_history
