"""Renders many pages per Chromium screenshot and measures their elements."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Any

from PIL import Image

from coepg.synth.page import Page
from coepg.synth.types import SCREEN_SIZE_PX, Box, Glyph

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright
    from playwright.sync_api import Page as BrowserPage

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
    "--disable-lcd-text",
)
_CSS = """
*{box-sizing:content-box}
html,body{margin:0;background:#fff}
.tile{position:absolute;overflow:hidden;background:#fff;contain:strict;color:#000}
.inner{position:absolute}
.nobars *::-webkit-scrollbar{display:none}
table,button,input,select,textarea{font-family:inherit}
table{font-size:inherit}
h1,h2,p{margin:2px 0}
"""

_MEASURE = """
(size) => {
  for (const el of document.querySelectorAll('[data-scroll]')) el.scrollTop = +el.dataset.scroll;
  const round = (box, origin) => [
    Math.round(box.left - origin.left), Math.round(box.top - origin.top),
    Math.round(box.right - origin.left), Math.round(box.bottom - origin.top)];
  const widest = (el) => {
    const parts = [...el.getClientRects()].filter(r => r.width > 0 && r.height > 0);
    if (!parts.length) return null;
    if (parts.length > 1 && el.textContent && el.textContent.length > 24) {
      return el.getBoundingClientRect();
    }
    return parts.reduce((a, b) => (b.width > a.width ? b : a));
  };
  const hits = (el, x, y) => {
    const hit = document.elementFromPoint(x, y);
    if (!hit) return false;
    return hit === el || el.contains(hit) || hit.contains(el) && (
      el.tagName === 'OPTION' ? hit.tagName === 'SELECT' : el.getClientRects().length > 1);
  };
  return [...document.querySelectorAll('.tile')].map(tile => {
    const origin = tile.getBoundingClientRect();
    const found = [];
    for (const el of tile.querySelectorAll('[data-k]')) {
      const box = widest(el);
      if (!box) continue;
      const [l, t, r, b] = round(box, origin);
      if (r - l < 3 || b - t < 3) continue;
      const over = Math.max(0, -l) + Math.max(0, r - size);
      const high = Math.max(0, -t) + Math.max(0, b - size);
      if (over > 0.1 * (r - l) || high > 0.12 * (b - t)) continue;
      const cx = (box.left + box.right) / 2;
      const cy = (box.top + box.bottom) / 2;
      if (!hits(el, cx, cy)) continue;
      const svg = el.namespaceURI.endsWith('svg');
      const many = el.getClientRects().length > 1;
      if (!svg && !many && !(hits(el, cx, box.top + 2) && hits(el, cx, box.bottom - 2)
          && hits(el, box.left + 2, cy) && hits(el, box.right - 2, cy))) continue;
      const note = tile.querySelector('[data-l="' + el.dataset.k + '"]');
      found.push([+el.dataset.k,
        [Math.max(0, l), Math.max(0, t), Math.min(size, r), Math.min(size, b)],
        note ? round(note.getBoundingClientRect(), origin) : null]);
    }
    return found;
  });
}
"""

_GLYPHS = """
(size) => [...document.querySelectorAll('.tile')].map(tile => {
  const origin = tile.getBoundingClientRect();
  const walker = document.createTreeWalker(tile, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const found = [];
  while (walker.nextNode()) {
    const text = walker.currentNode.data;
    for (let i = 0; i < text.length; i++) {
      if (!text[i].trim()) continue;
      range.setStart(walker.currentNode, i);
      range.setEnd(walker.currentNode, i + 1);
      const box = range.getBoundingClientRect();
      const x = (box.left + box.right) / 2 - origin.left;
      const y = (box.top + box.bottom) / 2 - origin.top;
      if (x >= 1 && y >= 1 && x < size - 1 && y < size - 1) found.push([text[i], x, y]);
    }
  }
  return found;
})
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """Box of one visible node.

    Attributes:
        key: Key of the node.
        box_px: Box of the widget.
        label_box_px: Box of its label text, if it has one.
    """

    key: int
    box_px: Box
    label_box_px: Box | None


@dataclass(frozen=True, slots=True)
class Rendered:
    """Picture of one page, the boxes of its visible nodes, and its letters if asked for."""

    image: Image.Image
    measured: tuple[Measured, ...]
    glyphs: tuple[Glyph, ...] = ()


def find_chromium(executable: str | None = None) -> str:
    """Path of the Chromium to use.

    Raises:
        ValueError: No Chromium is installed, or the given one does not exist.
    """
    if executable is not None:
        found = shutil.which(executable)
        if found is None:
            raise ValueError(f"no Chromium at {executable!r}: give the path of an executable file")
        return found
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return found
    raise ValueError(f"no Chromium found (looked for {', '.join(_NAMES)}): install one")


class Renderer:
    """Headless Chromium that turns pages into pictures and boxes.

    Example:
        >>> with Renderer() as renderer:  # doctest: +SKIP
        ...     renderer.render([draw_page(1), draw_page(2)])
    """

    def __init__(self, executable: str | None = None, tiles_per_row: int = 8) -> None:
        """Keeps the settings; the browser starts on entering the context."""
        self._executable = find_chromium(executable)
        self._tiles_per_row = tiles_per_row
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._page: BrowserPage | None = None

    def __enter__(self) -> Renderer:
        """Starts Chromium."""
        try:
            from playwright.sync_api import sync_playwright
        except ImportError as error:
            raise ValueError(
                "rendering needs Playwright: install the extra with `pip install coepg[browser]`"
            ) from error
        side = self._tiles_per_row * SCREEN_SIZE_PX
        flags = [*_FLAGS]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            flags.append("--no-sandbox")
        self._playwright = sync_playwright().start()
        self._browser = self._playwright.chromium.launch(
            executable_path=self._executable,
            args=flags,
            ignore_default_args=["--hide-scrollbars"],
        )
        context = self._browser.new_context(
            viewport={"width": side, "height": side}, device_scale_factor=1, locale="en-US"
        )
        self._page = context.new_page()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Ends Chromium."""
        if self._browser is not None:
            self._browser.close()
        if self._playwright is not None:
            self._playwright.stop()
        self._browser = self._playwright = self._page = None

    @property
    def batch_size(self) -> int:
        """Most pages that one screenshot holds."""
        return self._tiles_per_row**2

    def render(self, pages: Sequence[Page], with_glyphs: bool = False) -> list[Rendered]:
        """Renders up to batch_size pages with one screenshot.

        Args:
            pages: what to draw.
            with_glyphs: also measure every letter. Letters that something covers are not told
                apart, so the pages should cover none.
        """
        if self._page is None:
            raise ValueError("the renderer is not started: use it in a `with` statement")
        if len(pages) > self.batch_size:
            raise ValueError(f"{len(pages)} pages in a batch: at most {self.batch_size} fit")
        size, columns = SCREEN_SIZE_PX, self._tiles_per_row
        tiles = "".join(
            f'<div class="tile" style="left:{index % columns * size}px;'
            f'top:{index // columns * size}px;width:{size}px;height:{size}px">{page.html}</div>'
            for index, page in enumerate(pages)
        )
        self._page.set_content(
            f"<!DOCTYPE html><html><head><style>{_CSS}</style></head><body>{tiles}</body></html>",
            wait_until="domcontentloaded",
        )
        answer: list[list[Any]] = self._page.evaluate(_MEASURE, size)
        letters = self._page.evaluate(_GLYPHS, size) if with_glyphs else [[] for _ in answer]
        sheet = Image.open(io.BytesIO(self._page.screenshot(animations="allow"))).convert("RGB")
        rendered = []
        for index, (found, places) in enumerate(zip(answer, letters, strict=True)):
            left, top = index % columns * size, index // columns * size
            image = sheet.crop((left, top, left + size, top + size))
            measured = tuple(
                Measured(key, _box(box), None if note is None else _box(note))
                for key, box, note in found
            )
            glyphs = tuple(Glyph(text, (float(x), float(y))) for text, x, y in places)
            rendered.append(Rendered(image, measured, glyphs))
        return rendered


def _box(values: Sequence[int]) -> Box:
    left, top, right, bottom = values
    return int(left), int(top), int(right), int(bottom)
