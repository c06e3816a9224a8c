"""Models that run in this process, on torch and transformers."""

from coepg.models.local.actor import LocalActor
from coepg.models.local.describer import LocalDescriber
from coepg.models.local.engine import LocalEngine
from coepg.models.local.grounder import LocalGrounder
from coepg.models.local.load import LocalModel, load_local, save_local
from coepg.models.local.planner import LocalPlanner

__all__ = [
    "LocalActor",
    "LocalDescriber",
    "LocalEngine",
    "LocalGrounder",
    "LocalModel",
    "LocalPlanner",
    "load_local",
    "save_local",
]
