"""Folders that ``coepg eval DATASET`` writes, in ``coepg compare`` and ``coepg view``."""

import json
import sys
from pathlib import Path

from typer.testing import CliRunner

from coepg.cli.main import app
from coepg.data.table import StepTable
from coepg.evaluate.session import EvaluationSettings, GrounderAlone, run_evaluation
from coepg.evaluate.step_scores import read_step_scores
from coepg.types import Grounding, Point
from coepg.view.sources.open import open_source

sys.path.append(str(Path(__file__).parents[1] / "view"))
from viewer_data import make_dataset  # noqa: E402


class Pointer:
    """Points at one place, whatever it is asked."""

    name = "pointer"

    def __init__(self, point):
        self.point = point

    def ground(self, requests):
        return [[Grounding(self.point) for _ in r.elements] for r in requests]


def evaluate(dataset, out, point):
    table = StepTable.open(dataset)
    agent = GrounderAlone(Pointer(point))
    run_evaluation(table, table.splits, agent, {"point": str(point)}, out, EvaluationSettings())
    return out


def invoke(*arguments):
    return CliRunner().invoke(app, [*map(str, arguments)])


def test_two_evaluations_are_compared_without_guessing(tmp_path):
    make_dataset(tmp_path / "data")
    bad = evaluate(tmp_path / "data", tmp_path / "bad", Point(199, 99))
    good = evaluate(tmp_path / "data", tmp_path / "good", Point(40, 25))
    result = invoke("compare", bad, good, "--json")
    assert result.exit_code == 0, result.output
    numbers = json.loads(result.stdout)
    found = {(r["split"], r["metric"]): r for r in numbers["rows"]}
    row = found["train", "step_sr"]
    assert (row["first_mean"], row["second_mean"], row["num_better"]) == (0.0, 1.0, 6)
    assert (row["num_steps"], row["num_episodes"]) == (6, 2)
    assert not any("no episode_id" in note for note in numbers["notes"])


def test_lines_name_episode_task_and_gold_action(tmp_path):
    steps = make_dataset(tmp_path / "data")
    out = evaluate(tmp_path / "data", tmp_path / "out", Point(40, 25))
    lines = (out / "predictions-train.jsonl").read_text().splitlines()
    rows = {row["step_id"]: row for row in map(json.loads, lines)}
    for step in steps[:6]:
        row = rows[step.step_id]
        assert row["episode_id"] == step.episode_id
        assert (row["task_name"], row["action_type"]) == (step.task_name, step.action_type)
    assert not read_step_scores(out)["train"].are_episodes_guessed


def test_an_evaluation_is_shown_with_its_dataset(tmp_path):
    make_dataset(tmp_path / "elsewhere" / "data")
    out = evaluate(tmp_path / "elsewhere" / "data", tmp_path / "runs" / "out", Point(40, 25))
    source = open_source(out)
    assert (source.kind, [c.label for c in source.collections()]) == (
        "evaluation",
        ["test", "train"],
    )
    record = source.collections()[1].record(0)
    assert record.instruction == "Press button number 0"
    assert source.collections()[1].notes() == ()
    page = tmp_path / "page.html"
    assert invoke("view", out, "--export", page, "--limit", 2).exit_code == 0
    assert "Press button number 0" in page.read_text()
    assert open_source(out / "predictions-test.jsonl").collections()[0].record(0).instruction


def test_a_dataset_that_moved_along_is_found_and_a_lost_one_is_said(tmp_path):
    make_dataset(tmp_path / "old" / "data")
    evaluate(tmp_path / "old" / "data", tmp_path / "old" / "out", Point(40, 25))
    (tmp_path / "old").rename(tmp_path / "new")
    shown = open_source(tmp_path / "new" / "out").collections()[1]
    assert shown.record(0).instruction == "Press button number 0"
    (tmp_path / "new" / "data").rename(tmp_path / "lost")
    (note,) = open_source(tmp_path / "new" / "out").collections()[1].notes()
    assert "No dataset was found" in note
