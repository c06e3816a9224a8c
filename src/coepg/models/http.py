"""Members behind an OpenAI-compatible server: planners, grounders and describers over HTTP.

One picture per request, as everywhere in coepg; `coepg.models.http_client` speaks the protocol.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from PIL import Image

from coepg.config.models import HttpModelConfig
from coepg.errors import ConfigError
from coepg.models.answers import (
    coordinate_spans,
    parse_description,
    parse_plan,
    parse_point,
    tokens_in_spans,
)
from coepg.models.base import GroundingRequest, ImageStore, Observation, Sampling
from coepg.models.http_client import Answer, HttpClient
from coepg.models.profile import ModelProfile
from coepg.models.prompts import Prompt, describer_prompt, grounder_prompt, planner_prompt
from coepg.types import Grounding, Rollout, Screenshot, Size, Step

MAX_GROUNDER_TOKENS = 48


def coordinate_logprobs(profile: ModelProfile, answer: Answer) -> tuple[float, ...]:
    """Log-probabilities of the tokens that hold the first point's digits.

    The places are found in the tokens' own text, which may differ from the answer's (control
    tokens, parts of characters).
    """
    pieces = [token for token, _ in answer.tokens]
    spans = coordinate_spans(profile, "".join(pieces))
    return tuple(min(0.0, answer.tokens[k][1]) for k in tokens_in_spans(pieces, spans))


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
    """Implements `coepg.models.base.Grounder` over HTTP; one request per distinct expression.

    Args:
        config: server, model and limits.
        images: where pictures come from.
        name: of the member.
        needs_confidence: probe the server for usable log-probabilities before the first
            question. A verifier, of which only hits count, can do without.
    """

    def __init__(
        self,
        config: HttpModelConfig,
        images: ImageStore,
        *,
        name: str,
        needs_confidence: bool = True,
    ) -> None:
        self.name = name
        self.client = HttpClient(config, images)
        self._is_probed = not needs_confidence

    def ground(self, requests: Sequence[GroundingRequest]) -> list[list[Grounding | None]]:
        """One answer per element; None where the request failed."""
        profile = self.client.profile
        distinct = {
            (r.screenshot.image_hash, e): (r.screenshot, grounder_prompt(profile, e))
            for r in requests
            for e in r.elements
        }
        if distinct and not self._is_probed:
            probe_logprobs(self.client)
            self._is_probed = True
        sampling = Sampling(1, 0.0, MAX_GROUNDER_TOKENS)
        answers = dict(
            zip(distinct, self.client.ask(list(distinct.values()), sampling), strict=True)
        )
        return [
            [self._grounding(r.screenshot, answers[r.screenshot.image_hash, e]) for e in r.elements]
            for r in requests
        ]

    def _grounding(
        self, screenshot: Screenshot, answers: Sequence[Answer] | None
    ) -> Grounding | None:
        if not answers:
            return None
        profile, answer = self.client.profile, answers[0]
        point = parse_point(profile, profile.frame(screenshot.size), answer.text)
        logprobs = coordinate_logprobs(profile, answer) if point is not None else ()
        return Grounding(point, logprobs, answer.text)


class _ProbePicture:
    """One grey picture."""

    def image(self, image_hash: str) -> Image.Image:
        return Image.new("RGB", (224, 224), (128, 128, 128))


def probe_logprobs(client: HttpClient) -> None:
    """Ask one open question and refuse a server whose log-probabilities are no confidence.

    Raises:
        ConfigError: there are none, they are not finite, or all are exactly 0: the server
            truncates its distribution (``top_k = 1`` in the model's generation defaults, or
            greedy decoding with processed log-probabilities) and reports what is left of it.
        InfrastructureError: the server does not answer.
    """
    probe = HttpClient(client.config, _ProbePicture())
    screenshot = Screenshot("probe", Size(224, 224))
    prompt = Prompt("Write a short story about a picture like this one.")
    (answers,) = probe.ask([(screenshot, prompt)], Sampling(1, 0.0, 16))
    values = [p for a in answers or () for _, p in a.tokens]
    if values and all(math.isfinite(v) for v in values) and any(v != 0.0 for v in values):
        return
    found = "no log-probabilities of tokens"
    if values:
        found = f"{len(values)} tokens whose log-probabilities are {sorted(set(values))[:3]}"
    raise ConfigError(
        client.where,
        found=found,
        expected="log-probabilities of the untruncated distribution",
        fix="start the server so that it returns raw log-probabilities and ignores the model's own "
        "generation settings (vLLM: --generation-config vllm), or leave this member out of the "
        "reward",
    )
