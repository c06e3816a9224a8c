"""Letters first: the vision tower learns which letter stands where, before any language.

A language model of this size learns to read from its own loss only after very many screens: until
the picture's tokens hold letters, attending to them does not pay, and until it pays, nothing tells
the vision tower to hold them. So the tower is trained directly at first. For every letter of a
sheet (`coepg.synth.sheets`), the merged token that holds the letter's centre, and the centre's
place inside that token, are given, and a small head names the letter. The head is thrown away.

    loss = -mean_g log p(c_g | MLP(h[token(g)] + e_x[dx(g)] + e_y[dy(g)]))

h: the tower's merged tokens; dx, dy: pixels from the token's corner; c: one of 94 printable ASCII
characters.
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
from coepg.synth.types import SynthScreen
from coepg.train.from_scratch import FromScratchTrainer, epoch_order
from coepg.train.questions import moved, patchify

FIRST_CHARACTER = "!"
NUM_CHARACTERS = 94
MAX_SHIFT_PX = 10
SIDE_PX = GRID * PATCH_SIZE_PX
TOKEN_PX = PATCH_SIZE_PX * MERGE
TOKENS_A_SIDE = GRID // MERGE
HEAD_WIDTH = 256
VISION_FILE = "vision.safetensors"


@dataclass(frozen=True, slots=True)
class GlyphSample:
    """The letters of one sheet: G of them.

    Attributes:
        patches: ``(GRID * GRID, patch_dim)`` float32.
        token: ``(G,)`` index of the merged token that holds the letter's centre.
        offset_px: ``(G, 2)`` centre minus the token's corner, x and y.
        label: ``(G,)`` character number.
    """

    patches: torch.Tensor
    token: torch.Tensor
    offset_px: torch.Tensor
    label: torch.Tensor


def glyph_sample(sheet: SynthScreen, shift_px: tuple[int, int] = (0, 0)) -> GlyphSample:
    """The printable ASCII letters of a sheet that is moved by ``shift_px``, white coming in."""
    dx, dy = shift_px
    rows = [
        (int(g.center_px[0]) + dx, int(g.center_px[1]) + dy, ord(g.text) - ord(FIRST_CHARACTER))
        for g in sheet.glyphs
        if len(g.text) == 1 and 0 <= ord(g.text) - ord(FIRST_CHARACTER) < NUM_CHARACTERS
    ]
    rows = [r for r in rows if 2 <= r[0] < SIDE_PX - 2 and 2 <= r[1] < SIDE_PX - 2]
    x, y, label = torch.tensor(rows, dtype=torch.long).reshape(-1, 3).unbind(1)
    pixels = np.asarray(Image.open(io.BytesIO(sheet.png)).convert("RGB"))
    return GlyphSample(
        patchify(moved(pixels, dx, dy)),
        (y // TOKEN_PX) * TOKENS_A_SIDE + x // TOKEN_PX,
        torch.stack([x % TOKEN_PX, y % TOKEN_PX], dim=1),
        label,
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


class GlyphReader(nn.Module):
    """A vision tower and the head that names letters from its merged tokens."""

    def __init__(self, visual: nn.Module, width: int, seed: int) -> None:
        super().__init__()
        self.visual = visual
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.offset_x_embed = nn.Embedding(TOKEN_PX, width)
            self.offset_y_embed = nn.Embedding(TOKEN_PX, width)
            self.head = nn.Sequential(
                nn.Linear(width, HEAD_WIDTH), nn.GELU(), nn.Linear(HEAD_WIDTH, NUM_CHARACTERS)
            )
            for table in (self.offset_x_embed, self.offset_y_embed):
                nn.init.normal_(table.weight, std=0.3)

    def forward(self, samples: Sequence[GlyphSample]) -> torch.Tensor:
        """Logits of every letter of every sheet, in order: ``(sum of G, 94)``."""
        device = self.offset_x_embed.weight.device
        grid = torch.tensor([[1, GRID, GRID]] * len(samples), device=device)
        patches = torch.cat([s.patches for s in samples]).to(device)
        merged = self.visual(patches, grid_thw=grid).pooler_output
        first = torch.arange(len(samples)) * TOKENS_A_SIDE**2
        token = torch.cat([s.token + f for s, f in zip(samples, first, strict=True)]).to(device)
        offset = torch.cat([s.offset_px for s in samples]).to(device)
        place = self.offset_x_embed(offset[:, 0]) + self.offset_y_embed(offset[:, 1])
        logits: torch.Tensor = self.head(merged[token] + place)
        return logits


class GlyphTrainer(FromScratchTrainer):
    """Trains a `GlyphReader`."""

    def compute_loss(
        self, model: Any, inputs: dict[str, Any], return_outputs: bool = False, **_: Any
    ) -> torch.Tensor:
        """Mean cross-entropy over the letters."""
        samples = inputs["samples"]
        return nn.functional.cross_entropy(
            model(samples), torch.cat([s.label for s in samples]).to(model.head[0].weight.device)
        )


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
