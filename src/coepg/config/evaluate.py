"""Settings of scoring."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from coepg.config.base import Settings


class EvaluateConfig(Settings):
    """How predictions are made and what is shown; answers are always the likeliest ones."""

    batch_size: Annotated[int, Field(ge=1)] = 16
    """Screens at a time. Changes speed and memory, not results."""

    max_completion_tokens: Annotated[int, Field(ge=1)] = 96
    """Longest answer, in tokens."""

    num_sampled_plans: Annotated[int, Field(ge=0)] = 4
    """Plans sampled per step for purity and diversity; 0 leaves both out."""

    sampling_temperature: Annotated[float, Field(gt=0)] = 0.9
    """Temperature of these samples."""

    blank_image: bool = True
    """Also score the last iteration with every screenshot replaced by a blank one, which shows how
    much is answered without looking."""

    without_text: bool = True
    """Also score the last iteration with the screen text removed, which shows how much is answered
    from the picture."""

    num_report_examples: Annotated[int, Field(ge=0)] = 12
    """Screens per split in the report, half of them failures where there are enough."""
