import pytest

from coepg.devices.browser import Browser, chromium_flags, find_chromium
from coepg.errors import InfrastructureError
from coepg.types import Size


def test_no_browser_says_how_to_install_one(tmp_path):
    with pytest.raises(InfrastructureError, match="apt install chromium"):
        find_chromium(environment={"PATH": str(tmp_path)})
    with pytest.raises(InfrastructureError, match="looked for /no/such"):
        find_chromium("/no/such")


def test_the_variable_and_the_argument_name_a_program(tmp_path):
    for name in ("chromium", "mine"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    path = {"PATH": str(tmp_path)}
    assert find_chromium(environment=path) == str(tmp_path / "chromium")
    mine = {**path, "COEPG_CHROMIUM": str(tmp_path / "mine")}
    assert find_chromium(environment=mine) == str(tmp_path / "mine")
    assert find_chromium("chromium", mine) == str(tmp_path / "chromium")


def test_the_sandbox_is_given_up_only_as_root():
    assert "--no-sandbox" in chromium_flags(as_root=True)
    assert "--no-sandbox" not in chromium_flags(as_root=False)


def test_a_browser_that_does_not_run_has_no_page():
    pytest.importorskip("playwright")
    try:
        browser = Browser(Size(100, 80))
    except InfrastructureError:
        pytest.skip("no Chromium")
    with pytest.raises(InfrastructureError, match="not running"):
        browser.page  # noqa: B018


@pytest.mark.browser
def test_pictures_have_the_size_of_the_viewport(tmp_path):
    page_file = tmp_path / "page.html"
    page_file.write_text("<body style='margin:0;background:#f00'><button>Go</button>")
    with Browser(Size(120, 90)) as browser:
        browser.page.goto(page_file.as_uri())
        shot = browser.page.screenshot()
        assert browser.page.evaluate("devicePixelRatio") == 1
        assert browser.new_page().url == "about:blank"
    assert int.from_bytes(shot[16:20], "big") == 120
    assert int.from_bytes(shot[20:24], "big") == 90
