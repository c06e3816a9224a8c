"""Recording the whole dataset: every task, every split, then text reading, then one Step table."""

from __future__ import annotations

import json
import multiprocessing
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from PIL import Image

from coepg.data.miniwob.demonstrators import DEMONSTRATORS
from coepg.data.miniwob.environment import VIEWPORT, MiniwobPage
from coepg.data.miniwob.episode import Recording, record_episode, start_key
from coepg.data.miniwob.pages import pages_version
from coepg.data.miniwob.tasks import TASK_PLANS, TEST_SPLITS_FIRST, TaskPlan, first_seed
from coepg.data.miniwob.work import WorkFolder
from coepg.data.ocr import TextReader
from coepg.data.table import write_dataset
from coepg.devices.browser import Browser
from coepg.errors import DataError, InfrastructureError
from coepg.types import ScreenText, Step

Progress = Callable[[str], None]
RETRIES = 3
FRUITLESS_SEEDS = 60
"""A split of a task ends after this many seeds in a row of which none was kept."""
REPORT_FILE = "recording.json"


@dataclass(frozen=True, slots=True)
class RecordSettings:
    """What decides the contents of a recording.

    Attributes:
        seed: shifts every seed; another value gives another dataset of the same kind.
        scale: multiplies how many steps of each task are wanted.
    """

    seed: int = 0
    scale: float = 1.0

    def work_key(self, task_name: str) -> str:
        """Names a finished task in the work folder."""
        return f"{task_name}-{self.seed}-{self.scale:g}"


