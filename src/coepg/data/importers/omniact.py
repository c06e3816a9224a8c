"""OmniACT: an index ``{id: {task, image, box}}``, a text file a task, one picture a task.

The task file holds "Task: ...", "Output Script:", then calls of pyautogui in pixels of the picture.
A box file is ``{label: {top_left: [x, y], bottom_right: [x, y]}}`` in pixels; a click is the centre
of one box. Every call becomes a step, all on the one picture that there is: those after the first
are tagged ``picture_is_initial=true``. Sources: the dataset card of Writer/omniact and
OSU-NLP-Group/UGround, offline_evaluation/OmniACT.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import Imported, ImportOptions, LeftOut, Record, SourceFormat
from coepg.data.importers.boxes import POINT_TAG, box_px, point_box, point_px
from coepg.data.importers.desktop import FOCUS, Gesture, gesture_of, with_context
from coepg.data.importers.history import target_repr
from coepg.data.importers.json_array import iter_json_entries, read_json
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.pyautogui_calls import parse_calls
from coepg.data.importers.values import field_of, numbers_of, text_of
from coepg.errors import DataError
from coepg.types import Box, Point, Screenshot, Size, Step

INDEXES = ("train.json", "val.json", "test.json")
CENTER_TOLERANCE_PX = 1.0
"""How far a click may be from the centre of its box, for rounding."""


@dataclass(frozen=True, slots=True)
class Element:
    """A labelled box."""

    label: str
    box: Box


class OmniActImporter:
    """One episode an entry; a script of n calls has n steps."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="omniact",
        title="OmniACT",
        license="Apache-2.0",
        url="https://huggingface.co/datasets/Writer/omniact",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="content",
        splits=("train", "val", "test"),
        settings=(FOCUS,),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._focus = options.checked(self.format)["focus"]
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The entries of an index file, or of the folder's ``train``, ``val`` and ``test.json``."""
        for path in _indexes(source, self.options.split):
            self._folder = self.options.images or path.parent
            found = path.stem if path.name in INDEXES else "test"
            split = self.options.split or found
            for key, record in iter_json_entries(path):
                yield Record(record.where, (split, key, record.data))

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The steps of a script."""
        (split, key, entry), where = record.data, record.where
        task_path = self._folder / text_of(entry, "task", where)
        instruction, script = _task_text(task_path, where)
        picture = text_of(entry, "image", where)
        data = read_picture(self._folder, _found(self._folder, picture, where), where)
        shot = screenshot_of(data, where)
        elements, wrong = self._elements(text_of(entry, "box", where), shot.size, where)
        calls = parse_calls(script, f"{where}, {task_path}")
        gestures = with_context([gesture_of(c, where) for c in calls], None, self._focus)
        episode = f"{split}-{key}"
        made = _Episode(
            episode, split, instruction, shot, elements, wrong, _tags(picture), len(gestures)
        )
        steps: list[Imported | LeftOut] = []
        for gesture in gestures:
            step = made.step(gesture, where)
            steps.append(step if isinstance(step, LeftOut) else Imported(step, data))
        return steps

    def _elements(
        self, name: str, size: Size, where: str
    ) -> tuple[list[Element], DataError | None]:
        """The labelled boxes, and the first error of a box that could not be read."""
        path = self._folder / _found(self._folder, name, where)
        boxes = read_json(path)
        if not isinstance(boxes, Mapping):
            raise DataError(
                f"{path}: boxes", found=type(boxes).__name__, expected="{label: {top_left, ...}}",
                fix="check --format",
            )  # fmt: skip
        form = self.format
        elements: list[Element] = []
        wrong: DataError | None = None
        for label, fields in boxes.items():
            place = f"{path}, {label!r}"
            corners = [
                *numbers_of(field_of(fields, "top_left", list, place), 2, "top_left", place),
                *numbers_of(field_of(fields, "bottom_right", list, place), 2, "corner", place),
            ]
            try:
                box = box_px(corners, form.box_unit, form.box_order, size, place)
                elements.append(Element(str(label), box))
            except DataError as error:
                wrong = wrong or error
        return elements, wrong


@dataclass(slots=True)
class _Episode:
    """The steps of one script, as far as they have been made."""

    episode_id: str
    split: str
    instruction: str
    shot: Screenshot
    elements: list[Element]
    wrong_box: DataError | None
    tags: dict[str, str]
    num_steps: int
    history: tuple[str, ...] = ()
    number: int = 0

    def step(self, gesture: Gesture, where: str) -> Step | LeftOut:
        """The next step."""
        index, history = self.number, self.history
        step_id = f"{self.episode_id}/{index}"
        element, box, source = self._target(gesture, where)
        target = target_repr("element", element.label) if element else ""
        self.number += 1
        self.history = (*history, gesture.line(target))
        if gesture.kind is None:
            return LeftOut(step_id, self.episode_id, self.split, gesture.reason)
        end, value = self._end(gesture, where)
        initial = {"picture_is_initial": "true"} if index else {}
        return Step(
            step_id=step_id,
            episode_id=self.episode_id,
            task_name=self.tags.get("application", "omniact"),
            split=self.split,
            step_index=index,
            num_steps=self.num_steps,
            instruction=self.instruction,
            history=history,
            screenshot=self.shot,
            action_type=gesture.kind,
            value=value,
            target_box_px=box,
            target_repr=target,
            target_point_px=self._point(gesture.point, where),
            end_point_px=end,
            target_expression=element.label if element else "",
            tags=self.tags | source | gesture.tags | initial,
        )

    def _point(self, values: tuple[float, ...] | None, where: str) -> Point | None:
        return None if values is None else point_px(values, "px", self.shot.size, where)

    def _end(self, gesture: Gesture, where: str) -> tuple[Point | None, str | None]:
        end = self._point(gesture.end_point, where)
        if end is None:
            return None, gesture.value
        element = element_at(self.elements, end)
        return end, element.label if element else None

    def _target(
        self, gesture: Gesture, where: str
    ) -> tuple[Element | None, Box | None, dict[str, str]]:
        point = self._point(gesture.point, where)
        if point is None or gesture.kind == "scroll":
            return None, None, {}
        element = element_at(self.elements, point)
        if element is None:
            if self.wrong_box is not None:
                # A wrong box elsewhere does no harm; this may be the one that is missing here.
                raise DataError(
                    f"{where}: {self.wrong_box.what}", found=self.wrong_box.found,
                    expected=self.wrong_box.expected, fix=self.wrong_box.fix,
                )  # fmt: skip
            return None, point_box(point, self.shot.size), POINT_TAG
        return element, element.box, {}


def element_at(elements: list[Element], point: Point) -> Element | None:
    """The element whose centre the point is, else the smallest that holds it, else None."""

    def distance(element: Element) -> float:
        center = element.box.center
        return max(abs(center.x - point.x), abs(center.y - point.y))

    holding = [e for e in elements if e.box.contains(point)]
    centred = [e for e in holding if distance(e) <= CENTER_TOLERANCE_PX]
    return min(centred or holding, key=lambda e: (e.box.area, distance(e)), default=None)


def _indexes(source: Path, split: str | None) -> list[Path]:
    if source.is_file():
        return [source]
    found = [source / name for name in INDEXES if (source / name).is_file()]
    found = [path for path in found if split in (None, path.stem)]
    if not found:
        raise DataError(
            f"{source}: nothing to import",
            found="a folder without an index" if source.is_dir() else "no such file or folder",
            expected=" or ".join(INDEXES),
            fix="give the folder of the data set, or an index file and its base with --images",
        )
    return found


def _task_text(path: Path, where: str) -> tuple[str, str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise DataError(
            f"{where}: task", found=f"{path}: {error}", expected="a text file in UTF-8",
            fix="give the base folder with --images, or copy the missing files",
        ) from error  # fmt: skip
    first, _, rest = text.partition("\n")
    second, _, script = rest.lstrip().partition("\n")
    instruction = first.removeprefix("Task:").strip()
    if not (first.startswith("Task:") and second.startswith("Output Script:") and instruction):
        raise DataError(
            f"{where}: task", found=f"{path}: {text!r:.80}",
            expected='"Task: ..." and "Output Script:" in the first lines', fix="check --format",
        )  # fmt: skip
    return instruction, script


def _found(folder: Path, name: str, where: str) -> str:
    """A file's real name: the index of web pages says screen_1, the files are screen1."""
    joined = re.sub(r"screen_(\d+)(\.\w+)$", r"screen\1\2", name)
    for other in (name, joined, re.sub(r"(screen\d+)\.json$", r"\1_boxes.json", joined)):
        if (folder / other).is_file():
            return other
    return name


def _tags(picture: str) -> dict[str, str]:
    """Platform and application from ``data/data/<platform>/<application>/<picture>``."""
    parts = Path(picture).parts
    return {"platform": parts[-3], "application": parts[-2]} if len(parts) >= 3 else {}
