import json
import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from viewer_data import make_answers, make_dataset, make_large_dataset, make_png, make_step

from coepg.errors import DataError
from coepg.rollouts.store import write_rollouts
from coepg.types import Box, Plan, Point, RewardBreakdown, Rollout
from coepg.view.index import Query
from coepg.view.sources.answers import answer_of, judged
from coepg.view.sources.dataset import DatasetSource
from coepg.view.sources.open import open_source

WRONG = Query(verdict="wrong")


def only(source):
    (found,) = source.collections()
    return found


def test_dataset_shows_every_step_of_every_split(tmp_path):
    steps = make_dataset(tmp_path / "data")
    source = open_source(tmp_path / "data")
    shown = [source.record(n) for n in range(len(source.index()))]
    expected = sorted(steps, key=lambda step: step.split != "test")  # splits by name, rows in order
    assert [r.step_id for r in shown] == [s.step_id for s in expected]
    first = source.record(3)
    assert (first.gold_box_px, first.alternative_boxes_px) == (
        (20.0, 10.0, 60.0, 40.0),
        ((100.0, 50.0, 140.0, 90.0),),
    )
    assert source.index().select(Query(split="test", action_type="type")).tolist() == [2]
    assert source.index().select(Query(app="shop")).tolist() == [0, 3, 6]
    assert source.image(first.image_hash) == make_png()


def test_a_far_step_of_a_large_dataset_costs_one_row_group(tmp_path):
    source = DatasetSource(make_large_dataset(tmp_path / "large", 20_000))
    assert len(source.index()) == 20_000
    assert source.groups_read == 0
    assert source.record(15_000).step_id == "many/15000"
    assert source.groups_read == 1
    assert source.record(15_001).step_id == "many/15001"
    assert source.groups_read == 1


def test_a_missing_picture_is_a_note(tmp_path):
    make_dataset(tmp_path / "data")
    (tmp_path / "data/images/images-00000.parquet").unlink()
    record = open_source(tmp_path / "data").record(0)
    assert record.image_hash == ""
    assert "is not in" in record.image_note
    assert record.gold_box_px is not None


def test_damaged_pictures_are_a_note(tmp_path):
    make_dataset(tmp_path / "data")
    (tmp_path / "data/images/images-00000.parquet").write_bytes(b"PAR1 no")
    source = open_source(tmp_path / "data")
    assert "images-00000.parquet" in source.notes()[0]
    assert "images-00000.parquet" in source.record(0).image_note


def test_a_damaged_split_is_named(tmp_path):
    make_dataset(tmp_path / "data")
    (tmp_path / "data/steps/train.parquet").write_bytes(b"half a file")
    with pytest.raises(DataError, match=r"train\.parquet"):
        open_source(tmp_path / "data")


def test_answers_are_joined_with_their_dataset(tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "predictions-test.jsonl", steps)
    found = only(open_source(path, tmp_path / "data"))
    assert found.index().select(WRONG).tolist() == [1, 4, 5]
    record = found.record(4)
    answer = record.answers[0]
    assert (record.step_id, record.gold_box_px) == (steps[4].step_id, (24.0, 10.0, 64.0, 40.0))
    assert (answer.is_right, answer.marks[0].point_px) == (False, (150.0, 5.0))
    assert answer.verdicts == {
        "element_hit": False,
        "op_f1": 1.0,
        "step_success": False,
        "type_match": True,
        "value_match": True,
    }


def test_answers_in_parquet_read_as_those_in_lines(tmp_path):
    steps = make_dataset(tmp_path / "data")
    lines = make_answers(tmp_path / "a.jsonl", steps)
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    for row in rows:
        row["plan"] = dict(zip(("element", "action_type", "value"), row["plan"], strict=True))
        row["verdicts"] = {n: row.pop(n) for n in ("element_hit", "op_f1", "step_success")}
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet", row_group_size=4)
    first, second = (only(open_source(tmp_path / n, tmp_path / "data")) for n in
                     ("a.jsonl", "a.parquet"))  # fmt: skip
    assert second.index().table.equals(first.index().table)
    assert [second.record(n) for n in range(9)] == [first.record(n) for n in range(9)]


