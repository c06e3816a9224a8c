import pytest

from coepg.data.shipped import shipped_dataset_path, shipped_names
from coepg.data.stats import dataset_stats
from coepg.data.table import StepTable
from coepg.errors import DataError
from coepg.types import content_hash, has_target


@pytest.fixture(scope="module")
def table():
    return StepTable.open(shipped_dataset_path("miniwob"))


@pytest.fixture(scope="module")
def steps(table):
    return [step for split in table.splits for step in table.steps(split)]


def test_unknown_name_lists_the_shipped_ones():
    assert "miniwob" in shipped_names()
    with pytest.raises(DataError, match="miniwob"):
        shipped_dataset_path("miniwop")


def test_is_large_enough_and_small_enough(table, steps):
    assert table.splits == ("test_seed", "test_task", "train")
    assert len(steps) >= 3000
    assert len({step.task_name for step in steps}) >= 30
    size = sum(path.stat().st_size for path in table.path.rglob("*") if path.is_file())
    assert size <= 20_000_000


def test_splits_do_not_overlap(table):
    episodes = {split: {s.episode_id for s in table.steps(split)} for split in table.splits}
    tasks = {split: {s.task_name for s in table.steps(split)} for split in table.splits}
    assert not episodes["train"] & episodes["test_seed"]
    assert not tasks["train"] & tasks["test_task"]
    assert tasks["test_seed"] <= tasks["train"]
    assert len(tasks["test_task"]) >= 8


def test_no_test_episode_starts_like_a_training_episode(table):
    def starts(split):
        return {
            (s.screenshot.image_hash, s.instruction)
            for s in table.steps(split)
            if s.step_index == 0
        }

    assert not starts("train") & starts("test_seed")


def test_no_task_dominates(table):
    counts = dataset_stats(table)["splits"]["train"]["tasks"]
    assert max(counts.values()) <= 120
    assert min(counts.values()) >= 15


def test_boxes_lie_in_pictures_and_are_whole_pixels(steps):
    for step in steps:
        assert (step.screenshot.size.width, step.screenshot.size.height) == (160, 160)
        if step.target_box_px is None:
            assert not has_target(step.action_type)
            continue
        corners = step.target_box_px.as_tuple()
        assert all(0 <= v <= 160 and v == int(v) for v in corners), step.step_id
        assert step.target_box_px.area >= 16, step.step_id


def test_pictures_have_their_names_and_sizes(table, steps):
    for image_hash in sorted({s.screenshot.image_hash for s in steps})[::50]:
        assert content_hash(table.image_bytes(image_hash)) == image_hash
        assert table.image(image_hash).size == (160, 160)


def test_episodes_are_whole(steps):
    by_episode = {}
    for step in steps:
        by_episode.setdefault(step.episode_id, []).append(step)
    for episode in by_episode.values():
        assert [s.step_index for s in episode] == list(range(episode[0].num_steps))
        assert [len(s.history) for s in episode] == list(range(len(episode)))
        for before, after in zip(episode, episode[1:], strict=False):
            assert after.history[:-1] == before.history
            assert after.history[-1].startswith(before.target_repr)


def test_text_of_both_sources(steps):
    sources = [{t.source.value for t in step.screen_text} for step in steps]
    assert sum("dom" in s for s in sources) > 0.8 * len(steps)
    assert sum("ocr" in s for s in sources) > 0.8 * len(steps)


def test_named_text_targets_are_on_the_screen(steps):
    buttons = [s for s in steps if s.target_repr == "[button] Submit"]
    assert buttons
    for step in buttons:
        assert any(t.text == "Submit" for t in step.screen_text), step.step_id
