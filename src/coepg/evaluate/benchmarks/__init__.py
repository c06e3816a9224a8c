"""Metrics of public benchmarks: one file a benchmark, pure functions on small frozen objects."""