def test_answers_without_a_dataset_say_so(tmp_path):
    steps = make_dataset(tmp_path / "elsewhere/data")
    found = only(open_source(make_answers(tmp_path / "a.jsonl", steps, task_name="own")))
    assert found.index().select(WRONG).tolist() == [1, 4, 5]
    assert found.index().choices()["task_name"] == [{"value": "own", "count": 9}]
    assert "--dataset" in found.notes()[0]
    record = found.record(0)
    assert (record.image_hash, record.answers[0].action_type) == ("", "click")


def test_answers_without_verdicts_are_judged(tmp_path):
    steps = make_dataset(tmp_path / "data")
    lines = make_answers(tmp_path / "a.jsonl", steps).read_text().splitlines()
    bare = [{k: json.loads(x)[k] for k in ("step_id", "plan", "point_px")} for x in lines]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, bare)))
    found = only(open_source(tmp_path / "a.jsonl", tmp_path / "data"))
    assert found.index().select(WRONG).tolist() == [1, 4, 5]
    assert "own rule" in found.notes()[0]


def test_half_a_last_line_is_left_out_until_it_is_whole(tmp_path):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    whole = path.read_bytes()
    path.write_bytes(whole[:-30])
    found = only(open_source(path, tmp_path / "data"))
    assert len(found.index()) == 8
    assert "still be being written" in found.notes()[0]
    path.write_bytes(whole)
    assert len(found.index()) == 9
    assert found.notes() == ()


@pytest.mark.parametrize("bad", ["{", "[1]", '{"a": 1}', "[" * 100_000, "nul\x00l"])
def test_a_bad_line_is_left_out_and_named(tmp_path, bad):
    steps = make_dataset(tmp_path / "data")
    path = make_answers(tmp_path / "a.jsonl", steps)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:4], bad, *lines[4:]]) + "\n")
    found = only(open_source(path, tmp_path / "data"))
    assert found.index().select(WRONG).tolist() == [1, 4, 5]
    assert found.record(8).step_id == steps[8].step_id
    assert "line 5" in found.notes()[0]


@pytest.mark.parametrize(
    "row",
    [
        {"plan": "click"},
        {"plan": [1, 2, 3]},
        {"plan": {}, "point_px": [float("nan"), 1]},
        {"point_px": "12", "members": "{"},
        {"members": {"a": None, "b": {"point_px": [1]}}},
        {"verdicts": {"odd": "text"}},
    ],
)
def test_odd_rows_are_answers_without_the_odd_part(row):
    answer = answer_of({"step_id": "a", **row})
    assert not answer.is_parsed
    assert all(mark.point_px is None for mark in answer.marks)
    assert answer.is_right is None


def test_verdicts_of_other_rules_are_not_mixed_with_ours():
    step = make_step(0, make_png())
    answer = answer_of({"step_id": "a", "point_px": [30, 20], "verdicts": {"their_acc": True}})
    assert judged(answer, step).verdicts == {"their_acc": True}
    assert judged(answer, step).marks[0].is_hit is True


def make_run(folder, data, steps):
    """A run whose training is at work: one evaluation done, one part of rollouts."""
    (folder / "stages").mkdir(parents=True)
    (folder / "recipe.toml").write_text(f'[data]\ndataset = "{data}"\n')
    make_answers(folder / "stages/01-3-eval-sft/predictions-test.jsonl", steps)
    add_rollouts(folder / "stages/.01-4-grpo.partial/rollouts", 0, steps[:2], 1.0)


