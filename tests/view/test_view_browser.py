"""The viewer in a real browser: boxes, keys, filters, large sets, hostile texts, export."""

import json
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
from viewer_data import (
    ATTACK,
    make_answers,
    make_dataset,
    make_large_dataset,
    make_png,
    make_step,
    write_steps,
)

from coepg.types import Box
from coepg.view.api import ViewerApi
from coepg.view.export import export_html
from coepg.view.server import ViewerServer
from coepg.view.sources.open import open_source

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.executable_path
        path = found if Path(found).exists() else shutil.which("chromium")
        if path is None:
            pytest.skip("no Chromium on this machine")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    page = browser.new_page(viewport={"width": 1300, "height": 850})
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    page.close()
    assert page.complaints == []


@contextmanager
def served(source):
    with ViewerServer(ViewerApi(source)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.url
        server.shutdown()


def ready(page):
    page.wait_for_selector("body[data-state=ready]")


def until(page, condition):
    """As wait_for_function, which the page's policy forbids because it evaluates a text."""
    for _ in range(300):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never true: {condition}")


def opened(page, url, has_picture=True):
    page.goto(url)
    ready(page)
    if has_picture:
        until(page, "document.getElementById('image').naturalWidth > 0")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)
        ready(page)


def where(page, selector):
    """Left, top, right and bottom of a drawn thing, in pixels of the screenshot."""
    return page.evaluate(
        """selector => {
          const image = document.getElementById("image").getBoundingClientRect();
          const [, , width, height] = document.getElementById("overlay")
            .getAttribute("viewBox").split(" ").map(Number);
          const box = document.querySelector(selector).getBoundingClientRect();
          const x = (v) => (v - image.left) * width / image.width;
          const y = (v) => (v - image.top) * height / image.height;
          return [x(box.left), y(box.top), x(box.right), y(box.bottom)];
        }""",
        selector,
    )


def step_id(page):
    return page.locator("#list [aria-current]").get_attribute("data-step-id")


def listed(page):
    return page.locator("#list button").evaluate_all("all => all.map(b => b.dataset.stepId)")


def test_first_step_shows_its_boxes_in_place(page, tmp_path):
    png = make_png()
    write_steps(tmp_path / "data", [make_step(0, png)], [png])
    with served(open_source(tmp_path / "data")) as url:
        opened(page, url)
        assert page.locator("#instruction").inner_text() == "Press button number 0"
        assert where(page, "#overlay .gold") == pytest.approx([20, 10, 60, 40], abs=0.1)
        assert where(page, "#overlay .alternative") == pytest.approx([100, 50, 140, 90], abs=0.1)
        assert page.locator("#verdict").is_hidden()


@pytest.mark.parametrize(
    ("size", "box"),
    [
        ((6016, 3384), (4000, 3000, 4100, 3050)),
        ((1, 1), (0, 0, 1, 1)),
        ((30, 900), (3, 800, 20, 850)),
    ],
)
def test_pictures_of_any_size_fit_and_zoom(page, tmp_path, size, box):
    png = make_png(size)
    step = make_step(1, png, size, target_box_px=Box(*box))
    write_steps(tmp_path / "data", [step], [png])
    with served(open_source(tmp_path / "data")) as url:
        opened(page, url)
        stage = page.locator("#stage").bounding_box()
        frame = page.locator("#frame").bounding_box()
        assert 30 <= max(frame["width"], frame["height"]) <= 850
        assert frame["width"] <= stage["width"]
        assert frame["height"] <= stage["height"]
        assert frame["width"] / frame["height"] == pytest.approx(size[0] / size[1], rel=0.02)
        unit = size[0] / frame["width"]
        assert where(page, "#overlay .gold") == pytest.approx(list(box), abs=0.2 * unit)

        page.mouse.click(frame["x"] + 0.6 * frame["width"], frame["y"] + 0.9 * frame["height"])
        zoomed = page.locator("#frame").bounding_box()
        assert zoomed["width"] >= max(size[0], 1.9 * frame["width"])
        assert where(page, "#overlay .gold") == pytest.approx(list(box), abs=0.2)
        press(page, "z")
        assert page.locator("#frame").bounding_box()["width"] == frame["width"]
        assert page.locator("#picture-note").is_hidden()


