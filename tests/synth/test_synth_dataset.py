"""Shards: round trip, resume, damage; and one rendering with a real browser."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

from coepg.synth import load_shard, read_screens, write_screens
from coepg.synth.dataset import make_screen
from coepg.synth.drawing import COLORS
from coepg.synth.page import draw_page
from coepg.synth.render import Renderer, find_chromium
from coepg.synth.types import SCREEN_SIZE_PX


def can_render():
    try:
        find_chromium()
    except ValueError:
        return False
    return importlib.util.find_spec("playwright") is not None


browser = [
    pytest.mark.browser,
    pytest.mark.skipif(not can_render(), reason="no Chromium or Playwright"),
]


@pytest.fixture(scope="module")
def shard(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synth")
    (path,) = write_screens(folder, 96, seed=5)
    return path


class TestWithBrowser:
    pytestmark = browser

    def test_round_trip(self, shard):
        screens = load_shard(shard)
        assert len(screens) == 96
        assert [s.screen_id for s in screens] == [s.screen_id for s in read_screens(shard.parent)]
        for screen in screens:
            image = Image.open(io.BytesIO(screen.png))
            assert image.size == (screen.width, screen.height) == (SCREEN_SIZE_PX,) * 2
            assert image.mode == "RGB"

    def test_boxes_lie_on_the_screen_and_targets_exist(self, shard):
        for screen in load_shard(shard):
            numbers = {e.element_id for e in screen.elements}
            for e in screen.elements:
                left, top, right, bottom = e.box_px
                assert 0 <= left < right <= SCREEN_SIZE_PX
                assert 0 <= top < bottom <= SCREEN_SIZE_PX
            for task in screen.tasks:
                assert task.element_id is None or task.element_id in numbers
                assert (task.value is None) == ("click" in task.action_type)

    def test_expressions_are_unique_on_real_screens(self, shard):
        for screen in load_shard(shard):
            found = [text.casefold() for e in screen.elements for text in e.expressions]
            assert len(found) == len(set(found)), screen.screen_id

    def test_swatch_box_matches_the_pixels(self):
        pages = [draw_page(seed) for seed in range(3000)]
        pages = [page for page in pages if page.family == "palette"][:16]
        checked = 0
        with Renderer() as renderer:
            screens = [
                make_screen(page, rendered)
                for page, rendered in zip(pages, renderer.render(pages), strict=True)
            ]
        for screen in screens:
            pixels = np.asarray(Image.open(io.BytesIO(screen.png)))
            for e in screen.elements:
                if e.role != "swatch" or e.color in ("white", "black", "gray"):
                    continue
                code = COLORS[e.color]
                color = [int(code[i : i + 2], 16) for i in (1, 3, 5)]
                rows, columns = np.nonzero((pixels == color).all(axis=-1))
                left, top, right, bottom = e.box_px
                assert abs(columns.min() - left) <= 2 and abs(columns.max() + 1 - right) <= 2
                assert abs(rows.min() - top) <= 2 and abs(rows.max() + 1 - bottom) <= 2
                checked += 1
        assert checked > 10

    def test_same_seed_gives_the_same_bytes(self, shard, tmp_path):
        (again,) = write_screens(tmp_path, 96, seed=5)
        assert load_shard(again) == load_shard(shard)

    def test_resume_skips_whole_shards_and_repairs_damaged_ones(self, shard, tmp_path):
        copy = tmp_path / shard.name
        copy.write_bytes(shard.read_bytes())
        before = copy.stat().st_mtime_ns
        calls = []
        write_screens(tmp_path, 96, seed=5, progress=lambda done, wanted: calls.append(done))
        assert copy.stat().st_mtime_ns == before
        assert calls == [96]
        copy.write_bytes(shard.read_bytes()[:5000])
        write_screens(tmp_path, 96, seed=5)
        assert load_shard(copy) == load_shard(shard)
        assert list(tmp_path.iterdir()) == [copy]

    def test_other_seed_in_the_same_folder_is_refused(self, shard, tmp_path):
        (tmp_path / shard.name).write_bytes(shard.read_bytes())
        with pytest.raises(ValueError, match="belongs to another run"):
            write_screens(tmp_path, 96, seed=6)

    def test_damaged_shard_names_the_file(self, shard, tmp_path):
        broken = tmp_path / "screens-00000.parquet"
        broken.write_bytes(shard.read_bytes()[:4000])
        with pytest.raises(ValueError, match=r"screens-00000\.parquet: damaged"):
            load_shard(broken)
        with pytest.raises(ValueError, match=r"screens-00000\.parquet"):
            list(read_screens(tmp_path))

    def test_shard_of_another_layout_names_the_file(self, shard, tmp_path):
        other = tmp_path / "screens-00000.parquet"
        pq.write_table(pq.read_table(shard).select(["screen_id", "png"]), other)
        with pytest.raises(ValueError, match=r"screens-00000\.parquet: columns"):
            load_shard(other)


def test_missing_shard_names_the_file(tmp_path):
    with pytest.raises(ValueError, match=r"none\.parquet"):
        load_shard(tmp_path / "none.parquet")


def test_folder_without_shards_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no screens"):
        list(read_screens(tmp_path))


def test_no_screens_are_refused(tmp_path):
    with pytest.raises(ValueError, match="num_screens is 0"):
        write_screens(tmp_path, 0, seed=1)


def test_missing_chromium_is_named():
    with pytest.raises(ValueError, match="no Chromium at"):
        find_chromium("/nowhere/chromium")


def test_reading_needs_neither_torch_nor_playwright():
    code = (
        "import sys\nsys.modules['torch'] = sys.modules['playwright'] = None\nimport coepg.synth\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.browser
def test_sheets_know_their_letters(tmp_path):
    """Every letter of a piece of text is there, from left to right, inside its box."""
    write_screens(tmp_path, 6, 11, kind="sheets")
    checked = 0
    for sheet in read_screens(tmp_path):
        for element in sheet.elements:
            x0, y0, x1, y1 = element.box_px
            inside = [
                g for g in sheet.glyphs
                if x0 - 1 <= g.center_px[0] <= x1 + 1 and y0 - 1 <= g.center_px[1] <= y1 + 1
            ]  # fmt: skip
            text = "".join(g.text for g in sorted(inside, key=lambda g: g.center_px[0]))
            assert text == element.name.replace(" ", "")
            checked += 1
    assert checked > 30
