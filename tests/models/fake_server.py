"""A scripted model server that speaks chat completions on a real socket."""

from __future__ import annotations

import base64
import io
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image


@dataclass
class Seen:
    """One request as the server saw it."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str

    @property
    def question(self) -> str:
        """The text of the user's message."""
        return self.body["messages"][-1]["content"][1]["text"]

    @property
    def picture(self) -> Image.Image:
        """The picture of the user's message."""
        url = self.body["messages"][-1]["content"][0]["image_url"]["url"]
        head, data = url.split(",", 1)
        assert head == "data:image/png;base64"
        return Image.open(io.BytesIO(base64.b64decode(data)))

    @property
    def is_probe(self) -> bool:
        return "short story" in self.question


@dataclass
class Reply:
    """What to send back."""

    texts: list[str] = field(default_factory=lambda: ["ok then"])
    logprob: Callable[[str], float] | None = lambda piece: -0.25
    status: int = 200
    raw: str | None = None
    delay_s: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)


def pieces(text: str) -> list[str]:
    """Tokens of the fake model: single digits, words, other characters."""
    return re.findall(r"\d| ?[^\W\d]+|.", text, re.S)


class FakeServer:
    """Answers by calling ``script``; keeps what it saw and how many requests were open at once."""

    def __init__(self, script: Callable[[Seen], Reply]) -> None:
        self.script = script
        self.seen: list[Seen] = []
        self.most_open = 0
        self._open = 0
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                owner._handle(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def questions(self) -> list[Seen]:
        """Everything but probes."""
        return [s for s in self.seen if not s.is_probe]

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers["content-length"])
        seen = Seen(
            json.loads(handler.rfile.read(length)), dict(handler.headers.items()), handler.path
        )
        with self._lock:
            self.seen.append(seen)
            self._open += 1
            self.most_open = max(self.most_open, self._open)
            reply = self.script(seen)
        time.sleep(reply.delay_s)
        with self._lock:
            self._open -= 1
        content = (reply.raw if reply.raw is not None else self._completion(reply)).encode()
        try:
            handler.send_response(reply.status)
            for key, value in {"content-type": "application/json", **reply.headers}.items():
                handler.send_header(key, value)
            handler.send_header("content-length", str(len(content)))
            handler.end_headers()
            handler.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up, as some tests want it to

    @staticmethod
    def _completion(reply: Reply) -> str:
        choices = []
        for i, text in enumerate(reply.texts):
            tokens = [*pieces(text), "<|im_end|>"]
            logprobs = reply.logprob and {
                "content": [{"token": t, "logprob": reply.logprob(t)} for t in tokens]
            }
            message = {"role": "assistant", "content": text}
            choices.append({"index": i, "message": message, "logprobs": logprobs})
        return json.dumps({"id": "x", "object": "chat.completion", "choices": choices})
