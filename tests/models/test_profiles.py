from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.errors import ModelError
from coepg.models.profile import PROFILES, get_profile, smart_resize
from coepg.types import Size

SIDES = st.integers(1, 4000)


@given(SIDES, SIDES, st.sampled_from(sorted(PROFILES)))
def test_the_resize_rule_is_that_of_transformers(width, height, name):
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import (
        smart_resize as theirs,
    )

    profile = PROFILES[name]
    bounds = (profile.resize_factor_px, profile.min_pixels, profile.max_pixels)
    if max(width, height) / min(width, height) > 200:
        with pytest.raises(ModelError, match="aspect ratio"):
            smart_resize(Size(width, height), *bounds)
        return
    size = smart_resize(Size(width, height), *bounds)
    assert (size.height, size.width) == theirs(height, width, *bounds)
    assert (
        profile.num_image_tokens(Size(width, height)) * bounds[0] ** 2 == size.width * size.height
    )


def test_unknown_profile_lists_the_known_ones():
    with pytest.raises(ModelError, match="qwen2_5_vl"):
        get_profile("llava")
