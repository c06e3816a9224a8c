import io

import pytest
from PIL import Image

from coepg.data.miniwob.demonstrators import DEMONSTRATORS
from coepg.data.miniwob.demonstrators.common import ordinal
from coepg.data.miniwob.demonstrators.shapes import Figure
from coepg.data.miniwob.environment import VIEWPORT, MiniwobPage, compact_png
from coepg.data.miniwob.episode import record_episode, start_key
from coepg.data.miniwob.gold import GoldAction, click
from coepg.data.miniwob.tasks import (
    LONG_TASKS,
    SEED_STARTS,
    SHORT_TASKS,
    TASK_PLANS,
    TEST_TASKS,
    first_seed,
)
from coepg.devices.browser import Browser, find_chromium
from coepg.errors import InfrastructureError


def test_plans_have_demonstrators_and_one_place_each():
    names = [*TEST_TASKS, *LONG_TASKS, *SHORT_TASKS]
    assert len(names) == len(set(names)) == len(TASK_PLANS) >= 34
    assert set(names) <= set(DEMONSTRATORS)
    assert all(set(TASK_PLANS[n].steps_wanted) == {"test_task"} for n in TEST_TASKS)


def test_seed_ranges_of_splits_do_not_meet():
    starts = sorted(first_seed(split, base) for split in SEED_STARTS for base in range(3))
    assert min(b - a for a, b in zip(starts, starts[1:], strict=False)) >= 1_000_000


def test_history_lines():
    assert GoldAction("click", None, "button", "Go").history_line == "[button] Go -> click"
    assert (
        GoldAction("type", None, "text field", "", "bob").history_line
        == "[text field] -> type: bob"
    )
    assert GoldAction("scroll", None, value="down").history_line == "scroll: down"


@pytest.mark.parametrize(
    ("description", "fits"),
    [
        ("red circle", True),
        ("large item", True),
        ("shape", True),
        ("small red circle", False),
        ("large blue item", False),
        ("c", False),
    ],
)
def test_figures_fit_descriptions(description, fits):
    figure = Figure(None, "large", "red", "shape", "circle")
    assert figure.fits(description) is fits
    assert figure.name == "large red circle"


def test_ordinals():
    assert [ordinal(i) for i in (0, 1, 2, 3, 10, 20)] == [
        "1st", "2nd", "3rd", "4th", "11th", "21st",
    ]  # fmt: skip


def test_compact_png_keeps_every_pixel():
    for colors in (7, 4000):
        picture = Image.new("RGB", (80, 80))
        picture.putdata([(i % colors % 256, i % colors // 256, 9) for i in range(6400)])
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        again = Image.open(io.BytesIO(compact_png(buffer.getvalue()))).convert("RGB")
        assert again.tobytes() == picture.tobytes()


@pytest.fixture(scope="module")
def screen():
    pytest.importorskip("playwright")
    try:
        find_chromium()
    except InfrastructureError:
        pytest.skip("no Chromium")
    with Browser(VIEWPORT) as browser:
        yield MiniwobPage(browser.page)


@pytest.mark.browser
@pytest.mark.parametrize(
    "task", ["click-button", "login-user", "click-shape", "email-inbox-reply", "click-menu"]
)
def test_one_seed_gives_the_same_bytes_twice(screen, task):
    def kept(seed):
        return record_episode(screen, DEMONSTRATORS[task], task, "train", seed)

    seed = next(s for s in range(20) if kept(s).outcome == "kept")
    first, second = kept(seed), kept(seed)
    assert first.images == second.images
    assert first.episode == second.episode


@pytest.mark.browser
def test_the_instruction_is_not_in_the_picture(screen):
    screen.reset("click-test", 3)
    picture = Image.open(io.BytesIO(screen.picture_png())).convert("RGB")
    assert picture.size == (160, 160)
    assert (255, 255, 0) not in {color for _, color in picture.getcolors(70_000)}


@pytest.mark.browser
def test_an_episode_without_reward_is_not_kept(screen):
    def wrong(page):
        yield click(page.only("#area button", "TWO"), "button", "TWO")

    def idle(page):
        yield GoldAction("hover", page.one("#area button"), "button", "ONE")

    failed = record_episode(screen, wrong, "click-test-2", "train", 1)
    assert (failed.outcome, failed.episode) == ("failed", None)
    assert record_episode(screen, idle, "click-test-2", "train", 1).outcome == "failed"


@pytest.mark.browser
def test_a_covered_target_is_skipped(screen):
    def covered(page):
        yield click(page.one("#area"), "text", "area")

    page = screen.page
    screen.reset("click-test", 1)
    page.evaluate(
        "document.body.insertAdjacentHTML('beforeend',"
        "'<div id=lid style=\"position:fixed;inset:0;background:#fff\"></div>')"
    )
    action = click(page.query_selector("#subbtn"), "button", "Click Me!")
    with pytest.raises(Exception, match="covers"):
        screen.act(action, screen.visible_box(action.element).box_px)


@pytest.mark.browser
def test_an_episode_that_starts_alike_is_a_duplicate(screen):
    demonstrate = DEMONSTRATORS["enter-text"]
    first = record_episode(screen, demonstrate, "enter-text", "train", 5)
    seen = {start_key(first.episode.steps[0])}
    again = record_episode(screen, demonstrate, "enter-text", "test_seed", 5, seen)
    assert again.outcome == "duplicate"
