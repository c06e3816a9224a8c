"""verl's reinforcement learning rows: Parquet with ``prompt``, ``images``, ``reward_model``, ....

The target is read from ``reward_model.ground_truth``. Rows of ``coepg data export --format verl``
carry the whole step in ``extra_info``. Source: volcengine/verl, examples/data_preprocess/geo3k.py.
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
from coepg.data.importers.values import field_of, text_of
from coepg.errors import DataError


class VerlImporter:
    """One step a row."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="verl",
        title="verl rows",
        license="as given by the owner of the data",
        url="https://verl.readthedocs.io/",
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
            columns = ("prompt", "images", "reward_model")
            for number, record in enumerate(iter_parquet(path, columns, ("extra_info",))):
                if isinstance(record, DataError):
                    yield record
                else:
                    yield Record(record.where, (f"{path.stem}-{number}", record.data))

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of a row."""
        (name, row), where = record.data, record.where
        truth = text_of(row["reward_model"], "ground_truth", where)
        answer = {"role": "assistant", "content": truth}
        prompt = field_of(row, "prompt", list, where)
        question, _ = question_and_answer([*prompt, answer], where)
        data = picture_of(one_of(row["images"], "images", where), "images", where)
        packed = (row.get("extra_info") or {}).get(PACKED_KEY)
        return chat_steps(ChatRow(question, truth, data, packed), self._chat, name, where)
