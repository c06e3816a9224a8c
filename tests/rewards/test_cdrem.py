"""C-DREM weights: bounds, symmetry, the paper's numbers, and the sign of the prior."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coepg.errors import ConfigError, InfrastructureError
from coepg.rewards.cdrem import confidence, member_weights

NAMES = ("qwen_72b", "qwen_32b", "grounder")
PRIORS = {"qwen_72b": 1.0, "qwen_32b": 1.0, "grounder": 2.0}

member_names = st.sampled_from(["grounder", "other", "ocr", "a", "b", "c"])
geo_confidences = st.dictionaries(member_names, st.floats(0, 1), min_size=1)
log_confidences = st.dictionaries(member_names, st.floats(-500, 0), min_size=1)
priors = st.dictionaries(member_names, st.floats(0.01, 50))
weightings = st.sampled_from(["cdrem", "uniform", "prior"])


def test_confidence_is_mean_log_probability_or_its_exponential() -> None:
    logprobs = [math.log(0.5), math.log(0.125)]
    assert confidence(logprobs, "mean_logprob") == pytest.approx(math.log(0.25))
    assert confidence(logprobs, "geo_mean_prob") == pytest.approx(0.25)
    assert confidence(logprobs, "none") == confidence([], "none") == 1.0


@given(st.lists(st.floats(-700, 0), min_size=1))
def test_confidence_bounds(logprobs: list[float]) -> None:
    assert confidence(logprobs, "mean_logprob") <= 0
    assert 0 <= confidence(logprobs, "geo_mean_prob") <= 1
    assert confidence(logprobs[::-1], "mean_logprob") == confidence(logprobs, "mean_logprob")


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0.5])
def test_confidence_rejects_what_is_no_log_probability(bad: float) -> None:
    with pytest.raises(ValueError, match="log-probability 1 is"):
        confidence([-0.1, bad], "geo_mean_prob")


def test_confidence_takes_rounding_above_zero_as_certainty() -> None:
    assert confidence([1e-6], "geo_mean_prob") == 1.0


def test_confidence_needs_tokens_and_a_known_mode() -> None:
    with pytest.raises(ValueError, match="no token"):
        confidence([], "mean_logprob")
    with pytest.raises(ValueError, match="unknown confidence mode 'median'"):
        confidence([-1.0], "median")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("mean_logprob", "expected"),
    [(-0.05, (0.339, 0.339, 0.322)), (-0.2, (0.355, 0.355, 0.290)), (-0.5, (0.384, 0.384, 0.233))],
)
def test_printed_form_gives_the_larger_prior_the_smaller_weight(
    mean_logprob: float, expected: tuple[float, ...]
) -> None:
    """The sign trap: with c <= 0, a larger sigma lowers the weight."""
    c = confidence([mean_logprob], "mean_logprob")
    weights = member_weights(dict.fromkeys(NAMES, c), PRIORS, "cdrem")
    assert [weights[name] for name in NAMES] == pytest.approx(expected, abs=6e-4)


def test_geometric_mean_form_gives_the_larger_prior_the_larger_weight() -> None:
    c = confidence([-0.2], "geo_mean_prob")
    weights = member_weights(dict.fromkeys(NAMES, c), PRIORS, "cdrem")
    assert [weights[name] for name in NAMES] == pytest.approx((0.234, 0.234, 0.531), abs=6e-4)


@given(st.floats(-20, -0.01), st.floats(0.1, 5), st.floats(0.1, 5))
def test_equal_confidences_order_by_prior_up_to_the_sign(
    logprob: float, smaller: float, gap: float
) -> None:
    sigma = {"low": smaller, "high": smaller + gap}
    geo = dict.fromkeys(sigma, confidence([logprob], "geo_mean_prob"))
    printed = dict.fromkeys(sigma, confidence([logprob], "mean_logprob"))
    weights = member_weights(geo, sigma, "cdrem")
    assert weights["high"] >= weights["low"]
    weights = member_weights(printed, sigma, "cdrem")
    assert weights["high"] < weights["low"]


@given(geo_confidences | log_confidences, priors, weightings)
def test_weights_are_shares_that_sum_to_one(c, sigma, weighting) -> None:
    weights = member_weights(c, sigma, weighting)
    assert set(weights) == set(c)
    assert all(0 <= w <= 1 for w in weights.values())
    assert math.fsum(weights.values()) == pytest.approx(1.0)


@given(geo_confidences | log_confidences, priors, weightings, st.randoms())
def test_order_of_members_does_not_matter(c, sigma, weighting, random) -> None:
    shuffled = list(c.items())
    random.shuffle(shuffled)
    assert member_weights(dict(shuffled), sigma, weighting) == member_weights(c, sigma, weighting)


@given(geo_confidences, priors, weightings, st.data())
def test_absent_member_leaves_the_others_ratios(c, sigma, weighting, data) -> None:
    gone = data.draw(st.sampled_from(sorted(c)))
    rest = {name: value for name, value in c.items() if name != gone}
    if not rest:
        return
    before, after = member_weights(c, sigma, weighting), member_weights(rest, sigma, weighting)
    left = math.fsum(before[name] for name in rest)
    for name in rest:
        assert after[name] * left == pytest.approx(before[name], abs=1e-9)


@given(geo_confidences, st.floats(0.01, 0.5))
def test_more_confidence_means_more_weight(c, gain) -> None:
    name = sorted(c)[0]
    raised = c | {name: c[name] + gain}
    before, after = member_weights(c, {}, "cdrem"), member_weights(raised, {}, "cdrem")
    assert after[name] > before[name] or len(c) == 1


def test_other_weightings() -> None:
    c = {"qwen_72b": 0.9, "qwen_32b": 0.1, "grounder": 0.5}
    assert member_weights(c, PRIORS, "uniform") == dict.fromkeys(c, pytest.approx(1 / 3))
    assert member_weights(c, PRIORS, "prior") == {
        "qwen_72b": 0.25,
        "qwen_32b": 0.25,
        "grounder": 0.5,
    }
    single = member_weights(c, PRIORS, "single")
    assert single == {"qwen_72b": 0.0, "qwen_32b": 0.0, "grounder": 1.0}
    assert member_weights(c, PRIORS, "single", "qwen_32b")["qwen_32b"] == 1.0


def test_member_without_prior_has_one() -> None:
    weights = member_weights({"grounder": 0.5, "ocr": 0.5}, {"grounder": 2.0}, "prior")
    assert weights == {"grounder": pytest.approx(2 / 3), "ocr": pytest.approx(1 / 3)}


def test_extreme_confidences_do_not_overflow() -> None:
    weights = member_weights({"a": -1e6, "b": -2e6}, {"a": 10.0, "b": 10.0}, "cdrem")
    assert weights == {"a": 1.0, "b": 0.0}
    weights = member_weights({"a": 1.0, "b": 0.0}, {"a": 1e5}, "cdrem")
    assert weights == {"a": 1.0, "b": 0.0}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_bad_confidence_names_the_member(bad: float) -> None:
    with pytest.raises(InfrastructureError, match="'ocr'"):
        member_weights({"grounder": 0.5, "ocr": bad}, {}, "uniform")


@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_bad_prior_names_the_member(bad: float) -> None:
    with pytest.raises(ConfigError, match="'ocr'"):
        member_weights({"grounder": 0.5, "ocr": 0.5}, {"ocr": bad}, "cdrem")


def test_nobody_answered() -> None:
    with pytest.raises(InfrastructureError):
        member_weights({}, PRIORS, "cdrem")
    with pytest.raises(InfrastructureError, match="'grounder' did not answer"):
        member_weights({"ocr": 1.0}, PRIORS, "single")


def test_unknown_weighting() -> None:
    with pytest.raises(ValueError, match="unknown weighting 'median'"):
        member_weights({"ocr": 1.0}, {}, "median")  # type: ignore[arg-type]
