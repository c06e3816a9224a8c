"""UIBert's RefExp: referring expressions on RICO screens, as TFRecords of ``tf.train.Example``.

Boxes are four lists ``image/object/bbox/{xmin,ymin,xmax,ymax}`` in 0..1 of the screen; the label
is the index of the one that ``image/ref_exp/text`` means. The pictures are RICO's own and not in
the records: ``<image/id>.jpg`` (or ``.png``) in the folder of ``--images``. The texts of the view
hierarchy (``image/view_hierarchy/*``, 0..1 too) become screen text. Source:
google-research-datasets/uibert, README.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from coepg.data.crop import screenshot_of
from coepg.data.importers.acts import Act, Place, step_of
from coepg.data.importers.base import Imported, ImportOptions, Record, SourceFormat
from coepg.data.importers.elements import Element, screen_texts, visible_part
from coepg.data.importers.pictures import clipped_box, read_picture
from coepg.data.importers.tfrecord import Example, Frame, iter_frames
from coepg.errors import DataError
from coepg.types import Box, Size, TextSource
from coepg.types import Frame as ScreenFrame
from coepg.types.geometry import Space

_SIDES = ("xmin", "ymin", "xmax", "ymax")


class RefExpImporter:
    """One step a record: click the element that the expression means."""

    format = SourceFormat(
        name="refexp",
        title="UIBert RefExp",
        license="CC-BY-4.0",
        url="https://github.com/google-research-datasets/uibert",
        box_unit="norm1",
        box_order="x0y0x1y1",
        scroll="none",
    )

    def __init__(self, options: ImportOptions) -> None:
        options.checked(self.format)
        self.options = options
        self._folder = Path()
        self._stem = ""

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The records of the file."""
        self._folder = self.options.images or source.parent
        self._stem = source.name.split(".")[0]
        for number, frame in enumerate(iter_frames(source)):
            yield Record(frame.where, (number, frame)) if isinstance(frame, Frame) else frame

    def convert(self, record: Record) -> list[Imported]:
        """The step of a record."""
        number, frame = record.data
        where = record.where
        example = Example(frame)
        data = self._picture(example.one_text("image/id"), where)
        shot = screenshot_of(data, where)
        boxes = _boxes(example, "image/object/bbox", shot.size, where)
        label = example.one_int("image/ref_exp/label")
        if not 0 <= label < len(boxes):
            raise DataError(
                f"{where}: image/ref_exp/label",
                found=str(label),
                expected=f"the index of one of {len(boxes)} boxes",
                fix="set the record aside with --keep-going",
            )
        expression = example.one_text("image/ref_exp/text")
        box = clipped_box(boxes[label], shot.size, where)
        place = Place(
            episode_id=f"{self._stem}-{number}",
            step_index=0,
            num_steps=1,
            split=self.options.split or self._stem,
            task_name="grounding",
            instruction=expression,
            tags={"rico_id": example.one_text("image/id")},
        )
        texts = screen_texts(_hierarchy(example, shot.size, where), TextSource.A11Y)
        return [Imported(step_of(Act("click", None, box, "annotation"), place, shot, texts), data)]

    def _picture(self, rico_id: str, where: str) -> bytes:
        name = f"{rico_id}.png"
        return read_picture(
            self._folder, name if (self._folder / name).exists() else f"{rico_id}.jpg", where
        )


def _boxes(example: Example, prefix: str, size: Size, where: str) -> list[Box]:
    sides = [example.floats(f"{prefix}/{side}") for side in _SIDES]
    try:
        frame = ScreenFrame(size)
        return [
            frame.convert_box(Box(x0, y0, x1, y1, Space.NORM1), Space.IMAGE_PX)
            for x0, y0, x1, y1 in zip(*sides, strict=True)
        ]
    except ValueError as error:
        raise DataError(
            f"{where}: {prefix}",
            found=str(error),
            expected="four lists of one length, xmin <= xmax and ymin <= ymax",
            fix="check --format; or set the record aside with --keep-going",
        ) from error


def _hierarchy(example: Example, size: Size, where: str) -> list[Element]:
    if "image/view_hierarchy/text" not in example.names:
        return []
    texts = example.texts("image/view_hierarchy/text")
    roles = example.texts("image/view_hierarchy/class/name")
    boxes = _boxes(example, "image/view_hierarchy/bbox", size, where)
    if not len(texts) == len(roles) == len(boxes):
        raise DataError(
            f"{where}: image/view_hierarchy",
            found=f"{len(texts)} texts, {len(roles)} classes, {len(boxes)} boxes",
            expected="as many of each",
            fix="set the record aside with --keep-going",
        )
    return [
        Element(part, " ".join(text.split()), role.lower())
        for text, role, box in zip(texts, roles, boxes, strict=True)
        if (part := visible_part(box, size)) is not None
    ]
