"""Parquet shards of synthetic screens: writing with resume, and reading."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image

from coepg.errors import DataError
from coepg.synth.describe import describe
from coepg.synth.page import Page, draw_page
from coepg.synth.render import Rendered, Renderer
from coepg.synth.sheets import draw_sheet
from coepg.synth.tasks import build_tasks
from coepg.synth.types import SCREEN_SIZE_PX, Box, ScreenElement, ScreenTask, SynthScreen

SHARD_ROWS = 2000
FORMAT_VERSION = "1"

_BOX = pa.list_(pa.int32())
_ELEMENT = pa.struct(
    [
        ("element_id", pa.int32()),
        ("role", pa.string()),
        ("name", pa.string()),
        ("color", pa.string()),
        ("shape", pa.string()),
        ("size", pa.string()),
        ("value", pa.string()),
        ("checked", pa.bool_()),
        ("clickable", pa.bool_()),
        ("box_px", _BOX),
        ("label_box_px", _BOX),
        ("expressions", pa.list_(pa.string())),
    ]
)
_TASK = pa.struct(
    [
        ("instruction", pa.string()),
        ("history", pa.list_(pa.string())),
        ("element_id", pa.int32()),
        ("action_type", pa.string()),
        ("value", pa.string()),
        ("kind", pa.string()),
    ]
)
SCHEMA = pa.schema(
    [
        ("screen_id", pa.string()),
        ("seed", pa.int64()),
        ("png", pa.binary()),
        ("width", pa.int32()),
        ("height", pa.int32()),
        ("elements", pa.list_(_ELEMENT)),
        ("tasks", pa.list_(_TASK)),
    ]
)


ScreenKind = Literal["screens", "sheets"]
_DRAW: dict[ScreenKind, Callable[[int], Page]] = {"screens": draw_page, "sheets": draw_sheet}


def write_screens(
    out_dir: str | Path,
    num_screens: int,
    seed: int,
    chromium: str | None = None,
    progress: Callable[[int, int], None] | None = None,
    kind: ScreenKind = "screens",
) -> list[Path]:
    """Writes screens as Parquet shards and skips shards that already exist.

    Each screen follows from the seed and its own number only, so a stopped run
    continues with the same contents.

    Args:
        out_dir: Folder for the shards; made if missing.
        num_screens: Number of screens in all.
        seed: Start of the screens' seeds.
        chromium: Executable; found on the path if None.
        progress: Called with the number of screens done and wanted.
        kind: "screens" of widgets, or "sheets" of words.

    Returns:
        Paths of all shards in order.

    Raises:
        DataError: The number is not positive, or an existing shard belongs to
            another seed.
    """
    if num_screens < 1:
        raise DataError(f"num_screens is {num_screens}: give at least 1")
    folder = Path(out_dir)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    renderer: Renderer | None = None
    try:
        for start in range(0, num_screens, SHARD_ROWS):
            count = min(SHARD_ROWS, num_screens - start)
            path = folder / f"screens-{start // SHARD_ROWS:05d}.parquet"
            paths.append(path)
            if not _is_done(path, count, _screen_seed(seed, start)):
                if renderer is None:
                    renderer = Renderer(chromium).__enter__()
                _write_shard(path, renderer, kind, seed, start, count, progress, num_screens)
            if progress is not None:
                progress(start + count, num_screens)
    finally:
        if renderer is not None:
            renderer.__exit__(None, None, None)
    return paths


def _screen_seed(seed: int, index: int) -> int:
    """Seed of one screen; far apart for different run seeds."""
    return (seed * 10_000_019 + index) & 0x7FFF_FFFF_FFFF


def _is_done(path: Path, count: int, first_seed: int) -> bool:
    """Whether the shard exists whole; a damaged or shorter one is rewritten."""
    if not path.exists():
        return False
    try:
        table = pq.read_table(path, columns=["seed"])
    except (pa.ArrowException, OSError):
        return False
    if table.num_rows == 0:
        return False
    found = table.column("seed")[0].as_py()
    if found != first_seed:
        raise DataError(
            f"{path}: shard starts with screen seed {found}, expected {first_seed}; "
            "it belongs to another run: choose another folder or the same seed"
        )
    return bool(table.num_rows == count)


def _write_shard(
    path: Path,
    renderer: Renderer,
    kind: ScreenKind,
    seed: int,
    start: int,
    count: int,
    progress: Callable[[int, int], None] | None,
    num_screens: int,
) -> None:
    """Renders one shard and moves it into place when it is whole."""
    rows: list[dict[str, Any]] = []
    for low in range(start, start + count, renderer.batch_size):
        high = min(low + renderer.batch_size, start + count)
        pages = [_DRAW[kind](_screen_seed(seed, index)) for index in range(low, high)]
        for page, rendered in zip(pages, renderer.render(pages), strict=True):
            rows.append(_row(make_screen(page, rendered)))
        if progress is not None:
            progress(high, num_screens)
    partial = path.with_suffix(f".tmp{os.getpid()}")
    table = pa.Table.from_pylist(rows, schema=SCHEMA)
    table = table.replace_schema_metadata({"coepg_synth_version": FORMAT_VERSION})
    pq.write_table(table, partial, compression="zstd", row_group_size=500)
    os.replace(partial, path)


def make_screen(page: Page, rendered: Rendered) -> SynthScreen:
    """Joins a page and its rendering: elements, expressions and samples."""
    bare = []
    for found in rendered.measured:
        node = page.nodes[found.key]
        bare.append(
            ScreenElement(
                element_id=node.key,
                role=node.role,
                name=node.name,
                box_px=found.box_px,
                color=node.color,
                shape=node.shape,
                size=node.size,
                value=node.value,
                checked=node.checked,
                clickable=node.clickable,
                label_box_px=found.label_box_px,
            )
        )
    partial = frozenset({"option", "list item"}) if page.stage.scrollable else frozenset()
    elements = [
        replace(element, expressions=tuple(describe(element, bare, partial))) for element in bare
    ]
    tasks = build_tasks(page, elements)
    buffer = io.BytesIO()
    rendered.image.save(buffer, "PNG", optimize=True)
    return SynthScreen(
        screen_id=f"synth-{page.seed}",
        seed=page.seed,
        png=buffer.getvalue(),
        width=SCREEN_SIZE_PX,
        height=SCREEN_SIZE_PX,
        elements=tuple(elements),
        tasks=tuple(tasks),
    )


def _row(screen: SynthScreen) -> dict[str, Any]:
    return asdict(screen)


def load_shard(path: str | Path) -> list[SynthScreen]:
    """Reads one shard whole.

    Raises:
        DataError: The file is missing, damaged or of another layout.
    """
    return list(_iterate(Path(path)))


def read_screens(folder: str | Path) -> Iterator[SynthScreen]:
    """Streams the screens of all shards of a folder in order.

    Raises:
        DataError: The folder has no shards, or a shard is damaged.
    """
    paths = sorted(Path(folder).glob("screens-*.parquet"))
    if not paths:
        raise DataError(f"{folder}: no screens-*.parquet files; write some with write_screens")
    for path in paths:
        yield from _iterate(path)


def _iterate(path: Path) -> Iterator[SynthScreen]:
    try:
        with pq.ParquetFile(path) as file:
            if file.schema_arrow.remove_metadata() != SCHEMA:
                raise DataError(
                    f"{path}: columns {file.schema_arrow.names} are not those of synthetic "
                    "screens; write the shard again"
                )
            for batch in file.iter_batches(batch_size=200):
                for row in batch.to_pylist():
                    yield _screen(row)
    except (pa.ArrowException, OSError) as error:
        raise DataError(
            f"{path}: damaged or unreadable shard ({error}); delete it and write it again"
        ) from error


def _box(values: list[int]) -> Box:
    left, top, right, bottom = values
    return left, top, right, bottom


def _screen(row: dict[str, Any]) -> SynthScreen:
    """One row as a frozen screen, with its image header checked."""
    elements = tuple(
        ScreenElement(
            **{
                **element,
                "box_px": _box(element["box_px"]),
                "label_box_px": _box(element["label_box_px"]) if element["label_box_px"] else None,
                "expressions": tuple(element["expressions"]),
            }
        )
        for element in row["elements"]
    )
    tasks = tuple(
        ScreenTask(**{**task, "history": tuple(task["history"])}) for task in row["tasks"]
    )
    return SynthScreen(**{**row, "elements": elements, "tasks": tasks})


def open_image(screen: SynthScreen) -> Image.Image:
    """The screen's picture as an RGB image."""
    return Image.open(io.BytesIO(screen.png)).convert("RGB")
