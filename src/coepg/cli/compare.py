"""``coepg compare``: runs side by side on the same steps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders, evaluation stages, or .jsonl, .json, .parquet files with a row a "
            "step. Each is compared with the first.",
            metavar="RUN...",
        ),
    ],
    metric: Annotated[
        list[str] | None, typer.Option(help="Only this metric; may be given again.")
    ] = None,
    split: Annotated[
        list[str] | None, typer.Option(help="Only this split; may be given again.")
    ] = None,
    common_only: Annotated[
        bool, typer.Option("--common-only", help="Compare the shared steps if the steps differ.")
    ] = False,
    reference: Annotated[
        str | None, typer.Option(help="Also list the published numbers of this benchmark.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the resampling.")] = 0,
    json_: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare runs step by step, with intervals of the differences and paired tests."""
    from coepg.evaluate.compare import compare_runs, comparison_lines
    from coepg.evaluate.reference import reference_rows
    from coepg.evaluate.step_scores import read_step_scores

    published = reference_rows(reference) if reference is not None else ()
    labels = _labels(runs)
    comparison = compare_runs(
        [read_step_scores(path, label) for path, label in zip(runs, labels, strict=True)],
        metrics=metric or (),
        splits=split or (),
        common_only=common_only,
        seed=seed,
    )
    if json_:
        import json
        from dataclasses import asdict

        numbers = {
            "rows": [asdict(row) for row in comparison.rows],
            "notes": comparison.notes,
            "reference": [{**asdict(r), "comparison": r.comparison_note()} for r in published],
        }
        typer.echo(json.dumps(numbers, indent=2, ensure_ascii=False))
        return
    for note in comparison.notes:
        if note.startswith("WARNING"):
            typer.echo(note, err=True)
    typer.echo("\n".join(comparison_lines(comparison)))
    if published:
        typer.echo(f"\npublished numbers of {reference}")
        for r in published:
            typer.echo(f"{r.split:<18} {r.metric:<13} {r.value:7.4f}  {r.model} ({r.source})")
        for text in dict.fromkeys(f"{r.source}: {r.comparison_note()}" for r in published):
            typer.echo(text)


def _labels(runs: list[Path]) -> list[str]:
    """The last part of each path, or the whole path where those are not all different."""
    names = [path.name for path in runs]
    return names if len(set(names)) == len(names) and all(names) else [str(path) for path in runs]
