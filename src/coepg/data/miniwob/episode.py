"""Recording one episode: look, note the gold action, carry it out, and ask the page at the end."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace

from coepg.data.miniwob.environment import PICTURE, PICTURE_TOP_PX, VIEWPORT, MiniwobPage
from coepg.data.miniwob.gold import Demonstrator, GoldAction, SkipEpisode
from coepg.data.miniwob.page_scripts import SCREEN_TEXT
from coepg.types import (
    Box,
    Episode,
    Screenshot,
    ScreenText,
    Step,
    TextSource,
    content_hash,
    has_target,
)

MAX_STEPS = 16
MIN_SHARE = 0.3
"""A target of which less can be seen is not shown to a grounder."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What came of one seed.

    Attributes:
        outcome: ``kept``, ``skipped`` (no clean demonstration), ``failed`` (no reward) or
            ``duplicate`` (starts with the picture and instruction of an earlier episode).
        reason: why it was not kept.
        episode: the steps, if kept.
        images: the pictures of the steps, by hash.
    """

    outcome: str
    reason: str = ""
    episode: Episode | None = None
    images: Mapping[str, bytes] = field(default_factory=dict)


def record_episode(
    screen: MiniwobPage,
    demonstrate: Demonstrator,
    task_name: str,
    split: str,
    seed: int,
    seen: Container[str] = (),
) -> Recording:
    """Record one episode. It is kept only if the page itself gives a raw reward above 0.

    Args:
        screen: the page to record on.
        demonstrate: the task's demonstrator.
        task_name: the task.
        split: the split that the steps are to belong to.
        seed: what the page draws the episode from.
        seen: `start_key` of the episodes that there are already.

    Raises:
        InfrastructureError: the page did not come up.
    """
    screen.reset(task_name, seed)
    steps: list[Step] = []
    images: dict[str, bytes] = {}
    history: list[str] = []
    try:
        for action in demonstrate(screen):
            if screen.done:
                return Recording("failed", f"over after {len(steps)} steps, before the last action")
            if len(steps) >= MAX_STEPS:
                raise SkipEpisode("too long")
            png = screen.picture_png()
            box_px = _target_box(screen, action)
            step = _step(screen, action, box_px, png, split, seed, tuple(history))
            if not steps and start_key(step) in seen:
                return Recording("duplicate", "starts as an earlier episode")
            steps.append(step)
            images[step.screenshot.image_hash] = png
            history.append(action.history_line)
            screen.act(action, box_px)
    except SkipEpisode as skip:
        return Recording("skipped", str(skip))
    if not (screen.done and screen.reward > 0):
        said = f"reward {screen.reward:g}" if screen.done else "not over"
        return Recording("failed", f"{said} after {len(steps)} steps")
    numbered = tuple(replace(step, num_steps=len(steps)) for step in steps)
    return Recording("kept", "", Episode(numbered[0].episode_id, numbered), images)


def start_key(step: Step) -> str:
    """What two episodes share if they start alike: picture and instruction."""
    return f"{step.screenshot.image_hash} {step.instruction}"


def _target_box(screen: MiniwobPage, action: GoldAction) -> Box | None:
    if not has_target(action.kind):
        return None
    seen = screen.visible_box(action.element)
    if seen is None or seen.share < MIN_SHARE:
        raise SkipEpisode(f"{action.target_repr} is out of the picture")
    return seen.box_px


def _step(
    screen: MiniwobPage,
    action: GoldAction,
    box_px: Box | None,
    png: bytes,
    split: str,
    seed: int,
    history: tuple[str, ...],
) -> Step:
    episode_id = f"{screen.task_name}/{seed}"
    return Step(
        step_id=f"{episode_id}/{len(history)}",
        episode_id=episode_id,
        task_name=screen.task_name,
        split=split,
        step_index=len(history),
        num_steps=0,
        instruction=screen.instruction,
        history=history,
        screenshot=Screenshot(content_hash(png), PICTURE),
        action_type=action.kind,
        value=action.value,
        target_box_px=box_px,
        target_repr=action.target_repr,
        seed=seed,
        screen_text=page_text(screen),
    )


def page_text(screen: MiniwobPage) -> tuple[ScreenText, ...]:
    """The visible pieces of text, as the page's own tree has them."""
    pieces = screen.js(SCREEN_TEXT, [PICTURE.width, PICTURE_TOP_PX, VIEWPORT.height])
    return tuple(
        ScreenText(piece["text"], Box(*piece["box"]), TextSource.DOM, piece["role"])
        for piece in pieces
    )
