"""Benchmark reports of imported data, from the answers that ``coepg eval`` makes."""

import json
import sys
from pathlib import Path

import pytest

from coepg.cli.eval_agent import report_lines
from coepg.data.importers.base import ImportOptions
from coepg.evaluate.session import EvaluationSettings, GrounderAlone, PairAgent, run_evaluation
from coepg.types import Grounding, Plan, Point, Rollout

sys.path.append(str(Path(__file__).parents[2] / "data" / "importers"))
from importer_sources import (  # noqa: E402
    Case,
    candidate,
    imported,
    mind2web,
    mind2web_fields,
    mind2web_json,
    screenspot,
    screenspot_parquet,
    screenspot_pro,
    screenspot_v2,
)

IN_BOX, OUTSIDE = Point(340, 240), Point(10, 10)


class Pointer:
    """Points at one place, whatever it is asked."""

    name = "pointer"

    def __init__(self, point):
        self.point = point

    def ground(self, requests):
        return [[Grounding(self.point) for _ in r.elements] for r in requests]


class Saying:
    """Says the same plan to everything."""

    name = "saying"

    def __init__(self, plan):
        self.said = plan

    def plan(self, steps, sampling):
        return [[Rollout(s.step_id, 0, "said", self.said, (), ())] for s in steps]


