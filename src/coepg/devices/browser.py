"""Chromium through Playwright: found on this machine, started quietly, one page at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from coepg.errors import InfrastructureError
from coepg.types import Size

if TYPE_CHECKING:
    from playwright.sync_api import Page

BINARY_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BINARY_VARIABLE = "COEPG_CHROMIUM"
QUIET_FLAGS = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
    "--disable-smooth-scrolling",
    "--disable-lcd-text",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
)
"""Flags for closed networks (no background requests) and for pictures that repeat exactly."""
INSTALL_HINT = (
    "install it (Debian: apt install chromium; Ubuntu: snap install chromium; or Google Chrome) "
    f"or name the program in {BINARY_VARIABLE}"
)


def find_chromium(binary: str | None = None, environment: Mapping[str, str] | None = None) -> str:
    """The path of a Chromium program.

    Args:
        binary: a path or program name to use instead of looking for one.
        environment: where `BINARY_VARIABLE` and ``PATH`` are read; the process's own by default.

    Raises:
        InfrastructureError: there is none; says how to install one.
    """
    variables = os.environ if environment is None else environment
    asked = binary or variables.get(BINARY_VARIABLE)
    for name in (asked,) if asked else BINARY_NAMES:
        path = shutil.which(name, path=variables.get("PATH"))
        if path:
            return path
    looked_for = asked or ", ".join(BINARY_NAMES)
    raise InfrastructureError(f"no Chromium found (looked for {looked_for}): {INSTALL_HINT}")


def chromium_flags(*, as_root: bool) -> list[str]:
    """Command-line flags; the sandbox is given up only where it cannot work, as root."""
    return [*QUIET_FLAGS, *(["--no-sandbox"] if as_root else [])]


class Browser:
    """A running Chromium with one page. Use it as a context manager.

    Args:
        viewport: size of the page in CSS pixels; screenshots have the same size.
        binary: see `find_chromium`.
        headless: False shows the window.

    Example:
        >>> with Browser(Size(500, 210)) as browser:  # doctest: +SKIP
        ...     browser.page.goto("about:blank")
    """

    def __init__(self, viewport: Size, *, binary: str | None = None, headless: bool = True) -> None:
        self.viewport = viewport
        self.headless = headless
        self.binary = find_chromium(binary)
        self._playwright: Any = None
        self._browser: Any = None
        self._page: Page | None = None

    @property
    def page(self) -> Page:
        """The page."""
        if self._page is None:
            raise InfrastructureError("the browser is not running: use it in a with statement")
        return self._page

    def start(self) -> None:
        """Start Chromium and open an empty page."""
        try:
            from playwright.sync_api import Error, sync_playwright
        except ImportError as error:
            raise InfrastructureError(
                "Playwright is not installed: pip install 'coepg[browser]'"
            ) from error
        self._playwright = sync_playwright().start()
        try:
            self._browser = self._playwright.chromium.launch(
                executable_path=self.binary,
                headless=self.headless,
                args=chromium_flags(as_root=hasattr(os, "geteuid") and os.geteuid() == 0),
                ignore_default_args=["--hide-scrollbars"],
            )
            self.new_page()
        except Error as error:
            self.close()
            raise InfrastructureError(f"{self.binary} did not start: {error}") from error

    def new_page(self) -> Page:
        """Replace the page by a fresh one, without cookies, storage or history."""
        if self._page is not None:
            self._page.context.close()
        context = self._browser.new_context(
            viewport={"width": self.viewport.width, "height": self.viewport.height},
            device_scale_factor=1,
            locale="en-US",
            timezone_id="UTC",
        )
        self._page = context.new_page()
        assert self._page is not None
        return self._page

    def close(self) -> None:
        """Stop Chromium; harmless when it does not run."""
        if self._browser is not None:
            self._browser.close()
        if self._playwright is not None:
            self._playwright.stop()
        self._playwright = self._browser = self._page = None

    def __enter__(self) -> Browser:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
