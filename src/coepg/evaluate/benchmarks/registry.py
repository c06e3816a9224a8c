"""Every benchmark metric by name."""

from __future__ import annotations

from coepg.evaluate.benchmarks import (
    aitw,
    aitz,
    gui_odyssey,
    mind2web,
    omniact,
    screenspot,
    screenspot_pro,
)
from coepg.evaluate.benchmarks.androidcontrol import rules, semi_online
from coepg.evaluate.definitions import MetricDefinition

_MODULES = (
    screenspot,
    screenspot_pro,
    mind2web,
    rules,
    semi_online,
    gui_odyssey,
    omniact,
    aitw,
    aitz,
)

BENCHMARK_METRICS: dict[str, MetricDefinition] = {
    metric.name: metric for module in _MODULES for metric in module.METRICS
}
"""Name -> definition; a number is comparable with the same name and version only."""
