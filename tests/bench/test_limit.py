import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.bench.limit import Weights, bench_limit, fewest_flops, vision_pairs
from coepg.bench.workload import GrpoWorkload, write_model
from coepg.models.local.load import load_local

ONE = Weights(patch=3, merged=5, token=7, head=11, vision_width_layers=2, text_width_layers=4)


@given(group=st.integers(1, 20), answer=st.integers(1, 40), prompt=st.integers(1, 500))
def test_a_group_costs_less_than_its_answers_one_by_one(group, answer, prompt):
    def cost(n):
        return fewest_flops(ONE, prompt=prompt, patches=40, merged=10, group=n, answer=answer,
                            vision_pairs=1600)  # fmt: skip

    assert cost(1) <= cost(group) <= group * cost(1)


def test_the_formula_by_hand():
    # 4 patches, 1 merged, 3 prompt tokens, 2 answers of 2 tokens: 1 of each is fed.
    through = 4 * 3 + 1 * 5 + (3 + 2) * 7 + (1 + 2) * 11
    pairs = 6 + 2 * (3 + 1)
    found = fewest_flops(ONE, prompt=3, patches=4, merged=1, group=2, answer=2, vision_pairs=16)
    assert found == 2 * through + 4 * (2 * 16 + 4 * pairs)


def test_windows_hold_fewer_pairs_than_the_whole():
    work = GrpoWorkload(image_tokens=300)  # 30 x 40 patches
    whole, windows = vision_pairs(work, 1.0), vision_pairs(work, 0.0)
    assert whole == 1200**2
    assert windows == 3 * 5 * 64**2 + 5 * (6 * 8) ** 2


def test_stages_are_counted_and_never_below_the_fewest(tmp_path):
    work = GrpoWorkload(image_tokens=48, group=3, answer_tokens=4, width=64, text_layers=2)
    local = load_local(write_model(work, tmp_path / "model"))
    result = bench_limit(local, work, "Click.")
    for name, stage in result["stages"].items():
        assert stage["done_over_fewest"] > 0.9, name
        assert stage["seconds"] > 0 and stage["rate_share"] > 0
    assert result["stages"]["update"]["fewest"] == pytest.approx(
        3 * result["stages"]["score"]["fewest"]
    )
