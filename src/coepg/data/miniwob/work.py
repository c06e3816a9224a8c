"""The work folder of a recording: what is finished stays finished when a run is interrupted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from coepg.data.rows import row_to_step, step_to_row
from coepg.types import Box, ScreenText, Step, TextSource


class WorkFolder:
    """Finished tasks, pictures and text readings.

    Args:
        path: the folder; is made.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        for part in ("tasks", "images", "ocr"):
            (path / part).mkdir(parents=True, exist_ok=True)

    def task_report(self, key: str) -> dict[str, Any] | None:
        """The report of a finished task, or None."""
        report: dict[str, Any] | None = self._read(self.path / "tasks" / f"{key}.report.json")
        return report

    def task_steps(self, key: str) -> list[Step]:
        """The steps of a finished task."""
        path = self.path / "tasks" / f"{key}.jsonl"
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        return [row_to_step(json.loads(x), f"{path}, row {n}") for n, x in enumerate(lines)]

    def finish_task(self, key: str, steps: list[Step], report: dict[str, Any]) -> None:
        """Keep a task's steps, then its report, which marks it as finished."""
        lines = "".join(json.dumps(step_to_row(step)) + "\n" for step in steps)
        self._write(self.path / "tasks" / f"{key}.jsonl", lines.encode())
        self._write(self.path / "tasks" / f"{key}.report.json", json.dumps(report).encode())

    def add_image(self, image_hash: str, png: bytes) -> None:
        """Keep a picture."""
        path = self.image_path(image_hash)
        if not path.exists():
            self._write(path, png)

    def image_path(self, image_hash: str) -> Path:
        """Where a picture is."""
        return self.path / "images" / f"{image_hash}.png"

    def reading(self, image_hash: str) -> tuple[ScreenText, ...] | None:
        """The text read on a picture, or None if it has not been read."""
        rows = self._read(self.path / "ocr" / f"{image_hash}.json")
        if rows is None:
            return None
        return tuple(ScreenText(t, Box(*box), TextSource.OCR, score=s) for t, box, s in rows)

    def add_reading(self, image_hash: str, pieces: tuple[ScreenText, ...]) -> None:
        """Keep the text read on a picture."""
        rows = [[p.text, list(p.box_px.as_tuple()), round(p.score, 3)] for p in pieces]
        self._write(self.path / "ocr" / f"{image_hash}.json", json.dumps(rows).encode())

    @staticmethod
    def _read(path: Path) -> Any:
        return json.loads(path.read_bytes()) if path.exists() else None

    @staticmethod
    def _write(path: Path, data: bytes) -> None:
        draft = path.with_name(path.name + ".part")
        draft.write_bytes(data)
        draft.replace(path)
