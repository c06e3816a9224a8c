import pytest

from coepg.config import load_recipe
from coepg.config.hints import did_you_mean
from coepg.errors import ConfigError


def mistake(*overrides, recipe="default"):
    with pytest.raises(ConfigError) as caught:
        load_recipe(recipe, overrides)
    return caught.value


@pytest.mark.parametrize(
    ("override", "key", "found", "expected"),
    [
        ("grpo.max_step=3", "'grpo.max_step'", "did you mean 'max_steps'", "max_steps"),
        ("learning_rate=1", "'learning_rate'", "'sft.learning_rate'", "sft"),
        ("grpo.max_steps=few", "'grpo.max_steps'", "'few'", "a whole number"),
        ("grpo.max_steps=true", "'grpo.max_steps'", "True", "a whole number"),
        ("grpo.max_steps=0", "'grpo.max_steps'", "0", "greater than or equal to 1"),
        ("run=3", "'run'", "3", "a table"),
        ("data.eval_splits=test", "'data.eval_splits'", "'test'", "a list"),
        ("cdrem.weighting=cdrm", "'cdrem.weighting'", "did you mean 'cdrem'", "'uniform'"),
        ("models.other.kind=htp", "'models.other'", "did you mean 'http'", "'ocr'"),
        ("models.other.kind=http", "'models.other.base_url'", "nothing", "no default"),
        ("models.other.pth=x", "'models.other.pth'", "did you mean 'path'", "profile"),
        ("models.new.path=x", "'models.new'", "no key 'kind'", "'local'"),
        ("pools.planners.a.modl=x", "'pools.planners.a.modl'", "did you mean 'model'", "hint"),
        ("data.observation.text=ocr", "'data.observation.text'", "unknown", "screen_text"),
        ("grpo", "--set grpo", "'grpo'", "section.key=value"),
    ],
)
def test_a_mistake_names_key_found_and_expected(override, key, found, expected):
    error = mistake(override)
    assert key in error.what
    assert override in error.what
    assert found in error.found
    assert expected in error.expected


@pytest.mark.parametrize(
    ("overrides", "text"),
    [
        (["cdrem.members=['grounder','big']"], "cdrem.members names the model 'big'"),
        (["cdrem.priors.big=2"], "cdrem.priors names the model 'big'"),
        (["cdrem.members=[]"], "members is empty"),
        (["cdrem.members=['ocr','ocr']"], "more than once"),
        (["cdrem.weighting=single"], "exactly one member"),
        (["cdrem.confidence=none"], "needs a confidence"),
        (["pools.verifiers=['big']"], "pools.verifiers names the model 'big'"),
        (["pools.min_votes=4"], "no plan could ever be kept"),
        (["pools.planners.planner.model=ocr"], "cannot plan"),
        (["pools.planners.planner.temperature=0"], "all samples are equal"),
        (["models.planner.kind=ocr"], "must be local"),
        (["data.train_split=test_seed"], "must not be scored"),
        (["evolve.grpo_enabled=false"], 'arms = ["sft"]'),
    ],
)
def test_settings_that_conflict_are_explained(overrides, text):
    error = mistake(*overrides)
    assert text in error.found
    assert overrides[-1] in error.what


def test_all_mistakes_are_listed():
    assert "grpo.b" in mistake("grpo.a=1", "grpo.b=2").fix


def test_a_file_is_named_and_layers_go_defaults_files_flags(tmp_path):
    (tmp_path / "below.toml").write_text(
        'extends = "smoke"\n[grpo]\nmax_steps = 7\nkl_beta = 0.5\n'
    )
    top = tmp_path / "top.toml"
    top.write_text('extends = "./below.toml"\n[grpo]\nmax_steps = 8\n')
    recipe = load_recipe(top, ["grpo.kl_beta=0.25"])
    assert (recipe.grpo.max_steps, recipe.grpo.kl_beta) == (8, 0.25)
    assert recipe.grpo.num_generations == load_recipe("smoke").grpo.num_generations
    (tmp_path / "below.toml").write_text("[grpo]\nmax_stepz = 7\n")
    error = mistake(recipe=top)
    assert str(tmp_path / "below.toml") in error.what


def test_a_model_of_another_kind_starts_afresh():
    recipe = load_recipe("default", ["models.other.kind=ocr"])
    assert recipe.models["other"].kind == "ocr"


def test_none_unsets_a_lower_layer():
    assert load_recipe("smoke").data.max_train_steps is not None
    assert load_recipe("smoke", ["data.max_train_steps=none"]).data.max_train_steps is None


def test_an_override_is_toml_or_else_plain_text():
    recipe = load_recipe("default", ["name=my run", "data.eval_splits=['a']", "run.seed=3"])
    assert (recipe.name, recipe.data.eval_splits, recipe.run.seed) == ("my run", ("a",), 3)


def test_bad_files(tmp_path):
    assert "did you mean 'smoke'" in mistake(recipe="smok").found
    assert "No such file" in mistake(recipe=tmp_path / "no.toml").found
    bad = tmp_path / "bad.toml"
    bad.write_text("[grpo\n")
    assert "line 1" in mistake(recipe=bad).found
    bad.write_text('extends = "bad.toml"\n')
    assert "->" in mistake(recipe=bad).found
    bad.write_text("extends = 3\n")
    assert mistake(recipe=bad).found == "3"
    bad.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in mistake(recipe=bad).found


def test_hint_is_empty_when_nothing_is_near():
    assert did_you_mean("zzz", ["learning_rate"]) == ""
