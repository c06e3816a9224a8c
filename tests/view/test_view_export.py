import json
import re

import pytest
from viewer_data import ATTACK, make_answers, make_dataset

from coepg.errors import DataError
from coepg.view.export import export_html
from coepg.view.sources.open import open_source


def data_of(path):
    text = re.search(r'id="data">(.*?)</script>', path.read_text(encoding="utf-8"), re.DOTALL)[1]
    return json.loads(text)


def test_the_file_holds_the_first_steps_and_says_so(tmp_path):
    steps = make_dataset(tmp_path / "data")
    answers = make_answers(tmp_path / "a.jsonl", steps)
    path = tmp_path / "page.html"
    assert export_html(open_source(answers, tmp_path / "data"), path, limit=4) == 4
    (part,) = data_of(path)["collections"]
    assert [step["step_id"] for step in part["steps"]] == [s.step_id for s in steps[:4]]
    assert "first 4 of 9" in part["notes"][-1]
    assert len(data_of(path)["images"]) == 1


def test_nothing_is_loaded_from_elsewhere_and_texts_cannot_end_their_element(tmp_path):
    make_dataset(tmp_path / "data", instruction=ATTACK + "</script><!--")
    path = tmp_path / "page.html"
    export_html(open_source(tmp_path / "data"), path)
    page = path.read_text(encoding="utf-8")
    assert re.findall(r"\b(?:src|href)=", page.split("<body>")[0]) == []
    assert ATTACK not in page
    assert page.count("<script") == page.count("</script>") == 5
    policy = re.search(r'Policy" content="([^"]*)"', page)[1]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


def test_a_picture_that_is_not_there_is_a_note(tmp_path):
    make_dataset(tmp_path / "data")
    (tmp_path / "data/images/images-00000.parquet").unlink()
    path = tmp_path / "page.html"
    export_html(open_source(tmp_path / "data"), path)
    (part,) = data_of(path)["collections"]
    assert {step["image_hash"] for step in part["steps"]} == {""}
    assert "is not in" in part["steps"][0]["image_note"]


def test_an_empty_run_and_a_missing_folder_are_named(tmp_path):
    (tmp_path / "recipe.toml").write_text("")
    with pytest.raises(DataError, match="nothing to export"):
        export_html(open_source(tmp_path), tmp_path / "page.html")
    make_dataset(tmp_path / "data")
    with pytest.raises(DataError, match="no folder"):
        export_html(open_source(tmp_path / "data"), tmp_path / "none/page.html")
    assert not (tmp_path / "page.html").exists()
