"""TRL's prompt-completion rows as Parquet: ``prompt``, ``completion``, ``images``.

``prompt`` and ``completion`` are lists of messages, ``images`` a list of ``{bytes, path}``. Rows of
``coepg data export --format trl`` also carry the whole step. Source: TRL's documentation, dataset
formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from coepg.data.importers.base import Imported, ImportOptions, LeftOut, Record, SourceFormat
from coepg.data.importers.chat import (
    POINT_UNIT,
    ChatOptions,
    ChatRow,
    chat_steps,
    one_of,
    question_and_answer,
)
from coepg.data.importers.packed import PACKED_KEY
from coepg.data.importers.parquet_source import files_of, iter_parquet, picture_of
from coepg.data.importers.values import field_of
from coepg.errors import DataError


class TrlImporter:
    """One step a row."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="trl",
        title="TRL prompt-completion rows",
        license="as given by the owner of the data",
        url="https://huggingface.co/docs/trl/dataset_formats",
        box_unit="none",
        box_order="x0y0x1y1",
        scroll="none",
        settings=(POINT_UNIT,),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._chat = ChatOptions(options.checked(self.format).get("point_unit"), options.split)

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The rows of a file, or of the ``*.parquet`` of a folder."""
        for path in files_of(source, "*.parquet"):
            columns = ("prompt", "completion", "images")
            for number, record in enumerate(iter_parquet(path, columns, (PACKED_KEY,))):
                if isinstance(record, DataError):
                    yield record
                else:
                    yield Record(record.where, (f"{path.stem}-{number}", record.data))

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row."""
        (name, row), where = record.data, record.where
        messages = [
            *field_of(row, "prompt", list, where),
            *field_of(row, "completion", list, where),
        ]
        question, answer = question_and_answer(messages, where)
        data = picture_of(one_of(row["images"], "images", where), "images", where)
        chat = ChatRow(question, answer, data, row.get(PACKED_KEY))
        return chat_steps(chat, self._chat, name, where)
