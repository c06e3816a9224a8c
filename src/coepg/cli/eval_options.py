"""The options of ``coepg eval``."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class ScreenText(str, Enum):
    """Sources of screen text."""

    NONE = "none"
    OCR = "ocr"
    DOM = "dom"
    A11Y = "a11y"


Dataset = Annotated[str | None, typer.Argument(help="A shipped dataset's name, or a folder.")]
Out = Annotated[Path | None, typer.Option(help="Folder of the evaluation of an agent.")]
PlannerModel = Annotated[
    str | None, typer.Option(help="Planner: shipped name, model folder, or http://host/v1::name.")
]
GrounderModel = Annotated[
    str | None, typer.Option(help="Grounder: likewise, or ocr. Alone: it is told what to find.")
]
ActorModel = Annotated[
    str | None, typer.Option(help="End-to-end model instead of planner and grounder.")
]
Splits = Annotated[
    list[str] | None, typer.Option(help="Split to score; may be given again; default all.")
]
MaxSteps = Annotated[
    int | None, typer.Option(min=1, help="Steps of each split, in whole episodes.")
]
MaxCompletionTokens = Annotated[int, typer.Option(min=1, help="Longest answer, in tokens.")]
NumSampledPlans = Annotated[
    int, typer.Option(min=0, help="Plans sampled per step for purity and diversity.")
]
ScreenTextOption = Annotated[
    ScreenText, typer.Option(help="Text that the planner is shown besides the picture.")
]
BatchSize = Annotated[int, typer.Option(min=1, help="Screens at a time.")]
Predictions = Annotated[Path | None, typer.Option(help="Result file that another script wrote.")]
Format = Annotated[
    str | None, typer.Option("--format", help="Format of the result file; see --formats.")
]
Gold = Annotated[
    Path | None, typer.Option(help="Gold data, for formats whose files do not hold it.")
]
FormatOptions = Annotated[
    list[str] | None, typer.Option(help="Setting of one format, key=value; may be given again.")
]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write the report to this file as JSON, too.")
]
Seed = Annotated[int, typer.Option(min=0, help="Of samples and intervals.")]
ListFormats = Annotated[bool, typer.Option("--formats", help="List the formats and stop.")]
