import io

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import nn

from coepg.models.tiny import build_model
from coepg.models.tokenizer import shipped_tokenizer
from coepg.synth.types import Glyph, SynthScreen
from coepg.train.glyphs import GlyphReader, GlyphSheets, glyph_loss, glyph_sample
from coepg.train.muon import MuonAdamW
from coepg.train.questions import patchify


def sheet(glyphs, seed=0):
    picture = Image.new("RGB", (160, 160), "white")
    for glyph in glyphs:
        x, y = glyph.center_px
        ImageDraw.Draw(picture).text((x - 3, y - 6), glyph.text, fill="black")
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return SynthScreen(f"s{seed}", seed, buffer.getvalue(), 160, 160, glyphs=tuple(glyphs))


def test_a_letter_belongs_to_the_token_that_holds_its_centre():
    sample = glyph_sample(sheet([Glyph("A", (45.5, 21.0)), Glyph("é", (9.0, 9.0))]))
    assert sample.token.tolist() == [2 * 16 + 4]
    assert sample.offset_px.tolist() == [[5, 1]]
    assert sample.label.tolist() == [ord("A") - ord("!")]


def test_letters_move_with_the_picture_and_may_leave_it():
    letters = sheet([Glyph("A", (45.0, 21.0)), Glyph("B", (155.0, 80.0))])
    sample = glyph_sample(letters, (8, -3))
    assert sample.token.tolist() == [1 * 16 + 5]
    assert sample.offset_px.tolist() == [[3, 8]]
    whole = np.asarray(Image.open(io.BytesIO(letters.png)).convert("RGB"))
    shifted = np.full_like(whole, 255)
    shifted[:157, 8:] = whole[3:, :152]
    assert torch.equal(sample.patches, patchify(shifted))


def test_the_next_letter_is_the_near_one_on_the_same_line():
    word = [Glyph("A", (40.0, 21.5)), Glyph("b", (47.0, 21.5)), Glyph("c", (54.0, 22.0))]
    far = [Glyph("D", (80.0, 22.0)), Glyph("e", (86.0, 34.0))]
    none = 94
    found = glyph_sample(sheet([*word, *far])).next_label.tolist()
    assert found == [ord("b") - 33, ord("c") - 33, none, none, none]


def test_draws_depend_on_seed_and_index_only():
    sheets = [sheet([Glyph(c, (50.0, 50.0))], k) for k, c in enumerate("abc")]
    a, b = GlyphSheets(sheets, 9, 4), GlyphSheets(sheets, 9, 4)
    later = [b[i].label.tolist() for i in (7, 2)]
    assert [a[i].label.tolist() for i in (7, 2)] == later
    assert sorted(a[i].label.item() for i in range(3)) == [ord(c) - 33 for c in "abc"]


def test_a_tower_learns_to_tell_letters_apart():
    torch.manual_seed(0)
    rng = np.random.default_rng(0)
    samples = [
        glyph_sample(
            sheet([Glyph(c, (20 * col + 8.0, 20 * row + 9.0))
                   for row in range(8) for col in range(8) for c in rng.choice(list("OIX"))])
        )
        for _ in range(2)
    ]  # fmt: skip
    model = build_model("nano", shipped_tokenizer(), seed=0)
    reader = GlyphReader(model.model.visual, model.config.text_config.hidden_size, seed=0)
    optimizer = MuonAdamW(reader, 4e-3, 2e-3)
    label = torch.cat([s.label for s in samples])
    before = nn.functional.cross_entropy(reader(samples).letter, label).item()
    for _ in range(80):
        glyph_loss(reader(samples), samples).backward()
        optimizer.step()
        optimizer.zero_grad()
    after = nn.functional.cross_entropy(reader(samples).letter, label).item()
    assert after < 0.2 * before