@pytest.fixture
def answers(tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    return steps, open_source(path, tmp_path / "data")


def test_keys_walk_through_the_steps(page, answers):
    steps, source = answers
    ids = [step.step_id for step in steps]
    with served(source) as url:
        opened(page, url)
        for keys, expected in (
            (["k"], 0), (["j", "j"], 2), (["k"], 1), (["ArrowRight"], 2), (["ArrowLeft"], 1),
            (["n"], 4), (["n"], 5), (["n"], 1), (["j"] * 20, 8),
        ):  # fmt: skip
            press(page, *keys)
            assert step_id(page) == ids[expected], keys
            assert page.locator("#position").input_value() == str(expected + 1)
        press(page, "?")
        assert page.locator("#help").is_visible()
        press(page, "Escape")
        assert page.locator("#help").is_hidden()
        press(page, "b")
        assert page.locator("#overlay").evaluate("e => getComputedStyle(e).visibility") == "hidden"
        press(page, "/")
        page.keyboard.type("number 7")
        until(page, "document.querySelectorAll('#list button').length === 1")
        ready(page)
        assert step_id(page) == ids[7]
        press(page, "Escape", "n")
        assert "is wrong" in page.locator("#notes .error").inner_text()
        assert page.locator("#text").input_value() == "number 7"


def test_wrong_only_shows_exactly_the_wrong_ones(page, answers):
    steps, source = answers
    with served(source) as url:
        opened(page, url)
        page.select_option("#verdict", "wrong")
        ready(page)
        assert listed(page) == [steps[n].step_id for n in (1, 4, 5)]
        assert page.locator("#count").inner_text() == "of 3 (9 in all)"
        page.select_option("#action_type", "type")
        ready(page)
        assert listed(page) == [steps[5].step_id]
        page.select_option("#task_name", "buy")
        ready(page)
        assert listed(page) == []
        assert page.locator("#picture-note").inner_text() == "No step fits."


def test_an_answer_shows_point_plan_history_and_verdicts(page, answers):
    _, source = answers
    with served(source) as url:
        opened(page, url + "#step=5")
        left, top, right, bottom = where(page, "#overlay .mark")
        assert [(left + right) / 2, (top + bottom) / 2] == pytest.approx([150, 5], abs=0.5)
        assert page.locator("#history li").all_inner_texts() == ["[button] Open -> click"]
        rows = page.locator("#verdicts tr").all_inner_texts()
        assert [row.split("\t") for row in rows] == [
            ["type_match", "yes"], ["value_match", "yes"], ["element_hit", "no"],
            ["op_f1", "1"], ["step_success", "no"],
        ]  # fmt: skip
        assert page.locator("#answer .badge").inner_text() == "wrong"
        assert "agent, miss" in page.locator("#legend").inner_text()
        page.reload()
        ready(page)
        assert page.locator("#position").input_value() == "5"


def test_a_file_that_grows_is_read_again(page, tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    whole = path.read_bytes()
    path.write_bytes(whole[:-40])
    with served(open_source(path, tmp_path / "data")) as url:
        opened(page, url)
        assert "not whole" in page.locator("#notes").inner_text()
        path.write_bytes(whole)
        press(page, "r")
        assert page.locator("#count").inner_text() == "of 9"
        assert page.locator("#notes").inner_text() == ""


def test_a_large_dataset_opens_and_jumps(page, tmp_path):
    source = open_source(make_large_dataset(tmp_path / "large", 200_000))
    with served(source) as url:
        opened(page, url)
        assert page.locator("#count").inner_text() == "of 200000"
        page.locator("#position").fill("150000")
        page.locator("#position").press("Enter")
        ready(page)
        assert step_id(page) == "many/149999"
        assert page.locator("#instruction").inner_text() == "Press button number 149999"
        assert page.locator("#list button").count() == 50
    # Of 391 row groups, whole steps were read of the first one and of the one jumped to.
    assert source.groups_read == 2


def test_texts_of_steps_stay_texts(page, tmp_path):
    steps = make_dataset(
        tmp_path / "data",
        instruction=ATTACK,
        history=(ATTACK,),
        target_repr=ATTACK,
        task_name=ATTACK,
        tags={ATTACK: ATTACK},
    )
    path = make_answers(tmp_path / "a.jsonl", steps, text=ATTACK, more=ATTACK)
    source = open_source(path, tmp_path / "data")
    export_html(source, tmp_path / "page.html")
    with served(source) as url:
        for address in (url, (tmp_path / "page.html").as_uri()):
            opened(page, address)
            press(page, "j", "k")
            assert page.locator("#instruction").inner_text() == ATTACK
            assert page.locator("#history li").all_inner_texts() == [ATTACK]
            assert page.locator("#answer pre").inner_text() == ATTACK
            assert page.locator("main script, main img:not(#image)").count() == 0
            assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("where_from", ["server", "file"])
def test_markup_that_gets_in_cannot_run(browser, tmp_path, where_from):
    """The second wall: even if a text became markup, the policy forbids its scripts."""
    make_dataset(tmp_path / "data")
    source = open_source(tmp_path / "data")
    export_html(source, tmp_path / "page.html")
    page = browser.new_page()
    with served(source) as url:
        opened(page, url if where_from == "server" else (tmp_path / "page.html").as_uri())
        page.evaluate(
            """attack => {
              document.body.insertAdjacentHTML("beforeend", attack);
              const script = document.createElement("script");
              script.textContent = "window.hacked = 2";
              document.body.append(script);
            }""",
            '<img src="data:," onerror="window.hacked = 1">',
        )
        page.wait_for_timeout(300)
        assert page.evaluate("window.hacked") is None
    page.close()


def test_missing_pictures_and_answers_alone_are_notes(page, tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    with served(open_source(path)) as url:
        opened(page, url, has_picture=False)
        assert "no dataset was found" in page.locator("#picture-note").inner_text()
        assert "--dataset" in page.locator("#notes").inner_text()
        assert page.locator("#answer .badge").inner_text() == "right"
        page.select_option("#verdict", "wrong")
        ready(page)
        assert listed(page) == [steps[n].step_id for n in (1, 4, 5)]
    (tmp_path / "data/images/images-00000.parquet").unlink()
    with served(open_source(tmp_path / "data")) as url:
        opened(page, url, has_picture=False)
        assert "is not in" in page.locator("#picture-note").inner_text()
        assert page.locator("#stage").is_hidden()
        assert page.locator("#instruction").is_visible()


def test_a_run_shows_the_answers_of_a_group(page, tmp_path):
    from test_view_sources import make_run

    steps = make_dataset(tmp_path / "data")
    make_run(tmp_path / "run", tmp_path / "data", steps)
    with served(open_source(tmp_path / "run")) as url:
        opened(page, url)
        page.select_option("#collection", "01-4-grpo/rollouts")
        ready(page)
        assert page.locator("#count").inner_text() == "of 2"
        press(page, "]", "]", "]")
        assert page.locator("#answer h2").inner_text().startswith("Answer: sample 2")
        assert "ocr, hit, weight 1.00" in page.locator("#legend").inner_text()
        press(page, "[")
        assert page.locator("#answer h2").inner_text().startswith("Answer: sample 1")


def test_an_exported_page_works_without_a_server(browser, page, tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    export_html(open_source(path, tmp_path / "data"), tmp_path / "page.html", limit=8)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.context.set_offline(True)
    opened(page, (tmp_path / "page.html").as_uri())
    assert page.locator("#count").inner_text() == "of 8"
    assert "first 8 of 9" in page.locator("#notes").inner_text()
    assert where(page, "#overlay .gold") == pytest.approx([20, 10, 60, 40], abs=0.1)
    press(page, "n", "n")
    assert step_id(page) == steps[4].step_id
    page.select_option("#verdict", "wrong")
    ready(page)
    assert listed(page) == [steps[n].step_id for n in (1, 4, 5)]
    page.fill("#text", "NUMBER 5")
    until(page, "document.querySelectorAll('#list button').length === 1")
    assert listed(page) == [steps[5].step_id]
    assert {url.split(":")[0] for url in requests} <= {"file", "data"}
    assert sum(url.startswith("file:") for url in requests) == 1


def test_the_server_and_the_exported_page_filter_alike(page, answers, tmp_path):
    _, source = answers
    export_html(source, tmp_path / "page.html")
    queries = [
        {}, {"verdict": "right"}, {"verdict": "none"}, {"split": "test"}, {"app": "shop"},
        {"text": "EPISODE-1/"}, {"verdict": "wrong", "task_name": "search", "text": "4"},
    ]  # fmt: skip
    script = f"""async () => {{
      const found = [];
      for (const query of {json.dumps(queries)}) {{
        const filters = Object.fromEntries(FILTERS.map((n) => [n, query[n] || ""]));
        const backend = openBackend();
        found.push([await backend.rows("a.jsonl", filters, 0, 50),
          await backend.nextWrong("a.jsonl", filters, 2)]);
      }}
      const {{ choices, has_verdicts }} = await openBackend().collection("a.jsonl");
      return [found, choices, has_verdicts];
    }}"""
    opened(page, (tmp_path / "page.html").as_uri())
    from_file = page.evaluate(script)
    with served(source) as url:
        opened(page, url)
        assert page.evaluate(script) == from_file
    assert [len(rows["rows"]) for rows, _ in from_file[0]] == [9, 6, 0, 3, 3, 3, 0]
