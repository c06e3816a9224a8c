"""``coepg data check`` and ``coepg data show``: look before a GPU is paid for."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from coepg.data.checks.finding import Finding
    from coepg.data.checks.targets import ModelResize
    from coepg.data.table import StepTable
    from coepg.types import Size, Step


class PlatformChoice(str, Enum):
    """Where the actions are to be carried out."""

    WEB = "web"
    MOBILE = "mobile"
    DESKTOP = "desktop"


Dataset = Annotated[str, typer.Argument(help="A shipped dataset's name, or a folder.")]


def check(
    dataset: Dataset,
    profile: Annotated[
        list[str] | None,
        typer.Option(help="Model profile whose resize and tokens count; may be given again."),
    ] = None,
    platform: Annotated[
        PlatformChoice | None,
        typer.Option(help="Platform of the actions; without it, what each step says of itself."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write one page with the examples drawn.")
    ] = None,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    decode: Annotated[
        bool, typer.Option(help="Decode the pictures: damage, and near-equal ones in the test.")
    ] = True,
) -> None:
    """Say what would go wrong later: wrong boxes, tiny targets, token costs, leaks into the test.

    Exit code 1 when there are errors.
    """
    from coepg.cli.data_options import dataset_folder
    from coepg.data.checks.run import check_dataset
    from coepg.data.table import StepTable

    table = StepTable.open(dataset_folder(dataset))
    models = [model_resize(name) for name in profile or ["qwen2_5_vl", "qwen3_vl"]]
    found = check_dataset(
        table,
        models,
        platform=None if platform is None else platform.value,
        decode_pictures=decode,
        progress=_progress,
    )
    if html is not None:
        from coepg.view.check_page import render_check_page

        html.parent.mkdir(parents=True, exist_ok=True)
        page = render_check_page(table, found, models[0].resize, models[0].name)
        html.write_text(page, encoding="utf-8")
    num_errors = sum(f.severity == "error" for f in found)
    if json_:
        import json

        values = {"dataset": str(table.path), "findings": [f.as_dict() for f in found]}
        typer.echo(json.dumps(values, indent=2, ensure_ascii=False))
    else:
        typer.echo("\n".join(finding_lines(found)))
        if html is not None:
            typer.echo(f"wrote {html}")
    if num_errors:
        raise typer.Exit(1)


def show(
    dataset: Dataset,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    step: Annotated[str | None, typer.Option(help="Only the step of this name.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="At most this many steps.")] = 3,
    png: Annotated[
        Path | None, typer.Option(help="Save the first one's picture with its labels drawn.")
    ] = None,
) -> None:
    """Print steps as text, and draw the labels of one on its picture."""
    from coepg.cli.data_options import dataset_folder
    from coepg.data.drawing import draw_labels
    from coepg.data.table import StepTable
    from coepg.errors import DataError

    table = StepTable.open(dataset_folder(dataset))
    shown = 0
    for found in _steps(table, split):
        if step is not None and found.step_id != step:
            continue
        if png is not None and not shown:
            png.parent.mkdir(parents=True, exist_ok=True)
            drawn = draw_labels(table.image(found.screenshot.image_hash), found, width_px=4)
            drawn.save(png, "PNG")
        typer.echo("\n".join(step_lines(found)) + "\n")
        shown += 1
        if shown == limit:
            break
    if not shown:
        raise DataError(
            f"{table.path}: step {step!r}",
            found="no such step" + (f" in split {split}" if split else ""),
            expected="a step_id of this dataset",
            fix="print some: coepg data show " + dataset,
        )
    if png is not None:
        typer.echo(f"wrote {png}")


def model_resize(name: str) -> ModelResize:
    """What the checks need of a model profile.

    Raises:
        ModelError: no such profile.
    """
    from coepg.data.checks.targets import ModelResize
    from coepg.errors import ModelError
    from coepg.models.profile import get_profile

    profile = get_profile(name)

    def resize(size: Size) -> Size | None:
        try:
            return profile.frame(size).model
        except ModelError:
            return None

    return ModelResize(name, resize, profile.num_image_tokens)


def finding_lines(findings: list[Finding]) -> list[str]:
    """The findings for people."""
    lines = []
    for finding in findings:
        lines.append(
            f"{finding.severity + ':':<9}{finding.check} ({finding.count} of {finding.total})"
        )
        lines.append(f"         {finding.text}")
        lines += [f"         - {e.split} {e.step_id}: {e.detail}" for e in finding.examples[:3]]
        if len(finding.examples) > 3:
            lines.append("         - ... (more with --json or --html)")
        if finding.fix:
            lines.append(f"         to do: {finding.fix}")
    counts = [
        f"{sum(f.severity == kind for f in findings)} {kind}s" for kind in ("error", "warning")
    ]
    return [*lines, ", ".join(counts)]


def step_lines(step: Step) -> list[str]:
    """A step for people."""
    box = step.target_box_px
    rows = [
        ("step", f"{step.step_id} ({step.split}, {step.step_index + 1} of {step.num_steps})"),
        ("task", step.instruction),
        ("this step", step.step_instruction),
        ("history", "; ".join(step.history)),
        ("picture", f"{step.screenshot.size.width} x {step.screenshot.size.height} px, "
         f"{step.screenshot.image_hash[:12]}"),
        ("action", step.action_type + (f": {step.value}" if step.value is not None else "")),
        ("target", step.target_repr or step.target_expression),
        ("box", "" if box is None else ", ".join(f"{v:g}" for v in box.as_tuple())),
        ("also right", f"{len(step.alternative_boxes_px)} boxes" * bool(step.alternative_boxes_px)),
        ("point", "" if step.target_point_px is None
         else f"{step.target_point_px.x:g}, {step.target_point_px.y:g}"),
        ("tags", ", ".join(f"{key}={value}" for key, value in step.tags.items())),
    ]  # fmt: skip
    return [f"{name + ':':<12}{text}" for name, text in rows if text]


def _steps(table: StepTable, split: str | None) -> Iterator[Step]:
    for name in [split] if split is not None else table.splits:
        yield from table.iter_steps(name)


def _progress(split: str, number: int) -> None:
    if (number + 1) % 1000 == 0 and sys.stderr.isatty():
        typer.echo(f"{split}: {number + 1} steps", err=True)
