"""Steps of grounding sets: one picture, one instruction, one box, no episode."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from coepg.errors import DataError
from coepg.types import Box, Point, Screenshot, Step

PLATFORMS = ("mobile", "desktop", "web")
"""What ScreenSpot's files are about, and named after."""


def grounding_step(
    name: str,
    *,
    task_name: str,
    split: str,
    instruction: str,
    shot: Screenshot,
    box: Box,
    tags: Mapping[str, str],
    alternatives: tuple[Box, ...] = (),
    point: Point | None = None,
) -> Step:
    """A click on the one thing that the instruction describes.

    Args:
        name: of the episode, which has this one step.
        task_name: family, for counts.
        split: of the dataset.
        instruction: is also the target's referring expression.
        shot: the picture.
        box: target, in pixels.
        tags: what else the source says; blanks are left out.
        alternatives: other boxes that are as right.
        point: the source's point, if it has one.
    """
    return Step(
        step_id=f"{name}/0",
        episode_id=name,
        task_name=task_name,
        split=split,
        step_index=0,
        num_steps=1,
        instruction=instruction,
        history=(),
        screenshot=shot,
        action_type="click",
        value=None,
        target_box_px=box,
        alternative_boxes_px=alternatives,
        target_point_px=point,
        target_expression=instruction,
        tags={key: value for key, value in tags.items() if value},
    )


def platform_of(name: str, chosen: str | None, where: str) -> str:
    """ScreenSpot's platform: as the user said, or the word in a file's name.

    Raises:
        DataError: neither says it.
    """
    words = {"mobile": "mobile", "desktop": "desktop", "pc": "desktop", "web": "web"}
    parts = Path(name).stem.lower().split("_")
    found = {words[part] for part in parts if part in words}
    if chosen is None and len(found) != 1:
        raise DataError(
            f"{where}: platform",
            found=f"the name {Path(name).name!r}",
            expected="a name with one of the words mobile, desktop (or pc), web",
            fix="say it with --option platform=mobile, desktop or web",
        )
    return chosen if chosen is not None else found.pop()