def record_dataset(
    out_dir: Path,
    seed: int = 0,
    tasks: Sequence[str] | None = None,
    scale: float = 1.0,
    progress: Progress | None = None,
    *,
    read_text: bool = True,
    work_dir: Path | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Record MiniWoB++ and write a dataset folder. Goes on where an interrupted run stopped.

    Args:
        out_dir: the dataset folder to write.
        seed: shifts every seed of every split.
        tasks: names of the tasks; all of `TASK_PLANS` by default.
        scale: multiplies how many steps of each task are wanted.
        progress: is told one line a task.
        read_text: also read the text on each picture (OCR).
        work_dir: where finished tasks are kept; ``<out_dir>.work`` by default.
        overwrite: replace an existing dataset folder.

    Returns:
        ``{"tasks": {task: {"attempts", "kept", "skipped", "failed", "duplicate", "steps",
        "keep_rate", "retries", "reasons"}}, "steps": ..., "images": ...}``; the same is in
        ``recording.json`` in the dataset folder.

    Raises:
        DataError: an unknown task, or the folder exists.
        InfrastructureError: no browser, no pages, or a page that does not come up.
    """
    out_dir = Path(out_dir)
    names = _checked_tasks(tasks)
    if out_dir.exists() and not overwrite:
        raise DataError(f"{out_dir}: exists already", fix="choose another folder or overwrite")
    say = progress or (lambda line: None)
    settings = RecordSettings(seed, scale)
    work = WorkFolder(work_dir or out_dir.with_name(out_dir.name + ".work"))
    pool = ProcessPoolExecutor(1, mp_context=get_context("spawn")) if read_text else None
    readings: list[Future[int]] = []
    try:
        for name, report in _recorded(names, settings, work):
            say(
                f"{name}: {report['kept']} of {report['attempts']} episodes kept, {report['steps']}"
            )
            if pool is not None:
                hashes = sorted(
                    {s.screenshot.image_hash for s in work.task_steps(settings.work_key(name))}
                )
                readings.append(pool.submit(read_pictures, work.path, hashes))
        for number, reading in enumerate(readings):
            reading.result()
            say(f"text read: {number + 1} of {len(readings)} tasks")
    finally:
        if pool is not None:
            pool.shutdown(cancel_futures=True)
    return _write(out_dir, names, settings, work, overwrite=overwrite)


def _checked_tasks(tasks: Sequence[str] | None) -> list[str]:
    unknown = sorted(set(tasks or ()) - set(TASK_PLANS))
    if unknown:
        raise DataError(
            f"MiniWoB++ tasks: {', '.join(unknown)}",
            found="no plan for them",
            expected="some of " + ", ".join(sorted(TASK_PLANS)),
            fix="check the spelling",
        )
    return sorted(tasks or TASK_PLANS)


def _recorded(
    names: Sequence[str], settings: RecordSettings, work: WorkFolder
) -> Iterable[tuple[str, dict[str, Any]]]:
    missing = []
    for name in names:
        report = work.task_report(settings.work_key(name))
        if report is None:
            missing.append(name)
        else:
            yield name, report
    if missing:
        with Browser(VIEWPORT) as browser:
            for name in missing:
                yield name, TaskRecorder(browser, TASK_PLANS[name], settings, work).record()


class TaskRecorder:
    """Records one task, split by split, until each has the steps that its plan wants.

    Args:
        browser: a running browser.
        plan: the task's plan.
        settings: seed and scale.
        work: where the result goes.
    """

    def __init__(
        self, browser: Browser, plan: TaskPlan, settings: RecordSettings, work: WorkFolder
    ) -> None:
        self.browser = browser
        self.plan = plan
        self.settings = settings
        self.work = work
        self.outcomes: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self.retries = 0
        self.test_starts: set[str] = set()
        self.trained_on: set[tuple[str, ...]] = set()

    def record(self) -> dict[str, Any]:
        """Record, keep the result in the work folder, and return the report."""
        steps: list[Step] = []
        for split in TEST_SPLITS_FIRST:
            wanted = round(self.plan.steps_wanted.get(split, 0) * self.settings.scale)
            steps += self._record_split(split, wanted)
        tried = self.outcomes["kept"] + self.outcomes["skipped"] + self.outcomes["failed"]
        report = {
            "attempts": tried,
            **{k: self.outcomes[k] for k in ("kept", "skipped", "failed", "duplicate")},
            "keep_rate": round(self.outcomes["kept"] / tried, 3) if tried else 0.0,
            "steps": dict(Counter(s.split for s in steps)),
            "retries": self.retries,
            "reasons": dict(self.reasons.most_common(5)),
        }
        self.work.finish_task(self.settings.work_key(self.plan.task_name), steps, report)
        return report

    def _record_split(self, split: str, wanted: int) -> list[Step]:
        steps: list[Step] = []
        seed, fruitless = first_seed(split, self.settings.seed), 0
        while len(steps) < wanted and fruitless < FRUITLESS_SEEDS:
            recording = self._unless_trained_on(self._record_seed(split, seed), split)
            self.outcomes[recording.outcome] += 1
            seed, fruitless = seed + 1, fruitless + 1
            if recording.episode is None:
                self.reasons[recording.reason] += 1
                continue
            fruitless = 0
            steps += recording.episode.steps
            if split != "train":
                self.test_starts.add(start_key(recording.episode.steps[0]))
            for image_hash, png in recording.images.items():
                self.work.add_image(image_hash, png)
        return steps

    def _unless_trained_on(self, recording: Recording, split: str) -> Recording:
        """Training may start alike twice (chance decides what comes next), not go alike twice."""
        if recording.episode is None or split != "train":
            return recording
        steps = recording.episode.steps
        course = tuple(f"{start_key(s)} {s.target_repr} {s.value}" for s in steps)
        if course in self.trained_on:
            return Recording("duplicate", "goes as an earlier episode")
        self.trained_on.add(course)
        return recording

    def _record_seed(self, split: str, seed: int) -> Recording:
        """One episode. A browser that fails gets a fresh page; that is no failure of the task."""
        from playwright.sync_api import Error

        name = self.plan.task_name
        screen = MiniwobPage(self.browser.page)
        for _ in range(RETRIES):
            try:
                return record_episode(
                    screen, DEMONSTRATORS[name], name, split, seed, self.test_starts
                )
            except (Error, InfrastructureError) as error:
                self.retries += 1
                last = error
                screen = MiniwobPage(self.browser.new_page())
        raise InfrastructureError(f"{name}, seed {seed}: {RETRIES} tries failed: {last}") from last


_reader: TextReader | None = None


def read_pictures(work_path: Path, hashes: Sequence[str]) -> int:
    """Read the text of pictures that have not been read; runs in a process of its own.

    Stops when the recorder is gone (killed), rather than work on unseen.

    Returns:
        How many were read now.
    """
    global _reader
    work, count = WorkFolder(work_path), 0
    _reader = _reader or TextReader()
    recorder = multiprocessing.parent_process()
    for image_hash in hashes:
        if recorder is not None and not recorder.is_alive():
            raise InfrastructureError("the recorder that asked for the text of pictures is gone")
        if work.reading(image_hash) is None:
            with Image.open(work.image_path(image_hash)) as picture:
                work.add_reading(image_hash, _reader.read(picture))
            count += 1
    return count


def _write(
    out_dir: Path,
    names: Sequence[str],
    settings: RecordSettings,
    work: WorkFolder,
    *,
    overwrite: bool,
) -> dict[str, Any]:
    steps = [
        replace(step, screen_text=(*step.screen_text, *_reading(work, step)))
        for name in names
        for step in work.task_steps(settings.work_key(name))
    ]
    hashes = {step.screenshot.image_hash for step in steps}
    write_dataset(
        out_dir,
        steps,
        {h: work.image_path(h).read_bytes() for h in hashes},
        name="miniwob",
        source=f"pages of the PyPI package miniwob {pages_version()} (MiniWoB++)",
        license="MIT (pages); Apache-2.0 (recording)",
        made_by=(
            f"coepg.data.miniwob.record.record_dataset(seed={settings.seed}, "
            f"scale={settings.scale:g}): scripted demonstrators, real input in Chromium, only "
            "episodes with a raw reward above 0; screenshots of the 160x160 work area"
        ),
        overwrite=overwrite,
    )
    report = {
        "tasks": {name: work.task_report(settings.work_key(name)) for name in names},
        "steps": dict(Counter(step.split for step in steps)),
        "images": len(hashes),
    }
    (out_dir / REPORT_FILE).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    return report


def _reading(work: WorkFolder, step: Step) -> tuple[ScreenText, ...]:
    return work.reading(step.screenshot.image_hash) or ()
