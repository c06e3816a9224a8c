"""The local server of the viewer: one page, its script and style, JSON, and pictures by hash.

Nothing that a request says ever becomes a path: files of the page are looked up in a fixed table,
pictures in the image store by their SHA-256, collections by key.
"""

from __future__ import annotations

import errno
import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from socketserver import TCPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from coepg.errors import ConfigError, UserError
from coepg.view.api import ViewerApi
from coepg.view.index import Query

SCRIPTS = ("backend.js", "picture.js", "panels.js", "page.js")
"""The page's scripts, in the order in which they are loaded."""
PAGE_FILES = {
    "/": ("viewer.html", "text/html; charset=utf-8"),
    "/viewer.css": ("viewer.css", "text/css; charset=utf-8"),
    **{f"/{name}": (name, "text/javascript; charset=utf-8") for name in SCRIPTS},
}
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_IMAGE = re.compile(r"/image/([0-9a-f]{64})")
_IMAGE_TYPES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"BM", "image/bmp"),
)


class ViewerServer(ThreadingHTTPServer):
    """Serves one source.

    Args:
        api: what the page asks.
        host: address to listen on.
        port: 0 takes a free one.

    Raises:
        ConfigError: the address or port cannot be listened on.
    """

    daemon_threads = True

    def __init__(self, api: ViewerApi, host: str = "127.0.0.1", port: int = 0) -> None:
        self.api = api
        self._host = host.lower()
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            is_used = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
            raise ConfigError(
                f"--host {host} --port {port}",
                found="the port is in use" if is_used else str(error),
                expected="an address of this machine and a free port",
                fix="--port 0 takes a free port",
            ) from error

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name, which may take long."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self._host, int(self.server_address[1])

    @property
    def url(self) -> str:
        """Where the page is."""
        host, port = str(self.server_address[0]), self.server_address[1]
        shown = "127.0.0.1" if host == "0.0.0.0" else host
        return f"http://{shown}:{port}/"

    def accepts(self, host_header: str) -> bool:
        """Whether a request may name this host.

        A page of somebody else's name that resolves to this machine (DNS rebinding) would
        otherwise read the data: names are refused but for localhost and the one listened on.
        """
        name = (urlsplit(f"//{host_header}").hostname or "").lower()
        if name in ("localhost", self._host):
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


class _Handler(BaseHTTPRequestHandler):
    server: ViewerServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a request of the page."""
        try:
            accepted = self.server.accepts(self.headers.get("Host", ""))
            parts = urlsplit(self.path)
        except ValueError:
            return self._refuse(HTTPStatus.BAD_REQUEST, "not an address")
        if not accepted:
            return self._refuse(HTTPStatus.FORBIDDEN, "this host name is not served")
        if parts.path in PAGE_FILES:
            name, kind = PAGE_FILES[parts.path]
            return self._send(HTTPStatus.OK, kind, page_file(name))
        if match := _IMAGE.fullmatch(parts.path):
            return self._send_image(match[1])
        if parts.path in _CALLS:
            return self._send_json(_CALLS[parts.path], parts.query)
        return self._refuse(HTTPStatus.NOT_FOUND, "no such page")

    def _send_json(self, call: Callable[[ViewerApi, _Values], Any], query: str) -> None:
        values = _Values({k: v[-1] for k, v in parse_qs(query).items()})
        try:
            found = call(self.server.api, values)
        except UserError as error:
            return self._refuse(HTTPStatus.UNPROCESSABLE_ENTITY, str(error))
        except ValueError as error:
            return self._refuse(HTTPStatus.BAD_REQUEST, str(error))
        body = json.dumps(found, allow_nan=False).encode()
        return self._send(HTTPStatus.OK, "application/json", body)

    def _send_image(self, image_hash: str) -> None:
        try:
            data = self.server.api.image(image_hash)
        except UserError as error:
            return self._refuse(HTTPStatus.NOT_FOUND, str(error))
        # The name is the hash of the bytes, so what was fetched once never changes.
        age = {"Cache-Control": "private, max-age=31536000, immutable"}
        return self._send(HTTPStatus.OK, image_type(data), data, age)

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._send(status, "application/json", json.dumps({"error": why}).encode())

    def _send(
        self,
        status: HTTPStatus,
        kind: str,
        body: bytes,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.send_response(status)
        values = {"Cache-Control": "no-store", **_HEADERS, **(headers or {})}
        for name, value in values.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the reader has moved on to another step

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing of requests that went well, or of ones that were refused."""


class _Values(dict[str, str]):
    """The values of an address, by name."""

    def number(self, name: str) -> int:
        """A whole number.

        Raises:
            ValueError: it is none.
        """
        text = self.get(name, "0")
        if not re.fullmatch(r"-?\d{1,12}", text):
            raise ValueError(f"{name}: a whole number is expected, not {text[:40]!r}")
        return int(text)

    @property
    def key(self) -> str:
        """The collection's key."""
        return self.get("collection", "")

    @property
    def filters(self) -> Query:
        """The filters."""
        return Query(**{name: self.get(name, "") for name in Query.names()})


_CALLS: dict[str, Callable[[ViewerApi, _Values], Any]] = {
    "/api/about": lambda api, v: api.about(),
    "/api/collection": lambda api, v: api.collection(v.key),
    "/api/rows": lambda api, v: api.rows(v.key, v.filters, v.number("offset"), v.number("limit")),
    "/api/next-wrong": lambda api, v: api.next_wrong(v.key, v.filters, v.number("position")),
    "/api/step": lambda api, v: api.step(v.key, v.number("row")),
}


def page_file(name: str) -> bytes:
    """A file of the page."""
    return (files("coepg") / "view" / "static" / name).read_bytes()


def image_type(data: bytes) -> str:
    """The media type of a picture, by its first bytes; never one that a browser would run."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    found = (kind for start, kind in _IMAGE_TYPES if data.startswith(start))
    return next(found, "application/octet-stream")
