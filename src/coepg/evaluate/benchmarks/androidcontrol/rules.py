"""AndroidControl's rules by name."""

from __future__ import annotations

from coepg.evaluate.benchmarks.androidcontrol.agentcpm import AGENTCPM
from coepg.evaluate.benchmarks.androidcontrol.os_atlas import OS_ATLAS
from coepg.evaluate.benchmarks.androidcontrol.qwen import INFIGUI, UI_S1
from coepg.evaluate.benchmarks.androidcontrol.uground import UGROUND

RULES = {rule.name: rule for rule in (OS_ATLAS, UI_S1, INFIGUI, UGROUND, AGENTCPM)}

METRICS = tuple(metric for rule in RULES.values() for metric in rule.metrics.values())
