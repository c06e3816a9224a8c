"""C-DREM: how much each grounder's vote counts (Co-EPG, section 4.3).

    w_j = exp(sigma_j * c_j) / sum_n exp(sigma_n * c_n)

``sigma_j`` is the static prior of member j, ``c_j`` its confidence in its own answer. The paper
prints c_j as the mean log-likelihood of the answer's coordinate tokens, which is never positive,
so a larger prior gives a *smaller* weight. The default here, the geometric-mean probability
exp(c_j), gives the member with the larger prior the larger weight, which is what the paper says
it wants. Both are available; see docs/concepts/rewards.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from coepg.errors import ConfigError, InfrastructureError

ConfidenceMode = Literal["geo_mean_prob", "mean_logprob", "none"]
"""How token log-probabilities become a confidence."""

Weighting = Literal["cdrem", "uniform", "prior", "single"]
"""How confidences and priors become weights."""

SINGLE_MEMBER = "grounder"
"""The member that alone counts under ``weighting="single"``: by default the one in training."""

DEFAULT_PRIOR = 1.0
"""The prior of a member that has none."""

_ROUNDING = 1e-3
"""Log-probabilities above 0 by no more than this are rounding; more is a broken member."""


def confidence(token_logprobs: Sequence[float], mode: ConfidenceMode) -> float:
    """A member's confidence c in one answer.

    With l_1..l_L the natural-log probabilities of the L coordinate tokens and
    m = (l_1 + ... + l_L) / L:

    * ``geo_mean_prob``: c = exp(m), the geometric mean of the token probabilities, in [0, 1].
    * ``mean_logprob``: c = m, at most 0 (Co-EPG section 4.3, as printed).
    * ``none``: c = 1 whatever the tokens, so that only the priors speak.

    Args:
        token_logprobs: from an untruncated distribution at temperature 1.
        mode: which of the three.

    Raises:
        ValueError: there is no token, or a value is not a log-probability.

    Example:
        >>> confidence([-0.1, -0.3], "mean_logprob")
        -0.2
    """
    if mode == "none":
        return 1.0
    if mode not in ("geo_mean_prob", "mean_logprob"):
        raise ValueError(
            f"unknown confidence mode {mode!r}; expected 'geo_mean_prob', 'mean_logprob' or 'none'"
        )
    if not token_logprobs:
        raise ValueError("no token log-probabilities, so no confidence")
    for index, value in enumerate(token_logprobs):
        if not math.isfinite(value) or value > _ROUNDING:
            raise ValueError(
                f"token log-probability {index} is {value}; expected a finite number, at most 0"
            )
    mean = min(0.0, math.fsum(token_logprobs) / len(token_logprobs))
    return math.exp(mean) if mode == "geo_mean_prob" else mean


def member_weights(
    confidences: Mapping[str, float],
    priors: Mapping[str, float],
    weighting: Weighting,
    single_member: str = SINGLE_MEMBER,
) -> dict[str, float]:
    """The weight w_j of every member that answered; the weights sum to 1.

    With c_j the confidences, sigma_j the priors and n the number of members that answered:

    * ``cdrem``: w_j = exp(sigma_j c_j) / sum_n exp(sigma_n c_n) (Co-EPG section 4.3).
    * ``prior``: w_j = sigma_j / sum_n sigma_n (Co-EPG Table 4, static prior only).
    * ``uniform``: w_j = 1 / n (Co-EPG Table 4, uniform average).
    * ``single``: 1 for ``single_member``, 0 for the others (Co-EPG Table 4, single).

    A member that failed is simply absent from ``confidences``, which renormalises over the rest.

    Args:
        confidences: c_j of each member that answered, from `confidence`.
        priors: sigma_j by member, 1 where none is given; may list members that did not answer.
            Read by ``cdrem`` and ``prior`` only.
        weighting: which of the four.
        single_member: who counts under ``single``.

    Raises:
        InfrastructureError: no member that counts has answered, or a confidence is not finite.
        ConfigError: a prior is not a finite number above 0.

    Example:
        >>> member_weights({"grounder": 0.5, "ocr": 0.5}, {"grounder": 2, "ocr": 1}, "prior")
        {'grounder': 0.6666666666666666, 'ocr': 0.3333333333333333}
    """
    if not confidences:
        raise InfrastructureError("no grounder of the ensemble answered; nothing to weigh")
    for member, value in confidences.items():
        if not math.isfinite(value):
            raise InfrastructureError(f"grounder {member!r}: confidence is {value}, not finite")
    if weighting == "uniform":
        return dict.fromkeys(confidences, 1.0 / len(confidences))
    if weighting == "single":
        if single_member not in confidences:
            raise InfrastructureError(
                f"grounder {single_member!r} did not answer, and no other counts under 'single'"
            )
        return {member: float(member == single_member) for member in confidences}
    if weighting == "prior":
        return _shares({member: _prior(priors, member) for member in confidences})
    if weighting == "cdrem":
        return _softmax({m: _prior(priors, m) * c for m, c in confidences.items()})
    raise ValueError(
        f"unknown weighting {weighting!r}; expected 'cdrem', 'uniform', 'prior' or 'single'"
    )


def _prior(priors: Mapping[str, float], member: str) -> float:
    """The checked prior of a member."""
    value = priors.get(member, DEFAULT_PRIOR)
    if not (math.isfinite(value) and value > 0):
        raise ConfigError(
            f"prior of the grounder {member!r}",
            found=str(value),
            expected="a finite number above 0",
            fix="leave a grounder that must not count out of the ensemble",
        )
    return value


def _softmax(logits: Mapping[str, float]) -> dict[str, float]:
    """exp(x_j) / sum exp(x_n), shifted by the largest so that nothing overflows."""
    top = max(logits.values())
    return _shares({member: math.exp(x - top) for member, x in logits.items()})


def _shares(parts: Mapping[str, float]) -> dict[str, float]:
    """Each part over the sum; `fsum` makes the sum independent of the members' order."""
    total = math.fsum(parts.values())
    return {member: part / total for member, part in parts.items()}
