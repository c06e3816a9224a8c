"""Multimodal-Mind2Web from its hub: ``data/<split>-*.parquet``, one row an action.

Boxes are "x,y,width,height" in pixels of a full-page picture, in JSON inside JSON. A step without
a visible positive element is left out with the reason ``no_positive``: it counts as failed in the
scores of SeeAct and UGround, and nothing can be trained on it. Sources: see `mind2web_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import Imported, ImportOptions, LeftOut, Record, SourceFormat
from coepg.data.importers.mind2web_rows import (
    NO_POSITIVE,
    candidates_of,
    operation_of,
    positive_boxes,
    repr_line,
    reprs_of,
    tags_of,
)
from coepg.data.importers.parquet_source import files_of, iter_parquet, picture_of
from coepg.data.importers.values import field_of, text_of
from coepg.errors import DataError
from coepg.types import Step

SPLITS = ("train", "test_task", "test_website", "test_domain")
COLUMNS = (
    "action_uid", "operation", "pos_candidates", "website", "domain", "subdomain",
    "annotation_id", "confirmed_task", "screenshot", "action_reprs", "target_action_index",
)  # fmt: skip
"""The columns that are read; the pages' HTML and the negative candidates are not."""


class Mind2WebImporter:
    """One step a row; ``--split`` takes only the files of one split."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="mind2web",
        title="Multimodal-Mind2Web",
        license="OpenRAIL",
        url="https://huggingface.co/datasets/osunlp/Multimodal-Mind2Web",
        box_unit="px",
        box_order="xywh",
        scroll="none",
        splits=SPLITS,
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        options.checked(self.format)

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The rows of the file, or of the files of the folder."""
        for path in files_of(source, "*.parquet"):
            split = path.name.split("-")[0]
            split = split if split in SPLITS else ""
            if split and self.options.split and split != self.options.split:
                continue
            for record in iter_parquet(path, COLUMNS):
                if isinstance(record, DataError):
                    yield record
                else:
                    yield Record(
                        record.where, (split or self.options.split or "train", record.data)
                    )

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row, or that it has no visible positive element."""
        (split, row), where = record.data, record.where
        index, reprs = _place(row, where)
        episode = text_of(row, "annotation_id", where)
        step_id = f"{episode}/{index}"
        kind, value, original_op = operation_of(row["operation"], where)
        candidates = candidates_of(field_of(row, "pos_candidates", list, where), where)
        if not candidates:
            return [LeftOut(step_id, episode, split, NO_POSITIVE)]
        data = picture_of(row["screenshot"], "screenshot", where)
        shot = screenshot_of(data, where)
        boxes = positive_boxes(candidates, shot.size, where)
        step = Step(
            step_id=step_id,
            episode_id=episode,
            task_name=text_of(row, "website", where),
            split=split,
            step_index=index,
            num_steps=len(reprs),
            instruction=text_of(row, "confirmed_task", where),
            history=tuple(repr_line(text)[0] for text in reprs[:index]),
            screenshot=shot,
            action_type=kind,
            value=value,
            target_box_px=boxes[0],
            target_repr=repr_line(reprs[index])[1],
            alternative_boxes_px=tuple(boxes[1:]),
            tags=tags_of(row, original_op, where)
            | {"action_uid": text_of(row, "action_uid", where)},
        )
        return [Imported(step, data)]


def _place(row: dict[str, Any], where: str) -> tuple[int, list[str]]:
    """The step's number, and the actions of the whole episode in words."""
    reprs = reprs_of(row["action_reprs"], where)
    text = row["target_action_index"]
    if not str(text).isdecimal() or int(text) >= len(reprs):
        raise DataError(
            f"{where}: target_action_index", found=repr(text),
            expected=f"a number below {len(reprs)}, the length of action_reprs",
            fix="check --format, or mend the row",
        )  # fmt: skip
    return int(text), reprs
