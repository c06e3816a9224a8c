"""One import: source -> dataset folder, with bad rows refused or set aside."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coepg.data.crop import Crop, crop_imported
from coepg.data.importers.base import Imported, Importer, Record, SourceFormat
from coepg.data.importers.origin import origin_of
from coepg.data.writer import DatasetWriter, LeftOut
from coepg.errors import DataError

SET_ASIDE_SUFFIX = ".set_aside.jsonl"


@dataclass(slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        num_records, num_steps: read and written.
        num_set_aside: bad records, written to ``set_aside_path``.
        steps: by split.
        left_out: steps that count as failed but could not be made, by reason.
    """

    num_records: int = 0
    num_steps: int = 0
    num_set_aside: int = 0
    set_aside_path: Path | None = None
    steps: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


def import_dataset(
    importer: Importer,
    source: Path,
    out_dir: Path,
    *,
    crop: Crop | None = None,
    keep_going: bool = False,
    limit: int | None = None,
    overwrite: bool = False,
    progress: Callable[[ImportReport], None] = lambda report: None,
) -> ImportReport:
    """Import a source into a new dataset folder, all or nothing.

    Args:
        importer: of the source's format.
        source: file or folder.
        out_dir: the new dataset folder.
        crop: how pictures are cut; None keeps them whole.
        keep_going: set bad records aside in ``<out_dir>.set_aside.jsonl``, one JSON object a
            record that says where and why, instead of stopping at the first.
        limit: stop after this many records.
        overwrite: replace an existing folder.
        progress: called after every record.

    Raises:
        DataError: the source cannot be read, a bad record (unless ``keep_going``), no steps.
    """
    report = ImportReport()
    aside = out_dir.parent / (out_dir.name + SET_ASIDE_SUFFIX)
    aside.unlink(missing_ok=True)
    form = importer.format
    notes = {"format": form.name, "crop": crop.describe() if crop else "none"}
    origin = origin_of(form, source)
    with DatasetWriter(
        out_dir,
        name=out_dir.name,
        source=origin.source,
        license=origin.license,
        made_by=f"coepg data import --format {form.name}",
        overwrite=overwrite,
        notes=notes,
    ) as writer:
        for record in importer.records(source):
            if limit is not None and report.num_records >= limit:
                break
            report.num_records += 1
            try:
                _add(writer, report, _converted(importer, record, crop))
            except DataError as error:
                if not keep_going:
                    raise
                _set_aside(aside, record, error, report)
            progress(report)
        _check_result(report, len(writer), source, form, aside)
    return report


def _check_result(
    report: ImportReport, num_written: int, source: Path, form: SourceFormat, aside: Path
) -> None:
    """Refuse an import that wrote nothing, with the reason.

    Raises:
        DataError: no records, or none that became a step.
    """
    expected = f"records of {form.title}"
    if not report.num_records:
        raise DataError(
            f"{source}: nothing to import",
            found="no records",
            expected=expected,
            fix="check --format and --split, or copy the source again",
        )
    if num_written or not (report.num_set_aside or report.left_out):
        return
    if report.num_set_aside:
        found = f"{report.num_set_aside} bad records, listed with reasons in {aside}"
    else:
        reasons = ", ".join(f"{reason} {n}" for reason, n in report.left_out.items())
        found = f"nothing but steps without a target: {reasons}"
    raise DataError(
        f"{source}: nothing could be imported",
        found=found,
        expected=expected,
        fix="check --format, or mend the source",
    )


def _converted(
    importer: Importer, record: Record | DataError, crop: Crop | None
) -> Sequence[Imported | LeftOut]:
    if isinstance(record, DataError):
        raise record
    rows = importer.convert(record)
    if crop is None:
        return rows
    return [
        cut
        for row in rows
        for cut in ([row] if isinstance(row, LeftOut) else crop_imported(row, crop))
    ]


def _add(writer: DatasetWriter, report: ImportReport, rows: Sequence[Imported | LeftOut]) -> None:
    for row in rows:
        if isinstance(row, LeftOut):
            writer.leave_out(row)
            report.left_out[row.reason] += 1
            continue
        writer.add(row.step, row.image)
        report.num_steps += 1
        report.steps[row.step.split] += 1


def _set_aside(
    path: Path, record: Record | DataError, error: DataError, report: ImportReport
) -> None:
    report.num_set_aside += 1
    report.set_aside_path = path
    where = error.what if isinstance(record, DataError) else record.where
    line = {
        "where": where, "error": error.what, "found": error.found,
        "expected": error.expected, "fix": error.fix,
    }  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
