"""Members behind an OpenAI-compatible server: planners, grounders and describers over HTTP.

The protocol is chat completions with one picture per request, ``logprobs`` on, and sampling that
is stated in full and never truncated: servers apply a model's own generation defaults otherwise,
and the log-probabilities of a truncated distribution say nothing of confidence.
"""

from __future__ import annotations

import asyncio
import base64
import io
import os
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from coepg.config.models import HttpModelConfig
from coepg.errors import ConfigError, InfrastructureError
from coepg.models.answers import parse_description, parse_plan, parse_point
from coepg.models.base import GroundingRequest, ImageStore, Observation, Sampling
from coepg.models.profile import ModelProfile, get_profile
from coepg.models.prompts import Prompt, describer_prompt, grounder_prompt, planner_prompt
from coepg.types import Grounding, Rollout, Screenshot, Step

MAX_ATTEMPTS = 4
RETRIED_STATUS = frozenset({408, 429, 500, 502, 503, 504})
MAX_GROUNDER_TOKENS = 48


@dataclass(frozen=True, slots=True)
class Answer:
    """One completion: its text, and per token its text and log-probability (may be empty)."""

    text: str
    tokens: tuple[tuple[str, float], ...]


def http_profile(config: HttpModelConfig) -> ModelProfile:
    """The profile of a served model: as configured, else by the model's name.

    Raises:
        ConfigError: the name says nothing and no profile is configured.
    """
    if config.profile is not None:
        return get_profile(config.profile)
    name = config.model.lower().replace("-", "_").replace(".", "_")
    for known in ("qwen2_5_vl", "qwen3_vl"):
        if known.replace("_", "") in name.replace("_", ""):
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
        self._pictures: dict[str, str] = {}

    def headers(self) -> dict[str, str]:
        """The authorization header, with the key from the environment."""
        name = self.config.api_key_env
        if name is None:
            return {}
        key = os.environ.get(name)
        if not key:
            raise ConfigError(
                f"key of {self.config.base_url}", found=f"environment variable {name} is not set",
                expected="the server's key", fix=f"export {name}=...",
            )  # fmt: skip
        return {"Authorization": f"Bearer {key}"}

    def ask(
        self, requests: Sequence[tuple[Screenshot, Prompt]], sampling: Sampling
    ) -> list[list[Answer] | None]:
        """Answers per request, ``sampling.num_samples`` each; None where a request failed.

        Raises:
            InfrastructureError: every request failed; names the server and the last cause.
        """
        if not requests:
            return []
        results = asyncio.run(self._ask_all(requests, sampling))
        failures = [r for r in results if isinstance(r, Exception)]
        if len(failures) == len(results):
            raise InfrastructureError(
                f"model {self.config.model!r} at {self.config.base_url}: "
                f"all {len(results)} requests failed; last: {failures[-1]}"
            )
        return [None if isinstance(r, Exception) else r for r in results]

    async def _ask_all(
        self, requests: Sequence[tuple[Screenshot, Prompt]], sampling: Sampling
    ) -> list[list[Answer] | Exception]:
        limit = asyncio.Semaphore(self.config.max_concurrency)
        timeout = httpx.Timeout(self.config.timeout_s)
        async with httpx.AsyncClient(headers=self.headers(), timeout=timeout) as client:

            async def one(index: int) -> list[Answer] | Exception:
                async with limit:
                    try:
                        body = self.body(*requests[index], sampling, index)
                        return await self._post(client, body)
                    except (httpx.HTTPError, InfrastructureError) as error:
                        return error

            return list(await asyncio.gather(*(one(i) for i in range(len(requests)))))

    async def _post(self, client: httpx.AsyncClient, body: dict[str, Any]) -> list[Answer]:
        url = self.config.base_url.rstrip("/") + "/chat/completions"
        deadline = time.monotonic() + self.config.timeout_s
        for attempt in range(1, MAX_ATTEMPTS + 1):
            is_last = attempt == MAX_ATTEMPTS or time.monotonic() > deadline
            try:
                reply = await client.post(url, json=body)
            except httpx.TransportError as error:
                if is_last:
                    raise InfrastructureError(f"{type(error).__name__}: {error}") from error
            else:
                if reply.status_code == 200:
                    return read_answers(reply)
                if is_last or reply.status_code not in RETRIED_STATUS:
                    raise InfrastructureError(f"HTTP {reply.status_code}: {reply.text[:300]}")
            await asyncio.sleep(random.uniform(0.5, 1.0) * 0.25 * 2**attempt)
        raise InfrastructureError("no attempt was made")

    def body(
        self, screenshot: Screenshot, prompt: Prompt, sampling: Sampling, index: int
    ) -> dict[str, Any]:
        """The JSON body of a request; every sampling setting is stated."""
        content = [
            {"type": "image_url", "image_url": {"url": self._data_uri(screenshot)}},
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

    def _data_uri(self, screenshot: Screenshot) -> str:
        """The picture at the size that the profile says the model processes."""
        key = screenshot.image_hash
        if key not in self._pictures:
            picture = self.images.image(key).convert("RGB")
            model = self.profile.frame(screenshot.size).model
            assert model is not None
            buffer = io.BytesIO()
            picture.resize((model.width, model.height)).save(buffer, "PNG")
            if len(self._pictures) >= 256:
                del self._pictures[next(iter(self._pictures))]
            encoded = base64.b64encode(buffer.getvalue()).decode()
            self._pictures[key] = f"data:image/png;base64,{encoded}"
        return self._pictures[key]


def read_answers(reply: httpx.Response) -> list[Answer]:
    """The choices of a chat completion.

    Raises:
        InfrastructureError: the reply is not a chat completion.
    """
    try:
        answers = []
        for choice in reply.json()["choices"]:
            content = (choice.get("logprobs") or {}).get("content") or []
            tokens = tuple((str(t["token"]), float(t["logprob"])) for t in content)
            answers.append(Answer(str(choice["message"]["content"] or ""), tokens))
    except (ValueError, KeyError, TypeError) as error:
        raise InfrastructureError(f"not a chat completion: {reply.text[:300]}") from error
    return answers


def coordinate_logprobs(answer: Answer) -> tuple[float, ...]:
    """Log-probabilities of the tokens that hold digits of the first point in the answer."""
    values = []
    for token, logprob in answer.tokens:
        if any(c.isdigit() for c in token):
            values.append(min(0.0, logprob))
        elif values and any(c in ")]" for c in token):
            break
    return tuple(values)


class HttpPlanner:
    """Implements `coepg.models.base.Planner` over HTTP.

    A request that failed gives no rollouts for its step: it is not an unparsable answer.
    """

    def __init__(
        self, config: HttpModelConfig, images: ImageStore, observation: Observation, *, name: str
    ) -> None:
        self.name = name
        self.observation = observation
        self.client = HttpClient(config, images)

    def plan(self, steps: Sequence[Step], sampling: Sampling) -> list[list[Rollout]]:
        """Up to ``sampling.num_samples`` rollouts per step."""
        o = self.observation
        requests = [
            (
                s.screenshot,
                planner_prompt(
                    self.client.profile, s, history_max_steps=o.history_max_steps,
                    screen_text=o.screen_text, max_screen_text_items=o.max_screen_text_items,
                ),
            )
            for s in steps
        ]  # fmt: skip
        return [
            [
                Rollout(
                    step.step_id, i, a.text, parse_plan(a.text), (), tuple(p for _, p in a.tokens)
                )
                for i, a in enumerate(answers or ())
            ]
            for step, answers in zip(steps, self.client.ask(requests, sampling), strict=True)
        ]


class HttpDescriber:
    """Implements `coepg.models.base.Describer` over HTTP."""

    def __init__(self, config: HttpModelConfig, images: ImageStore, *, name: str) -> None:
        self.name = name
        self.client = HttpClient(config, images)

    def describe(self, steps: Sequence[Step], sampling: Sampling) -> list[list[str]]:
        """Up to ``sampling.num_samples`` expressions per step; [] without a target."""
        asked = [s for s in steps if s.target_box_px is not None]
        profile = self.client.profile
        requests = []
        for step in asked:
            assert step.target_box_px is not None
            frame = profile.frame(step.screenshot.size)
            requests.append(
                (step.screenshot, describer_prompt(profile, frame, step.target_box_px.center))
            )
        answers = dict(
            zip((s.step_id for s in asked), self.client.ask(requests, sampling), strict=True)
        )
        return [
            [parse_description(a.text) or "" for a in answers.get(s.step_id) or ()] for s in steps
        ]


class HttpGrounder:
    """Implements `coepg.models.base.Grounder` over HTTP; one request per expression.

    The first answers are checked for usable log-probabilities (`check_logprobs`).
    """

    def __init__(self, config: HttpModelConfig, images: ImageStore, *, name: str) -> None:
        self.name = name
        self.client = HttpClient(config, images)
        self._is_checked = False

    def ground(self, requests: Sequence[GroundingRequest]) -> list[list[Grounding | None]]:
        """One answer per element; None where the request failed."""
        profile = self.client.profile
        flat = [(r.screenshot, grounder_prompt(profile, e)) for r in requests for e in r.elements]
        sampling = Sampling(1, 0.0, MAX_GROUNDER_TOKENS)
        answers = iter(self.client.ask(flat, sampling))
        results: list[list[Grounding | None]] = []
        for request in requests:
            frame = profile.frame(request.screenshot.size)
            row: list[Grounding | None] = []
            for _ in request.elements:
                found = next(answers)
                if not found:
                    row.append(None)
                    continue
                point = parse_point(profile, frame, found[0].text)
                logprobs = coordinate_logprobs(found[0]) if point is not None else ()
                row.append(Grounding(point, logprobs, found[0].text))
            results.append(row)
        self._check(results)
        return results

    def _check(self, results: Sequence[Sequence[Grounding | None]]) -> None:
        pointed = [g for row in results for g in row if g is not None and g.point_px is not None]
        if not self._is_checked and len(pointed) >= 4:
            check_logprobs(self.name, self.client.config, pointed)
            self._is_checked = True


def check_logprobs(name: str, config: HttpModelConfig, groundings: Sequence[Grounding]) -> None:
    """Refuse a server whose log-probabilities cannot serve as confidence.

    Raises:
        ConfigError: there are none, or all are exactly 0: the server truncates its distribution
            (``top_k = 1`` in the model's generation defaults) and reports what is left of it.
    """
    values = [v for g in groundings for v in g.token_logprobs]
    if values and any(v != 0.0 for v in values):
        return
    raise ConfigError(
        f"grounder {name!r}: model {config.model!r} at {config.base_url}",
        found="log-probabilities that are all 0" if values else "no log-probabilities of tokens",
        expected="log-probabilities of the untruncated distribution",
        fix="start the server so that it returns raw log-probabilities and ignores the model's own "
        "generation settings (vLLM: --generation-config vllm), or set cdrem.weighting to "
        '"prior" or "uniform"',
    )
