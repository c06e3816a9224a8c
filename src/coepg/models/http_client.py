"""Chat completions over HTTP: pictures in, text with log-probabilities out, retries bounded.

Sampling is stated in full and never truncated: servers apply a model's own generation defaults
otherwise, and the log-probabilities of a truncated distribution say nothing of confidence.
"""

from __future__ import annotations

import asyncio
import base64
import io
import os
import random
import threading
from collections import OrderedDict
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import httpx

from coepg.config.models import HttpModelConfig
from coepg.errors import ConfigError, InfrastructureError
from coepg.models.base import ImageStore, Sampling
from coepg.models.profile import ModelProfile, get_profile
from coepg.models.prompts import Prompt
from coepg.types import Screenshot

MAX_ATTEMPTS = 4
FIRST_BACKOFF_S = 0.5
MAX_BACKOFF_S = 30.0
DEADLINE_FACTOR = 2.0
"""All attempts of one request together may take this many times ``timeout_s``."""

RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
SAME_FOR_ALL_STATUS = frozenset({401, 403, 404})
"""What is wrong here (key, model name, path) is wrong for every other request, too."""

MIN_FAILURES_TO_STOP = 8
"""Failures in a row after which the rest of a call is not sent; at least ``max_concurrency``."""

PICTURE_CACHE_BYTES = 64 * 2**20

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion: its text, and per token its text and log-probability (may be empty)."""

    text: str
    tokens: tuple[tuple[str, float], ...]


class SameForAllError(InfrastructureError):
    """A request failed for a reason that every request on this server shares."""


def http_profile(config: HttpModelConfig) -> ModelProfile:
    """The profile of a served model: as configured, else by the model's name.

    Raises:
        ConfigError: the name says nothing and no profile is configured.
    """
    if config.profile is not None:
        return get_profile(config.profile)
    name = "".join(c for c in config.model.lower() if c.isalnum())
    for known in ("qwen2_5_vl", "qwen3_vl"):
        if known.replace("_", "") in name:
            return get_profile(known)
    raise ConfigError(
        f"model {config.model!r} at {config.base_url}",
        found="no profile, and none known for this name",
        expected="a profile that says in which space the model answers",
        fix='set profile = "qwen2_5_vl" or "qwen3_vl" for this model',
    )


class HttpClient:
    """Sends prompts to one server, several at a time, and retries what may pass.

    Retried, with jittered back-off: connection errors, time-outs and the states 408, 429 and 5xx.
    Anything else (a wrong key, an unknown model) is the same next time and fails at once.
    """

    def __init__(self, config: HttpModelConfig, images: ImageStore) -> None:
        self.config = config
        self.images = images
        self.profile = http_profile(config)
        self._pictures = _DataUris(images, self.profile)
        self._takes_top_k = True

    @property
    def where(self) -> str:
        """Model and server, for messages."""
        return f"model {self.config.model!r} at {self.config.base_url}"

    def headers(self) -> dict[str, str]:
        """The authorization header, with the key from the environment."""
        name = self.config.api_key_env
        if name is None:
            return {}
        key = os.environ.get(name)
        if not key:
            raise ConfigError(
                f"key of {self.config.base_url}",
                found=f"environment variable {name} is not set",
                expected="the server's key",
                fix=f"export {name}=...",
            )
        return {"Authorization": f"Bearer {key}"}

    def ask(
        self, requests: Sequence[tuple[Screenshot, Prompt]], sampling: Sampling
    ) -> list[list[Answer] | None]:
        """Answers per request, ``sampling.num_samples`` each; None where a request failed.

        Raises:
            InfrastructureError: every request failed; names the server and the cause.
        """
        if not requests:
            return []
        results = run_async(self._ask_all(requests, sampling))
        failures = [r for r in results if isinstance(r, Exception)]
        if len(failures) == len(results):
            raise InfrastructureError(
                f"{self.where}: all {len(results)} requests failed; the first: {failures[0]}"
            )
        return [None if isinstance(r, Exception) else r for r in results]

    async def _ask_all(
        self, requests: Sequence[tuple[Screenshot, Prompt]], sampling: Sampling
    ) -> list[list[Answer] | Exception]:
        slots = asyncio.Semaphore(self.config.max_concurrency)
        failures = _FailuresInARow(max(MIN_FAILURES_TO_STOP, self.config.max_concurrency))
        async with httpx.AsyncClient(
            headers=self.headers(),
            timeout=httpx.Timeout(self.config.timeout_s),
            limits=httpx.Limits(max_connections=self.config.max_concurrency),
        ) as client:

            async def one(index: int) -> list[Answer] | Exception:
                async with slots:
                    if failures.verdict is not None:
                        return failures.verdict
                    try:
                        answers = await self._sample(client, *requests[index], sampling, index)
                    except (httpx.HTTPError, InfrastructureError) as error:
                        failures.add(error)
                        return error
                    failures.clear()
                    return answers

            return list(await asyncio.gather(*(one(i) for i in range(len(requests)))))

    async def _sample(
        self,
        client: httpx.AsyncClient,
        screenshot: Screenshot,
        prompt: Prompt,
        sampling: Sampling,
        index: int,
    ) -> list[Answer]:
        """All samples of one request; servers that ignore ``n`` are asked again for the rest."""
        answers: list[Answer] = []
        while len(answers) < sampling.num_samples:
            rest = replace(
                sampling,
                num_samples=sampling.num_samples - len(answers),
                seed=sampling.seed + 7919 * len(answers),
            )
            answers += await self._post(client, self.body(screenshot, prompt, rest, index))
        return answers[: sampling.num_samples]

    async def _post(self, client: httpx.AsyncClient, body: dict[str, Any]) -> list[Answer]:
        total_s = DEADLINE_FACTOR * self.config.timeout_s
        last: InfrastructureError | None = None
        try:
            async with asyncio.timeout(total_s):
                for attempt in range(MAX_ATTEMPTS):
                    wait_s = 0.0
                    try:
                        reply = await client.post(self._url(), json=self._supported(body))
                    except httpx.TransportError as error:
                        last = InfrastructureError(f"{type(error).__name__}: {error}".rstrip(": "))
                    else:
                        if reply.status_code == 200:
                            return read_answers(reply)
                        last = self._refusal(reply)
                        wait_s = _retry_after_s(reply)
                    if attempt + 1 < MAX_ATTEMPTS:
                        backoff_s = FIRST_BACKOFF_S * 2**attempt * random.uniform(0.5, 1.0)
                        await asyncio.sleep(min(MAX_BACKOFF_S, max(backoff_s, wait_s)))
        except TimeoutError:
            cause = f"; last: {last}" if last is not None else ""
            raise InfrastructureError(f"no answer within {total_s:g} s{cause}") from last
        raise InfrastructureError(f"{MAX_ATTEMPTS} attempts failed; last: {last}") from last

    def _refusal(self, reply: httpx.Response) -> InfrastructureError:
        """The error to retry after; raises at once what will not pass."""
        text = f"HTTP {reply.status_code}: {reply.text[:300]}"
        if reply.status_code in SAME_FOR_ALL_STATUS:
            raise SameForAllError(text)
        if reply.status_code in (400, 422) and "top_k" in reply.text and self._takes_top_k:
            # Plain OpenAI servers know no top_k; they do not truncate unless asked to.
            self._takes_top_k = False
        elif reply.status_code not in RETRIED_STATUS:
            raise InfrastructureError(text)
        return InfrastructureError(text)

    def _url(self) -> str:
        return self.config.base_url.rstrip("/") + "/chat/completions"

    def _supported(self, body: dict[str, Any]) -> dict[str, Any]:
        return body if self._takes_top_k else {k: v for k, v in body.items() if k != "top_k"}

    def body(
        self, screenshot: Screenshot, prompt: Prompt, sampling: Sampling, index: int
    ) -> dict[str, Any]:
        """The JSON body of a request; every sampling setting is stated."""
        content = [
            {"type": "image_url", "image_url": {"url": self._pictures(screenshot)}},
            {"type": "text", "text": prompt.user},
        ]
        messages: list[dict[str, Any]] = [{"role": "user", "content": content}]
        if prompt.system:
            messages.insert(0, {"role": "system", "content": prompt.system})
        return {
            "model": self.config.model,
            "messages": messages,
            "n": sampling.num_samples,
            "temperature": sampling.temperature,
            "top_p": 1.0,
            "top_k": -1,
            "max_tokens": sampling.max_tokens,
            "seed": (sampling.seed + index) % 2**31,
            "logprobs": True,
        }


class _DataUris:
    """Pictures as data URIs, at the size that the profile says the model processes.

    The resize happens here and not at the server, whose bounds may be wider than the profile's:
    a picture of the right size passes its resize rule unchanged, so that answers in model pixels
    mean what the profile's frame says.
    """

    def __init__(self, images: ImageStore, profile: ModelProfile) -> None:
        self.images = images
        self.profile = profile
        self._kept: OrderedDict[str, str] = OrderedDict()
        self._num_bytes = 0

    def __call__(self, screenshot: Screenshot) -> str:
        key = screenshot.image_hash
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        picture = self.images.image(key).convert("RGB")
        model = self.profile.frame(screenshot.size).model
        if model is not None and (model.width, model.height) != picture.size:
            picture = picture.resize((model.width, model.height))
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        uri = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
        self._kept[key] = uri
        self._num_bytes += len(uri)
        while self._num_bytes > PICTURE_CACHE_BYTES and len(self._kept) > 1:
            self._num_bytes -= len(self._kept.popitem(last=False)[1])
        return uri


class _FailuresInARow:
    """Decides when the rest of a call is not worth sending."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0
        self.verdict: Exception | None = None

    def add(self, error: Exception) -> None:
        self.count += 1
        if isinstance(error, SameForAllError) or self.count >= self.limit:
            self.verdict = error

    def clear(self) -> None:
        self.count = 0


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, also from code that runs inside an event loop (notebooks)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def _retry_after_s(reply: httpx.Response) -> float:
    """What the server asks to wait, in seconds; dates are not understood and count as 0."""
    try:
        return max(0.0, float(reply.headers.get("retry-after", "0")))
    except ValueError:
        return 0.0


def read_answers(reply: httpx.Response) -> list[Answer]:
    """The choices of a chat completion, at least one.

    Raises:
        InfrastructureError: the reply is not a chat completion.
    """
    try:
        answers = []
        for choice in reply.json()["choices"]:
            content = (choice.get("logprobs") or {}).get("content") or []
            tokens = tuple((str(t["token"]), float(t["logprob"])) for t in content)
            answers.append(Answer(str(choice["message"]["content"] or ""), tokens))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InfrastructureError(f"not a chat completion: {reply.text[:300]}") from error
    if not answers:
        raise InfrastructureError(f"a chat completion without choices: {reply.text[:300]}")
    return answers
