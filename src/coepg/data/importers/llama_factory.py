"""LLaMA-Factory's multimodal chat rows: ``messages`` or ShareGPT's ``conversations``, ``images``.

A JSON list or JSONL. A row is one picture, one question and one answer with a point or a box;
rows of ``coepg data export --format llama_factory`` also carry the whole step. Source:
hiyouga/LLaMA-Factory, data/README.md.
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
from coepg.data.importers.json_array import iter_json_array
from coepg.data.importers.json_lines import iter_json_lines
from coepg.data.importers.packed import PACKED_KEY
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.values import text_of
from coepg.errors import DataError


class LlamaFactoryImporter:
    """One step a row."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="llama_factory",
        title="LLaMA-Factory chat rows",
        license="as given by the owner of the data",
        url="https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md",
        box_unit="none",
        box_order="x0y0x1y1",
        scroll="none",
        settings=(POINT_UNIT,),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        self._chat = ChatOptions(options.checked(self.format).get("point_unit"), options.split)
        self._folder = Path()

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The rows of a file, or of the ``*.jsonl`` of a folder."""
        self._folder = self.options.images or (source if source.is_dir() else source.parent)
        for path in files_of(source, "*.jsonl"):
            rows = iter_json_lines(path) if path.suffix == ".jsonl" else iter_json_array(path)
            for number, record in enumerate(rows):
                if isinstance(record, DataError):
                    yield record
                else:
                    yield Record(record.where, (f"{path.stem}-{number}", record.data))

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row."""
        (name, row), where = record.data, record.where
        if not isinstance(row, dict):
            raise DataError(where, found=type(row).__name__, expected="an object", fix="mend it")
        messages = row.get("messages", row.get("conversations"))
        question, answer = question_and_answer(messages, where)
        path = text_of({"images": one_of(row.get("images"), "images", where)}, "images", where)
        data = read_picture(self._folder, path, where)
        chat = ChatRow(question, answer, data, row.get(PACKED_KEY))
        return chat_steps(chat, self._chat, name, where)
