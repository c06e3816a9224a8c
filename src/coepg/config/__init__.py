"""Settings: typed, documented, checked. Read from TOML recipes."""

from coepg.config.cdrem import GROUNDER, CdremConfig
from coepg.config.data import DataConfig, ObservationConfig
from coepg.config.dump import dump_recipe, recipe_hash
from coepg.config.evaluate import EvaluateConfig
from coepg.config.evolve import EvolveConfig
from coepg.config.grpo import GrpoConfig
from coepg.config.load import list_recipes, load_recipe, parse_recipe
from coepg.config.models import HttpModelConfig, LocalModelConfig, ModelConfig, OcrModelConfig
from coepg.config.pools import PoolPlannerConfig, PoolsConfig
from coepg.config.recipe import Recipe
from coepg.config.run import RunConfig
from coepg.config.sft import SftConfig

__all__ = [
    "GROUNDER",
    "CdremConfig",
    "DataConfig",
    "EvaluateConfig",
    "EvolveConfig",
    "GrpoConfig",
    "HttpModelConfig",
    "LocalModelConfig",
    "ModelConfig",
    "ObservationConfig",
    "OcrModelConfig",
    "PoolPlannerConfig",
    "PoolsConfig",
    "Recipe",
    "RunConfig",
    "SftConfig",
    "dump_recipe",
    "list_recipes",
    "load_recipe",
    "parse_recipe",
    "recipe_hash",
]