def add_rollouts(folder, update, steps, hit):
    reward = RewardBreakdown(
        hit, True, True, hit, {"ocr": hit}, {"ocr": 1.0}, {"ocr": 0.5}, {"ocr": Point(30.0, 20.0)}
    )
    groups = [
        [Rollout(s.step_id, n, "text", Plan("x", "click"), (1,), (-0.1,), reward) for n in range(3)]
        for s in steps
    ]
    write_rollouts(folder, update, steps, groups, [[0.0] * 3] * len(steps))


def test_a_run_at_work_shows_what_it_has_written(tmp_path):
    steps = make_dataset(tmp_path / "data")
    run = tmp_path / "run"
    make_run(run, tmp_path / "data", steps)
    source = open_source(run)
    assert [c.label for c in source.collections()] == [
        "iteration 1, SFT: test",
        "iteration 1: rollouts",
    ]
    rollouts = source.collections()[1]
    assert len(rollouts.index()) == 2
    record = rollouts.record(1)
    assert (record.step_id, len(record.answers)) == (steps[1].step_id, 3)
    assert record.answers[2].label == "sample 2"
    assert record.answers[2].marks[0].weight == 1.0

    partial = run / "stages/.01-4-grpo.partial"
    add_rollouts(partial / "rollouts", 1, steps[2:5], 0.0)
    assert rollouts.index().select(WRONG).tolist() == [2, 3, 4]
    os.replace(partial, run / "stages/01-4-grpo")
    assert source.collections()[1] is rollouts
    assert rollouts.record(4).step_id == steps[4].step_id


def test_a_damaged_part_of_a_run_is_left_out(tmp_path):
    steps = make_dataset(tmp_path / "data")
    run = tmp_path / "run"
    make_run(run, tmp_path / "data", steps)
    folder = run / "stages/.01-4-grpo.partial/rollouts"
    (folder / "rollouts-000001.parquet").write_bytes(b"PAR1")
    rollouts = open_source(run).collections()[1]
    assert len(rollouts.index()) == 2
    assert "rollouts-000001.parquet" in rollouts.notes()[0]


def test_a_run_that_has_just_begun_has_nothing_to_show(tmp_path):
    (tmp_path / "recipe.toml").write_text("half a [recipe")
    assert list(open_source(tmp_path).collections()) == []


def test_pictures_of_a_run_come_from_its_recipe(tmp_path):
    (tmp_path / "recipe.toml").write_text('[data]\ndataset = "miniwob"\n')
    shipped = open_source("miniwob")
    name = shipped.record(0).image_hash
    assert open_source(tmp_path).image(name) == shipped.image(name)


@pytest.mark.parametrize("content", [None, {}, {"notes.txt": "x"}, {"broken.jsonl": "{}\n"}])
def test_what_is_no_source_is_named(tmp_path, content):
    place = tmp_path / "place"
    if content is not None:
        place.mkdir()
        for name, text in content.items():
            (place / name).write_text(text)
    with pytest.raises(DataError, match="place") as caught:
        for collection in open_source(place).collections():
            collection.index()
    assert caught.value.found
    assert caught.value.expected


def test_a_row_that_cannot_be_read_is_an_error_of_that_row(tmp_path):
    make_dataset(tmp_path / "data", 6)
    path = tmp_path / "data/steps/train.parquet"
    table = pq.read_table(path)
    kinds = table.column("action_type").to_pylist()
    place = table.schema.get_field_index("action_type")
    column = pa.array([*kinds[:5], "teleport"])
    pq.write_table(table.set_column(place, "action_type", column), path)
    source = open_source(tmp_path / "data")
    assert source.record(4).gold_type == "click"
    with pytest.raises(DataError, match="row 5"):
        source.record(5)


def test_hits_count_alternatives(tmp_path):
    step = make_step(0, make_png())
    assert step.alternative_boxes_px == (Box(100, 50, 140, 90),)
    answer = judged(answer_of({"step_id": "a", "plan": ["x", "click", None],
                               "point_px": [120, 70]}), step)  # fmt: skip
    assert answer.verdicts["element_hit"] is True