@pytest.fixture
def case(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    return Case(folder)


def evaluated(table, agent, out, **settings):
    about = {"models": {"grounder": {"kind": "test"}}}
    results = run_evaluation(table, table.splits, agent, about, out, EvaluationSettings(**settings))
    return results, json.loads((out / "evaluation.json").read_text()), about


def scores(record):
    return {(s["metric"], s["part"]): s["value"] for s in record["scores"]}


@pytest.mark.parametrize(
    ("source", "name", "acc"),
    [
        (screenspot, "screenspot", "screenspot_v1"),
        (screenspot_v2, "screenspot_v2", "screenspot_v2"),
    ],
)
@pytest.mark.parametrize(("point", "value"), [(IN_BOX, 1.0), (OUTSIDE, 0.0), (None, 0.0)])
def test_screenspot(case, tmp_path, source, name, acc, point, value):
    _, table, _ = imported(name, *source(case))
    results, stored, about = evaluated(table, GrounderAlone(Pointer(point)), tmp_path / "eval")
    (record,) = stored["benchmarks"]
    assert (record["benchmark"], record["split"], record["num_rows"]) == (acc, "test", 1)
    assert record["num_unparsed"] == (point is None)
    assert scores(record)[f"{acc}_acc", ""] == value
    assert scores(record)[f"{acc}_acc", "web/text"] == value
    assert stored["results"][0]["metrics"]["ele_acc"]["value"] == value
    printed = "\n".join(report_lines(results, about))
    assert f"{acc}_acc [web/text]" in printed
    assert printed.count(f"{acc}_acc, version 1") == 1


def test_screenspot_parquet_needs_its_edition(case, tmp_path):
    path, _ = screenspot_parquet(case)
    agent = GrounderAlone(Pointer(IN_BOX))
    _, table, _ = imported("screenspot_parquet", path)
    assert evaluated(table, agent, tmp_path / "a")[1]["benchmarks"] == []
    options = ImportOptions(extra={"edition": "v2"})
    _, table, _ = imported("screenspot_parquet", path, options)
    (record,) = evaluated(table, agent, tmp_path / "b")[1]["benchmarks"]
    assert scores(record)["screenspot_v2_acc", ""] == 1.0


def test_screenspot_pro_gives_the_official_tables(case, tmp_path):
    _, table, _ = imported("screenspot_pro", *screenspot_pro(case))
    (record,) = evaluated(table, GrounderAlone(Pointer(IN_BOX)), tmp_path / "eval")[1]["benchmarks"]
    assert scores(record)["screenspot_pro_acc", "Dev/icon"] == 1.0
    official = "plat:linux app:app inst_style:instruction gt_type:positive"
    assert record["blocks"]["fine_grained"][official]["num_correct_action"] == 1
    assert record["blocks"]["leaderboard_simple_style"]["group:Dev"]["icon_acc"] == 1.0


def mind2web_table(case):
    """Task t1: one step, one left out; task t2: one step; task t3: only a step left out."""
    path, _ = mind2web(case)
    one_step = {"action_reprs": ["[searchbox]  City -> TYPE: Boston"], "target_action_index": "0"}
    others = [
        {"pos_candidates": [], "target_action_index": "0", "action_uid": "u0"},
        one_step | {"annotation_id": "t2"},
        one_step | {"annotation_id": "t3", "pos_candidates": []},
    ]
    for number, fields in enumerate(others, 1):
        case.parquet(f"train-0000{number}-of-00004.parquet", mind2web_fields(case, **fields))
    return imported("mind2web", path.parent)[1]


def test_mind2web_counts_steps_left_out_as_failed(case, tmp_path):
    table = mind2web_table(case)
    agent = PairAgent(Saying(Plan("City", "type", "Boston")), Pointer(IN_BOX))
    (record,) = evaluated(table, agent, tmp_path / "eval")[1]["benchmarks"]
    found = scores(record)
    assert record["num_rows"] == 4
    assert found["mind2web_uground_ele_acc", ""] == 0.5
    assert found["mind2web_uground_step_sr", ""] == 0.5
    assert found["mind2web_uground_step_sr_macro", ""] == pytest.approx((0.5 + 1 + 0) / 3)
    assert found["mind2web_uground_task_sr", ""] == pytest.approx(1 / 3)
    assert record["notes"] == ["2 steps without a row count as failed"]


def test_mind2web_sample_counts_only_drawn_tasks(case, tmp_path):
    agent = PairAgent(Saying(Plan("City", "type", "Boston")), Pointer(IN_BOX))
    _, stored, _ = evaluated(mind2web_table(case), agent, tmp_path / "eval", max_steps=1)
    (record,) = stored["benchmarks"]
    drawn = json.loads((tmp_path / "eval/predictions-train.jsonl").read_text())["episode_id"]
    assert record["num_rows"] == {"t1": 2, "t2": 1}[drawn]
    assert "a sample: 1 of 2 steps of the split" in record["notes"]


def test_mind2web_judges_operation_and_parsing(case, tmp_path):
    table = mind2web_table(case)
    for name, plan, f1, unparsed in [
        ("other", Plan("City", "click", None), 0.0, 2),
        ("unparsed", None, 0.0, 4),
        ("half", Plan("City", "type", "York"), 0.25, 2),
    ]:
        agent = PairAgent(Saying(plan), Pointer(IN_BOX))
        (record,) = evaluated(table, agent, tmp_path / name)[1]["benchmarks"]
        assert scores(record)["mind2web_uground_op_f1", ""] == f1
        assert scores(record)["mind2web_uground_step_sr", ""] == 0
        assert record["num_unparsed"] == unparsed


def test_a_grounder_alone_is_not_praised_for_the_operation(case, tmp_path):
    agent = GrounderAlone(Pointer(IN_BOX))
    (record,) = evaluated(mind2web_table(case), agent, tmp_path / "eval")[1]["benchmarks"]
    assert any("are the gold ones" in note for note in record["notes"])


def test_seeclick_pictures_are_scored_by_its_rule(case, tmp_path):
    path, options = mind2web_json(case)
    (task,) = json.loads(path.read_text())
    (action,) = task["actions"]
    action["bbox"] = {"x": 300, "y": 200, "width": 80, "height": 80}
    task["actions"].append(action | {"action_uid": "u2", "bbox": None})
    task["action_reprs"] *= 2
    action["pos_candidates"].append(candidate([1, 1, 20, 20], original=False))
    case.json(path.name, [task])
    options.extra["boxes"] = "seeclick"
    _, table, _ = imported("mind2web_json", path, options)
    agent = PairAgent(Saying(Plan("Go", "click", None)), Pointer(IN_BOX))
    (record,) = evaluated(table, agent, tmp_path / "eval")[1]["benchmarks"]
    assert (record["benchmark"], record["num_rows"]) == ("mind2web_seeclick", 1)
    assert scores(record)["mind2web_seeclick_step_sr", ""] == 1.0
