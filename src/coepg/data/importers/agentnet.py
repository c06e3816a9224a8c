"""AgentNet (OpenCUA): desktop trajectories with pyautogui scripts in 0..1 of the screen.

Two layouts, told apart by their fields: AgentNetBench, one JSON file a trajectory with ``steps``,
whose ``ground_truth_actions`` have ``rel_bbox`` = ``[x, y, width, height]`` in 0..1; and AgentNet
for training, JSONL with ``traj``, whose scripts have points only. Sources: xlang-ai/OpenCUA,
evaluation/agentnetbench/eval.py, and the dataset card of xlangai/AgentNet.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import Imported, ImportOptions, LeftOut, Record, SourceFormat
from coepg.data.importers.boxes import POINT_TAG, box_px, point_box, point_px
from coepg.data.importers.desktop import FOCUS, Gesture, gesture_of, with_context
from coepg.data.importers.history import target_repr
from coepg.data.importers.json_array import iter_json_array
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.pyautogui_calls import POINTING, Call, parse_calls
from coepg.data.importers.values import field_of, optional_text, text_of
from coepg.errors import DataError
from coepg.types import Box, Size, Step


@dataclass(frozen=True, slots=True)
class Moment:
    """One picture of a trajectory and the actions done on it."""

    episode_id: str
    instruction: str
    picture: Any
    words: str
    gestures: list[Gesture]
    alternatives: tuple[Any, ...]
    tags: dict[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gesture stands in its trajectory."""

    moment: Moment
    gesture: Gesture
    index: int
    num_steps: int
    history: tuple[str, ...]


