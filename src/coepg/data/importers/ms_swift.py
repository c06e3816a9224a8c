"""ms-swift's rows: grounding with ``objects: {ref, bbox, bbox_type}``, and plain conversations.

One JSON object a line. ``bbox_type`` is ``real`` (pixels of the picture, also when it is absent)
or ``norm1`` (0..1); a box is ``[x0, y0, x1, y1]``, or ``[x, y]`` for a point. ``ref`` and ``bbox``
fill the marks ``<ref-object>`` and ``<bbox>`` of the messages, so they may differ in length:

* one ``ref`` a box: a step each;
* one ``ref`` and several boxes: one step, any box is right;
* no ``ref``: the question is the instruction, and any box is right.

A row without boxes is a conversation whose answer holds numbers in a unit that the user says.
Source: modelscope/ms-swift, docs/source_en/Customization/Custom-dataset.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    BoxUnit,
    Imported,
    ImportOptions,
    LeftOut,
    Record,
    SourceFormat,
)
from coepg.data.importers.boxes import POINT_TAG, box_px, point_box, point_px
from coepg.data.importers.chat import (
    PLACEHOLDER,
    POINT_UNIT,
    USER_ROLES,
    ChatOptions,
    ChatRow,
    chat_steps,
    content_text,
    one_of,
    question_and_answer,
)
from coepg.data.importers.grounding import grounding_step
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.packed import PACKED_KEY
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.values import field_of, text_of
from coepg.errors import DataError
from coepg.types import Box, Screenshot

UNITS: dict[object, BoxUnit] = {None: "px", "real": "px", "norm1": "norm1"}
"""``bbox_type`` -> unit."""


class MsSwiftImporter:
    """One step a referring expression."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="ms_swift",
        title="ms-swift rows",
        license="as given by the owner of the data",
        url="https://swift.readthedocs.io/",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="none",
        settings=(POINT_UNIT,),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._chat = ChatOptions(options.checked(self.format).get("point_unit"), options.split)
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The lines of the file, or of the ``*.jsonl`` of a folder."""
        self._folder = self.options.images or (source if source.is_dir() else source.parent)
        for path in files_of(source, "*.jsonl"):
            for number, record in enumerate(iter_json_lines(path)):
                if isinstance(record, DataError):
                    yield record
                else:
                    yield Record(record.where, (f"{path.stem}-{number}", record.data))

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The steps of a row."""
        (name, row), where = record.data, record.where
        data = read_picture(self._folder, _path_of(row, where), where)
        objects = row.get("objects")
        if row.get(PACKED_KEY) is not None or objects is None:
            texts = ("", "")
            if row.get(PACKED_KEY) is None:
                texts = question_and_answer(row.get("messages"), where)
            chat = ChatRow(*texts, data, row.get(PACKED_KEY))
            return chat_steps(chat, self._chat, name, where)
        shot = screenshot_of(data, where)
        refs, boxes = _lists(objects, where)
        made: list[Imported | LeftOut] = []
        for k, (ref, values) in enumerate(_targets(refs, boxes, row, where)):
            found = [_box(v, objects.get("bbox_type"), shot, f"{where}, box {k}") for v in values]
            step = grounding_step(
                f"{name}/{k}",
                task_name="grounding",
                split=self.options.split or "train",
                instruction=ref,
                shot=shot,
                box=found[0][0],
                tags=found[0][1],
                alternatives=tuple(box for box, _ in found[1:]),
            )
            made.append(Imported(step, data))
        return made


def _path_of(row: dict[str, Any], where: str) -> str:
    image = one_of(row.get("images"), "images, one path", where)
    path = image.get("path") if isinstance(image, dict) else image
    return text_of({"images": path}, "images", where)


def _lists(objects: Any, where: str) -> tuple[list[Any], list[Any]]:
    boxes = field_of(objects, "bbox", list, f"{where}: objects")
    refs = objects.get("ref") or []
    if not isinstance(refs, list) or not boxes or len(refs) not in (0, 1, len(boxes)):
        raise DataError(
            f"{where}: objects",
            found=f"ref: {refs!r}, bbox: {boxes!r}",
            expected="two lists of one length, or one `ref` or none for all boxes",
            fix="give each box its referring expression",
        )
    return refs, boxes


def _targets(
    refs: list[Any], boxes: list[Any], row: dict[str, Any], where: str
) -> list[tuple[str, list[Any]]]:
    """The expressions, each with the boxes that are right for it."""
    if len(refs) == len(boxes):
        return [(text_of({"ref": r}, "ref", where), [b]) for r, b in zip(refs, boxes, strict=True)]
    if refs:
        return [(text_of({"ref": refs[0]}, "ref", where), boxes)]
    for message in field_of(row, "messages", list, where):
        if isinstance(message, dict) and message.get("role") in USER_ROLES:
            question = content_text(message.get("content"), where).replace(PLACEHOLDER, "")
            return [(text_of({"question": question.strip()}, "question", where), boxes)]
    raise DataError(
        f"{where}: messages", found="no question", expected="a message of the role user",
        fix="give each box its referring expression in `ref`",
    )  # fmt: skip


def _box(values: Any, kind: Any, shot: Screenshot, where: str) -> tuple[Box, dict[str, str]]:
    if kind not in UNITS:
        raise DataError(
            f"{where}: bbox_type",
            found=repr(kind),
            expected="real (pixels) or norm1 (0..1)",
            fix="say the unit of the boxes",
        )
    if isinstance(values, list) and len(values) == 2:
        point = point_px(values, UNITS[kind], shot.size, where, name="bbox")
        return point_box(point, shot.size), dict(POINT_TAG)
    return box_px(values, UNITS[kind], "x0y0x1y1", shot.size, where), {}
