"""Mind2Web in its original JSON: a list of tasks, each with ``actions`` and no pictures.

Pictures come from ``--images``: ``<annotation_id>-<action_uid>`` or ``<action_uid>``, with
``.png`` or ``.jpg``. With ``boxes=page`` (the default) they are full pages and the boxes are those
of the candidates; with ``boxes=seeclick`` they are SeeClick's cut pictures, for which its JSON has
a ``bbox`` of its own in each action. The test split here is not that of Multimodal-Mind2Web.
Sources: see `mind2web_rows`, and njucckevin/SeeClick, agent_tasks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    LeftOut,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.boxes import box_px
from coepg.data.importers.json_array import iter_json_array
from coepg.data.importers.mind2web_rows import (
    NO_POSITIVE,
    candidates_of,
    operation_of,
    positive_boxes,
    repr_line,
    reprs_of,
    tags_of,
)
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.values import field_of, text_of
from coepg.errors import DataError
from coepg.types import Box, Size, Step


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a task, with what its place in the task says."""

    task: dict[str, Any]
    reprs: list[str]
    index: int
    fields: Any


class Mind2WebJsonImporter:
    """One step an action."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="mind2web_json",
        title="Mind2Web (original JSON)",
        license="CC-BY-4.0",
        url="https://github.com/OSU-NLP-Group/Mind2Web",
        box_unit="px",
        box_order="xywh",
        scroll="none",
        settings=(
            Setting(
                "boxes", "which pictures --images holds, and so which boxes fit them",
                ("page", "seeclick"), "page",
            ),
        ),
    )  # fmt: skip

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._boxes = options.checked(self.format)["boxes"]

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The actions of the tasks of the file, or of the folder's files."""
        for path in files_of(source, "*.json"):
            for record in iter_json_array(path):
                try:
                    yield from _actions(record)
                except DataError as error:
                    yield error

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of an action, or that it has no visible positive element."""
        action: Action = record.data
        where, fields = record.where, action.fields
        episode = text_of(action.task, "annotation_id", where)
        step_id = f"{episode}/{action.index}"
        split = self.options.split or "train"
        kind, value, original_op = operation_of(field_of(fields, "operation", dict, where), where)
        candidates = candidates_of(field_of(fields, "pos_candidates", list, where), where)
        if not candidates or (self._boxes == "seeclick" and fields.get("bbox") is None):
            return [LeftOut(step_id, episode, split, NO_POSITIVE)]
        uid = text_of(fields, "action_uid", where)
        data = self._picture(episode, uid, where)
        shot = screenshot_of(data, where)
        boxes = self._target_boxes(fields, candidates, shot.size, where)
        step = Step(
            step_id=step_id,
            episode_id=episode,
            task_name=text_of(action.task, "website", where),
            split=split,
            step_index=action.index,
            num_steps=len(action.reprs),
            instruction=text_of(action.task, "confirmed_task", where),
            history=tuple(repr_line(text)[0] for text in action.reprs[: action.index]),
            screenshot=shot,
            action_type=kind,
            value=value,
            target_box_px=boxes[0],
            target_repr=repr_line(action.reprs[action.index])[1],
            alternative_boxes_px=tuple(boxes[1:]),
            tags=tags_of(action.task, original_op, where)
            | {"action_uid": uid, "boxes": self._boxes},
        )
        return [Imported(step, data)]

    def _target_boxes(self, fields: Any, candidates: Any, size: Size, where: str) -> list[Box]:
        if self._boxes == "page":
            return positive_boxes(candidates, size, where)
        box = field_of(fields, "bbox", dict, where)
        values = [box.get(key) for key in ("x", "y", "width", "height")]
        return [box_px(values, "px", "xywh", size, where, may_overhang=True)]

    def _picture(self, episode: str, uid: str, where: str) -> bytes:
        if self.options.images is None:
            raise DataError(
                f"{where}: picture",
                found="none: the original JSON has no pictures",
                expected="--images with <annotation_id>-<action_uid>.png or .jpg",
                fix="give the folder, or import the hub's Parquet files with --format mind2web",
            )
        for stem in (f"{episode}-{uid}", uid):
            for ending in (".png", ".jpg", ".jpeg"):
                path = self.options.images / (stem + ending)
                if path.is_file():
                    return path.read_bytes()
        raise DataError(
            f"{where}: picture",
            found=f"no {episode}-{uid}.png or .jpg in {self.options.images}",
            expected="a picture of the page before the action",
            fix="copy the missing pictures, or check --images",
        )


def _actions(record: Record) -> Iterator[Record]:
    task, where = record.data, record.where
    actions = field_of(task, "actions", list, where)
    reprs = reprs_of(task.get("action_reprs"), where)
    if len(reprs) != len(actions):
        raise DataError(
            f"{where}: action_reprs", found=f"{len(reprs)} texts for {len(actions)} actions",
            expected="one each", fix="check --format, or mend the task",
        )  # fmt: skip
    for index, fields in enumerate(actions):
        yield Record(f"{where}, action {index}", Action(task, reprs, index, fields))
