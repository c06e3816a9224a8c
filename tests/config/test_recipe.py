import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from coepg.config import (
    CdremConfig,
    DataConfig,
    GrpoConfig,
    HttpModelConfig,
    OcrModelConfig,
    PoolPlannerConfig,
    PoolsConfig,
    Recipe,
    RunConfig,
    SftConfig,
    dump_recipe,
    list_recipes,
    load_recipe,
    parse_recipe,
    recipe_hash,
)
from coepg.config.base import settings_classes

positive = st.floats(min_value=1e-12, max_value=1e6, exclude_min=True)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_-]{0,8}", fullmatch=True).filter(lambda s: s != "none")
words = st.text(min_size=1).filter(lambda s: s != "none")


@st.composite
def recipes(draw):
    extra = draw(st.dictionaries(names, st.builds(OcrModelConfig) | http_models(), max_size=3))
    models = Recipe().models | {
        k: v for k, v in extra.items() if k not in ("planner", "grounder", "other", "ocr")
    }
    members = tuple(draw(st.lists(st.sampled_from(sorted(models)), min_size=1, unique=True)))
    return Recipe(
        name=draw(names),
        description=draw(st.text()),
        run=RunConfig(seed=draw(st.integers(0, 2**32 - 1)), report_to=draw(st.tuples(words))),
        data=DataConfig(dataset=draw(words), max_train_steps=draw(st.none() | st.integers(1))),
        models=models,
        pools=PoolsConfig(
            planners=draw(
                st.dictionaries(
                    st.text(),
                    st.builds(PoolPlannerConfig, temperature=positive, model=st.just("planner")),
                    min_size=1,
                    max_size=2,
                )
            )
        ),
        sft_grounder=draw(st.none() | st.builds(SftConfig, learning_rate=positive)),
        grpo=GrpoConfig(kl_beta=draw(positive), skip_zero_variance=draw(st.booleans())),
        cdrem=CdremConfig(
            members=members,
            priors=draw(st.dictionaries(st.sampled_from(members), positive)),
        ),
    )


def http_models():
    return st.builds(
        HttpModelConfig,
        base_url=st.just("http://localhost:8000/v1"),
        model=words,
        profile=st.none() | words,
        timeout_s=positive,
    )


@settings(max_examples=60, deadline=None)
@given(recipes())
def test_a_dumped_recipe_loads_to_an_equal_one(recipe):
    again = parse_recipe(dump_recipe(recipe))
    assert again == recipe
    assert recipe_hash(again) == recipe_hash(recipe)


@pytest.mark.parametrize("name", sorted(list_recipes()))
def test_shipped_recipes_load_describe_themselves_and_round_trip(name):
    recipe = load_recipe(name)
    assert recipe.name == name
    assert list_recipes()[name]
    assert parse_recipe(dump_recipe(recipe)) == recipe


def test_comparison_arms_share_the_budget():
    base = load_recipe("compare")
    for name in list_recipes():
        if name.startswith("compare_"):
            arm = load_recipe(name)
            assert (arm.data, arm.sft, arm.grpo) == (base.data, base.sft, base.grpo)


def test_the_hash_ignores_what_changes_no_result():
    base = Recipe()
    assert recipe_hash(Recipe(name="x", description="y")) == recipe_hash(base)
    assert recipe_hash(Recipe(run=RunConfig(report_to=()))) == recipe_hash(base)
    assert recipe_hash(Recipe(run=RunConfig(seed=1))) != recipe_hash(base)


def test_every_setting_is_documented():
    def undocumented(cls: type[BaseModel], where: str):
        for name, info in cls.model_fields.items():
            if not info.description:
                yield f"{where}.{name}"
            for sub in settings_classes(info.annotation):
                yield from undocumented(sub, f"{where}.{name}")

    assert list(undocumented(Recipe, "recipe")) == []


def test_sft_of_the_grounder_may_differ():
    recipe = load_recipe("default", ["sft_grounder.num_epochs=5"])
    assert recipe.sft_of("grounder").num_epochs == 5
    assert recipe.sft_of("planner") == recipe.sft
    assert Recipe().sft_of("grounder") == Recipe().sft


def test_dump_is_plain_toml():
    table = tomllib.loads(dump_recipe(Recipe()))
    assert table["cdrem"]["members"] == ["grounder", "other", "ocr"]
