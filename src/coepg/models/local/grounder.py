"""A local grounder: screenshot and plan -> point, with the confidence of its coordinate tokens."""

from __future__ import annotations

from collections.abc import Sequence

from coepg.models.answers import coordinate_spans, parse_point, tokens_in_spans
from coepg.models.base import GroundingRequest, ImageStore, Sampling
from coepg.models.local.engine import LocalEngine
from coepg.models.local.load import LocalModel
from coepg.models.prompts import grounder_prompt
from coepg.prefix.generate import Generated
from coepg.types import Frame, Grounding

MAX_ANSWER_TOKENS = 32


class LocalGrounder:
    """Implements `coepg.models.base.Grounder`; answers greedily."""

    def __init__(
        self,
        local: LocalModel,
        images: ImageStore,
        *,
        name: str = "grounder",
        batch_size: int = 16,
    ) -> None:
        self.name = name
        self.engine = LocalEngine(local, images, batch_size)

    def ground(self, requests: Sequence[GroundingRequest]) -> list[list[Grounding | None]]:
        """One answer per element of each request; all elements of a screen share its prefix."""
        profile = self.engine.local.profile
        distinct = [list(dict.fromkeys(r.elements)) for r in requests]
        asked = [i for i, row in enumerate(distinct) if row]
        answers = self.engine.ask(
            [requests[i].screenshot for i in asked],
            [[grounder_prompt(profile, e) for e in distinct[i]] for i in asked],
            Sampling(max_tokens=MAX_ANSWER_TOKENS),
        )
        results: list[list[Grounding | None]] = [[] for _ in requests]
        for i, row in zip(asked, answers, strict=True):
            frame = self.engine.local.frame(requests[i].screenshot.size)
            found = {
                element: self._grounding(frame, samples[0])
                for element, samples in zip(distinct[i], row, strict=True)
            }
            results[i] = [found[e] for e in requests[i].elements]
        return results

    def _grounding(self, frame: Frame, answer: Generated) -> Grounding:
        local = self.engine.local
        text = local.decode(answer.token_ids)
        point = parse_point(local.profile, frame, text)
        spans = coordinate_spans(local.profile, text)
        pieces = [local.decode([i]) for i in answer.token_ids]
        if "".join(pieces) != text:
            # Tokens that are parts of one character decode to it only together.
            pieces = _growth([local.decode(answer.token_ids[:n]) for n in range(len(pieces) + 1)])
        chosen = tokens_in_spans(pieces, spans)
        return Grounding(point, tuple(answer.token_logprobs[k] for k in chosen), text)


def _growth(texts: Sequence[str]) -> list[str]:
    """What each text adds to the one before it."""
    return [b[len(a) :] for a, b in zip(texts, texts[1:], strict=False)]
