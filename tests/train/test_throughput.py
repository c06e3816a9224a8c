import pytest

from coepg.train.throughput import Throughput


def meter(*times):
    moments = iter(times)
    return Throughput(lambda: next(moments))


def test_waiting_counts_as_time_but_not_as_work():
    m = meter(0.0, 1.0, 4.0, 6.0, 8.0)
    for _ in range(2):
        m.begin()
        m.count(num_positions=100, num_tokens=60)
        m.end()
    assert m.take() == {
        "tokens_per_s": 25.0,
        "useful_tokens_per_s": 15.0,
        "padding_share": pytest.approx(0.4),
        "idle_share": 3 / 8,
    }


def test_taking_starts_anew():
    m = meter(0.0, 1.0, 2.0, 2.5, 3.0)
    m.begin()
    m.count(10, 10)
    m.end()
    m.take()
    assert m.take() == {}
    m.begin()
    m.end()
    assert m.take() == {"tokens_per_s": 0.0, "useful_tokens_per_s": 0.0, "idle_share": 0.5}
