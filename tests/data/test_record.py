import pytest

from coepg.data.miniwob.record import record_dataset
from coepg.data.miniwob.work import WorkFolder
from coepg.data.table import StepTable
from coepg.errors import DataError


def test_unknown_tasks_are_refused(tmp_path):
    with pytest.raises(DataError, match="click-buttons"):
        record_dataset(tmp_path / "set", tasks=["click-buttons"])


@pytest.mark.browser
def test_record_dataset_end_to_end_and_resume(tmp_path):
    pytest.importorskip("playwright")
    lines = []
    tasks = ["click-test-2", "focus-text", "choose-list"]
    report = record_dataset(
        tmp_path / "set", tasks=tasks, scale=0.06, progress=lines.append, read_text=False
    )
    assert report["tasks"]["click-test-2"]["kept"] == 3
    assert len(lines) == 3
    table = StepTable.open(tmp_path / "set")
    assert table.splits == ("test_seed", "test_task", "train")
    assert {s.task_name for s in table.steps("test_task")} == {"click-test-2"}
    assert any(s.action_type == "select" for s in table.steps("train"))
    assert all(t.box_px.x1 <= 160 for s in table.steps("train") for t in s.screen_text)

    work = WorkFolder(tmp_path / "set.work")
    before = work.task_report("focus-text-0-0.06")
    again = record_dataset(
        tmp_path / "set", tasks=tasks, scale=0.06, read_text=False, overwrite=True
    )
    assert again == report
    assert work.task_report("focus-text-0-0.06") == before
