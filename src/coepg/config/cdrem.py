"""Settings of C-DREM, the confidence-weighted ensemble of grounders that rewards a plan."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from coepg.config.base import Names, Settings

GROUNDER = "grounder"
"""The name of the grounder in training, in C-DREM and among the models."""


class CdremConfig(Settings):
    """The reward r_plan = sum of w_j * hit_j, w = softmax(prior_j * confidence_j) (section 4.3)."""

    members: Names = (GROUNDER, "other", "ocr")
    """Grounders that vote: "grounder" is the one in training, others are models of this recipe
    (paper: the trained grounder, a 72B and a 32B open model)."""

    weighting: Literal["cdrem", "uniform", "prior", "single"] = "cdrem"
    """"cdrem": priors and confidences (the paper's). "prior": priors only. "uniform": equal
    weights. "single": one member, which decides alone. The last three are its ablations."""

    confidence: Literal["geo_mean_prob", "mean_logprob", "none"] = "geo_mean_prob"
    """How a member's coordinate tokens become c_j. "mean_logprob" is the printed formula, the mean
    log-probability; it is never positive, so a larger prior then lowers a weight.
    "geo_mean_prob", its exponential, does what the paper says it wants and is the default. "none"
    uses no confidence."""

    priors: dict[str, Annotated[float, Field(gt=0)]] = Field(
        default_factory=lambda: {GROUNDER: 2.0}
    )
    """Static prior sigma_j by model name; a member without one has 1. The paper gives the ratio
    2 for the trained grounder to 1 for each other; absolute values are not given by the paper;
    default 2 and 1."""

    @model_validator(mode="after")
    def _consistent(self) -> CdremConfig:
        if not self.members:
            raise ValueError("members is empty; name at least one grounder")
        doubled = sorted({m for m in self.members if self.members.count(m) > 1})
        if doubled:
            raise ValueError(f"members names {', '.join(doubled)} more than once")
        if self.weighting == "single" and len(self.members) != 1:
            raise ValueError(
                f'weighting = "single" takes exactly one member, found {len(self.members)}: '
                f"{', '.join(self.members)}"
            )
        if self.weighting == "cdrem" and self.confidence == "none":
            raise ValueError(
                'weighting = "cdrem" needs a confidence; for priors alone set weighting = "prior"'
            )
        return self

    def prior(self, member: str) -> float:
        """The static prior of a member (1 if none is set)."""
        return self.priors.get(member, 1.0)
