import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from coepg.bench.workload import GrpoWorkload, image_grid, pictures, reward_of, write_model
from coepg.errors import ConfigError
from coepg.models.local.load import load_local
from coepg.models.prompts import Prompt


@given(side=st.integers(1, 60), wider=st.integers(1, 3))
def test_a_grid_has_as_many_tokens_as_asked(side, wider):
    rows, columns = image_grid(side * side * wider)
    assert rows * columns == side * side * wider and rows <= columns <= 4 * rows


@pytest.mark.parametrize("count", [7, 1201])
def test_a_number_without_such_a_grid_is_refused(count):
    with pytest.raises(ConfigError, match="image-tokens"):
        image_grid(count)


def test_the_model_sees_as_many_image_tokens_as_asked_and_is_seeded(tmp_path):
    work = GrpoWorkload(image_tokens=12, width=64, text_layers=1, vision_layers=1, seed=5)
    local = load_local(write_model(work, tmp_path / "a"))
    pixels, grid, _ = local.encode_image(pictures(work)[0])
    ids = local.prompt_ids(Prompt("Click"), grid)
    assert ids.count(local.image_token_id) == 12
    again = load_local(write_model(work, tmp_path / "b"))
    first, second = local.model.state_dict(), again.model.state_dict()
    assert all(torch.equal(first[n], second[n]) for n in first)


def test_the_reward_is_the_share_of_vowels():
    assert reward_of("") == 0.0
    assert reward_of("aeiou") == 1.0
    assert reward_of("b1o ") == 0.25
