"""One MiniWoB++ page in a browser: reset with a seed, look, act by real input, read the reward."""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PIL import Image

from coepg.data.miniwob.gold import GoldAction, SkipEpisode
from coepg.data.miniwob.page_scripts import (
    ELEMENT_BOX,
    ELEMENT_COVERED,
    QUIET_STYLE,
    SETTLED,
    START_EPISODE,
)
from coepg.data.miniwob.pages import page_url
from coepg.errors import InfrastructureError
from coepg.types import Box, Size

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Page

VIEWPORT = Size(500, 210)
PICTURE = Size(160, 160)
PICTURE_TOP_PX = 50
"""The picture is the work area below the instruction band, so the task cannot be read from it."""
SCROLL_PX = PICTURE.height // 2
"""What one scroll reveals: half a screen."""
EPISODE_LIMIT_MS = 1_000_000_000
STILL_LIMIT_S = 5.0
HOVER_S = 0.04
"""Between pointing and pressing: some pages change an icon under the pointer, and lose a click
that comes at that moment."""


@dataclass(frozen=True, slots=True)
class VisibleBox:
    """The visible part of an element.

    Attributes:
        box_px: in pixels of the picture, rounded outwards.
        share: visible area over whole area.
    """

    box_px: Box
    share: float


class MiniwobPage:
    """The page of one episode.

    Args:
        page: a Playwright page of size `VIEWPORT`.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.task_name = ""
        self.instruction = ""

    def reset(self, task_name: str, seed: int) -> None:
        """Open the page afresh and start the episode of this seed.

        Raises:
            InfrastructureError: the page did not come up.
        """
        from playwright.sync_api import Error

        self.task_name = task_name
        try:
            self.page.mouse.move(VIEWPORT.width - 1, 0)
            self.page.goto(page_url(task_name), wait_until="load", timeout=20_000)
            self.page.add_style_tag(content=QUIET_STYLE)
            said = self.page.evaluate(START_EPISODE, {"seed": seed, "limitMs": EPISODE_LIMIT_MS})
        except Error as error:
            raise InfrastructureError(f"{task_name}, seed {seed}: {error}") from error
        self.instruction = " ".join(str(said).split())
        self.settle()

    def settle(self, seconds: float = 0.0) -> None:
        """Wait until the page has reacted: at least ``seconds``, then two quiet frames."""
        if seconds:
            self.page.wait_for_timeout(seconds * 1000)
        self.page.evaluate(SETTLED)

    def picture_png(self) -> bytes:
        """The work area as PNG, once two shots in a row agree."""
        clip: Any = {
            "x": 0,
            "y": PICTURE_TOP_PX,
            "width": PICTURE.width,
            "height": PICTURE.height,
        }
        deadline_s = time.monotonic() + STILL_LIMIT_S
        last = b""
        while time.monotonic() < deadline_s:
            shot = self.page.screenshot(clip=clip)
            if shot == last:
                return compact_png(shot)
            last = shot
        raise SkipEpisode("the picture does not come to rest")

    @property
    def reward(self) -> float:
        """The page's raw reward, without time decay."""
        return float(self.js("WOB_RAW_REWARD_GLOBAL"))

    @property
    def done(self) -> bool:
        """Whether the page has ended the episode."""
        return bool(self.js("WOB_DONE_GLOBAL"))

    def js(self, expression: str, argument: object = None) -> Any:
        """The value of a JavaScript expression or function, for reading only."""
        return self.page.evaluate(expression, argument)

    def all(self, css: str) -> list[ElementHandle]:
        """The elements that are displayed, in document order."""
        return [e for e in self.page.query_selector_all(css) if e.is_visible()]

    def one(self, css: str) -> ElementHandle:
        """The first element that is displayed.

        Raises:
            SkipEpisode: there is none.
        """
        found = self.all(css)
        if not found:
            raise SkipEpisode(f"nothing displayed for {css}")
        return found[0]

    def only(self, css: str, text: str) -> ElementHandle:
        """The one displayed element with exactly this text.

        Raises:
            SkipEpisode: there is none, or more than one, so that a name would not say which.
        """
        found = [e for e in self.all(css) if text_of(e) == text]
        if len(found) != 1:
            raise SkipEpisode(f"{len(found)} elements with the text {text!r}")
        return found[0]

    def visible_box(self, element: ElementHandle) -> VisibleBox | None:
        """The part of the element inside the picture and its scrolling parents, or None."""
        found = element.evaluate(ELEMENT_BOX, [PICTURE.width, PICTURE_TOP_PX, VIEWPORT.height])
        if found is None:
            return None
        *corners, share = found
        return VisibleBox(Box(*corners), share)

    def act(self, action: GoldAction, box_px: Box | None) -> None:
        """Carry out an action by mouse and keyboard at the middle of its box."""
        mouse, keyboard = self.page.mouse, self.page.keyboard
        if box_px is None:
            self._scroll(action)
            self.settle(action.settle_s)
            return
        x, y = box_px.center.x, box_px.center.y + PICTURE_TOP_PX
        if action.element.evaluate(ELEMENT_COVERED, [x, y]):
            raise SkipEpisode("another element covers the middle of the target")
        mouse.move(x, y, steps=2)
        self.settle(HOVER_S)
        match action.kind:
            case "click":
                mouse.click(x, y)
            case "hover":
                pass
            case "type":
                mouse.click(x, y)
                keyboard.press("Control+A")
                keyboard.insert_text(action.value or "")
            case "select":
                chosen = action.element.evaluate(
                    "e => e.multiple ? [...e.selectedOptions].map(o => o.label) : []"
                )
                action.element.select_option(label=[*chosen, action.value or ""])
            case _:
                raise ValueError(f"the recorder cannot carry out {action.kind!r}")
        self.settle(action.settle_s)

    def _scroll(self, action: GoldAction) -> None:
        seen = self.visible_box(action.element)
        if seen is None:
            raise SkipEpisode("the scrolling element is not in the picture")
        middle = seen.box_px.center
        self.page.mouse.move(middle.x, middle.y + PICTURE_TOP_PX)
        self.page.mouse.wheel(0, SCROLL_PX if action.value == "down" else -SCROLL_PX)
        self.settle(0.15)


def text_of(element: ElementHandle) -> str:
    """The element's text with single spaces."""
    return " ".join((element.text_content() or "").split())


def compact_png(png: bytes) -> bytes:
    """The same pixels in fewer bytes: a palette where 256 colours are enough."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    if picture.getcolors(256) is not None:
        exact = picture.quantize(256, dither=Image.Dither.NONE)
        if exact.convert("RGB").tobytes() == picture.tobytes():
            picture = exact
    buffer = io.BytesIO()
    picture.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