class AgentNetImporter:
    """One step an action. ``moveTo`` before a scroll or a drag is part of it."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="agentnet",
        title="AgentNet",
        license="MIT",
        url="https://huggingface.co/datasets/xlangai/AgentNet",
        box_unit="norm1",
        box_order="xywh",
        scroll="content",
        settings=(FOCUS,),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._focus = options.checked(self.format)["focus"]
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The actions of a file's trajectories, or of all ``*.json`` of a folder."""
        root = source if source.is_dir() else source.parent
        beside = root / "images"
        self._folder = self.options.images or (beside if beside.is_dir() else root)
        for path in files_of(source, "*.json"):
            lines = path.suffix == ".jsonl"
            for record in iter_json_lines(path) if lines else iter_json_array(path):
                if isinstance(record, DataError):
                    yield record
                    continue
                try:
                    yield from self._places(record)
                except DataError as error:
                    yield error

    def _places(self, record: Record) -> Iterator[Record]:
        moments = list(_moments(record))
        joined: list[tuple[Moment, Gesture]] = []
        last: Gesture | None = None
        for moment in moments:
            for gesture in with_context(moment.gestures, last, self._focus):
                joined.append((moment, gesture))
                if gesture.kind in POINTING.values():
                    last = gesture
        history: tuple[str, ...] = ()
        for index, (moment, gesture) in enumerate(joined):
            place = Place(moment, gesture, index, len(joined), history)
            history = (*history, gesture.line(_target(moment)))
            yield Record(f"{record.where}, action {index}", place)

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of an action, or why there is none."""
        place: Place = record.data
        where, moment, gesture = record.where, place.moment, place.gesture
        step_id = f"{moment.episode_id}/{place.index}"
        split = self.options.split or "train"
        if gesture.kind is None:
            return [LeftOut(step_id, moment.episode_id, split, gesture.reason)]
        name = text_of({"image": moment.picture}, "image", where)
        data = read_picture(self._folder, name, where)
        shot = screenshot_of(data, where)
        boxes, tags = self._boxes(gesture, moment, shot.size, where)
        point, end = (
            None if p is None else point_px(p, "norm1", shot.size, where)
            for p in (gesture.point, gesture.end_point)
        )
        step = Step(
            step_id=step_id,
            episode_id=moment.episode_id,
            task_name="agentnet",
            split=split,
            step_index=place.index,
            num_steps=place.num_steps,
            instruction=moment.instruction,
            history=place.history,
            screenshot=shot,
            action_type=gesture.kind,
            value=gesture.value,
            target_box_px=boxes[0] if boxes else None,
            target_repr=_target(moment) if boxes else "",
            alternative_boxes_px=tuple(boxes[1:]),
            target_point_px=point,
            end_point_px=end,
            step_instruction=moment.words,
            tags=moment.tags | tags | gesture.tags,
        )
        return [Imported(step, data)]

    def _boxes(
        self, gesture: Gesture, moment: Moment, size: Size, where: str
    ) -> tuple[list[Box], dict[str, str]]:
        if gesture.point is None or gesture.kind == "scroll":
            return [], {}
        form = self.format
        others = moment.alternatives if len(moment.gestures) == 1 else ()
        found = [
            box_px(values, form.box_unit, form.box_order, size, where, may_overhang=True)
            for values in gesture.boxes
        ]
        for values in others:
            # The step is right without them.
            with contextlib.suppress(DataError):
                found.append(
                    box_px(values, form.box_unit, form.box_order, size, where, may_overhang=True)
                )
        if gesture.boxes:
            return list(dict.fromkeys(found)), {}
        point = point_px(gesture.point, "norm1", size, where)
        return [point_box(point, size), *found], POINT_TAG


def _target(moment: Moment) -> str:
    """The source names no elements: its words for the step stand in."""
    return target_repr("element", moment.words) if moment.words else ""


def _moments(record: Record) -> Iterator[Moment]:
    row, where = record.data, record.where
    episode = text_of(row, "task_id", where)
    if isinstance(row.get("traj"), list):
        instruction = text_of(row, "instruction", where)
        for k, item in enumerate(row["traj"]):
            yield _training_moment(episode, instruction, item, f"{where}, traj {k}")
        return
    steps = field_of(row, "steps", list, where)
    key = "high_level_task_description"
    instruction = optional_text(row, key, where) or text_of(row, "user_task_description", where)
    for k, item in enumerate(steps):
        yield _bench_moment(episode, instruction, item, f"{where}, steps {k}")


def _training_moment(episode: str, instruction: str, item: Any, where: str) -> Moment:
    value = field_of(item, "value", dict, where)
    calls = parse_calls(text_of(value, "code", where), where)
    flags = ("last_step_correct", "last_step_redundant")
    tags = {key: str(value[key]).lower() for key in flags if isinstance(value.get(key), bool)}
    gestures = [gesture_of(call, where) for call in calls]
    words = optional_text(value, "action", where)
    return Moment(episode, instruction, item.get("image"), words, gestures, (), tags)


def _bench_moment(episode: str, instruction: str, item: Any, where: str) -> Moment:
    actions = field_of(item, "ground_truth_actions", list, where)
    gestures = [_bench_gesture(a, f"{where}, action {k}") for k, a in enumerate(actions)]
    inner = item.get("inner_monologue") or {}
    words = optional_text(inner, "low_level_instruction", where)
    others: list[Any] = []
    for option in item.get("alternative_options") or []:
        same = isinstance(option, list) and len(option) == 1 == len(gestures)
        if same and (other := _bench_gesture(option[0], where)).kind == gestures[0].kind:
            others += other.boxes
    return Moment(episode, instruction, item.get("image"), words, gestures, tuple(others), {})


def _bench_gesture(action: Any, where: str) -> Gesture:
    name = text_of(action, "type", where)
    params = dict(field_of(action, "params", dict, where))
    position = params.pop("position", None)
    if isinstance(position, dict):
        params |= {"x": position.get("x"), "y": position.get("y")}
    if "content" in params:
        params["text"] = params.pop("content")
    found = (action.get("metadata") or {}).get("bboxes") or []
    boxes = [field_of(box, "rel_bbox", list, where) for box in found]
    gesture = gesture_of(Call(name.replace("_", "").lower(), (), params), where, boxes)
    if gesture.kind == "scroll" and isinstance(position, dict):
        return replace(gesture, point=(float(params["x"]), float(params["y"])))
    return gesture
