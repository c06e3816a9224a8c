"""What an exporter is, and the parts that exporters share.

A row says in the target's own fields what the tool trains on, and carries the whole step in the
key ``coepg``, which the tools ignore: importing an export gives the same steps and pictures.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from coepg.data.importers.base import Setting
from coepg.types import Point, Step, build_action, format_call

ROWS_IN_GROUP = 64
PLACEHOLDER = "<image>"
IMAGE_TYPE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
"""How ``datasets`` stores pictures in Parquet."""
MESSAGES_TYPE = pa.list_(pa.struct([("role", pa.string()), ("content", pa.string())]))
_MARKS = re.compile(r"<(image|video|audio|bbox|ref-object)>")


@dataclass(frozen=True, slots=True)
class TargetFormat:
    """Where rows go.

    Attributes:
        name: as on the command line.
        title: for people.
        url: the documentation of the format.
        settings: what ``--option`` may set.
    """

    name: str
    title: str
    url: str
    settings: tuple[Setting, ...] = ()


class SplitFile(Protocol):
    """Takes the steps of one split."""

    def add(self, step: Step, data: bytes) -> None:
        """Write a step and its picture."""
        ...

    def close(self) -> None:
        """Write what is left."""
        ...


class Exporter(Protocol):
    """Writes one kind of rows.

    Example:
        >>> with_file = exporter.open(folder, "train")  # doctest: +SKIP
        >>> with_file.add(step, png)  # doctest: +SKIP
    """

    format: TargetFormat

    def __init__(self, options: Mapping[str, str]) -> None: ...

    def open(self, folder: Path, split: str) -> SplitFile:
        """The file of a split."""
        ...

    def finish(self, folder: Path, splits: Sequence[str]) -> None:
        """Write what the tool wants beside the rows."""
        ...


class JsonLinesFile:
    """Rows as JSON lines, pictures as files in ``images``, each once.

    Args:
        path: of the rows.
        row_of: the row of a step and the path of its picture, relative to the file's folder.
    """

    def __init__(self, path: Path, row_of: Callable[[Step, str], dict[str, Any]]) -> None:
        self._images = path.parent / "images"
        self._images.mkdir(exist_ok=True)
        self._file = path.open("w", encoding="utf-8")
        self._row_of = row_of

    def add(self, step: Step, data: bytes) -> None:
        """Write a row, and the picture if it is new."""
        name = f"{step.screenshot.image_hash}.{file_ending(data)}"
        if not (self._images / name).exists():
            (self._images / name).write_bytes(data)
        row = self._row_of(step, f"images/{name}")
        self._file.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


class ParquetFile:
    """Rows as Parquet with pictures inside.

    Args:
        path: of the file.
        schema: its columns.
        row_of: the row of a step and the bytes of its picture.
    """

    def __init__(
        self, path: Path, schema: pa.Schema, row_of: Callable[[Step, bytes], dict[str, Any]]
    ) -> None:
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self._schema, self._row_of = schema, row_of
        self._rows: list[dict[str, Any]] = []

    def add(self, step: Step, data: bytes) -> None:
        """Take a row; groups of rows are written together."""
        self._rows.append(self._row_of(step, data))
        if len(self._rows) >= ROWS_IN_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []

    def close(self) -> None:
        """Write what is left."""
        self._flush()
        self._writer.close()


def file_ending(data: bytes) -> str:
    """``png``, ``jpeg``, ... by what the bytes are."""
    with Image.open(io.BytesIO(data)) as picture:
        return (picture.format or "png").lower()


def plain(text: str) -> str:
    """A text without the marks that tools replace by pictures or boxes."""
    return _MARKS.sub(r"(\1)", text)


def question_of(step: Step) -> str:
    """Task and earlier actions in words."""
    earlier = "\n".join(f"{k + 1}. {line}" for k, line in enumerate(step.history)) or "none"
    return plain(f"Task: {step.instruction}\nEarlier actions:\n{earlier}\nWhat is the next action?")


def expression_of(step: Step) -> str:
    """The target in words, as good as the step has them."""
    return plain(step.target_expression or step.target_repr or step.step_instruction)


def answer_of(step: Step, element: str, place: str | None) -> str:
    """The gold action as a call.

    Args:
        step: the step.
        element: words of the target; "" leaves them out.
        place: text of the point, or None for actions without a target.

    Example:
        >>> answer_of(step, "the OK button", "[12, 30]")  # doctest: +SKIP
        'do(action="Click", element_description="the OK button", point=[12, 30])'
    """
    value = None if step.value is None else plain(step.value)
    call = format_call(build_action(step.action_type, value), element or None)
    return call if place is None else f"{call[:-1]}, point={place})"


def target_point(step: Step) -> Point | None:
    """The middle of the target's box, in pixels."""
    return None if step.target_box_px is None else step.target_box_px.center
