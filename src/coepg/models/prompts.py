"""What planners, grounders, describers and end-to-end agents are asked.

One picture per prompt, always before the text, so that all questions on one screen share the
picture as a prefix. The wording depends on the profile: a few characters for the tiny models,
which are trained on exactly this form, full instructions for real ones.

The paper's own prompts are not published; the wording follows its figures (plan = a referring
expression; type words in lower case; numbered history) and the planners of the code that it
builds on (notes in docs/concepts/co-epg.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from coepg.models.answers import format_loc
from coepg.models.profile import ModelProfile
from coepg.types import ACTION_CLASSES, Frame, Point, Step
from coepg.types.screen import ScreenText


@dataclass(frozen=True, slots=True)
class Prompt:
    """A chat prompt with one picture in front of the user's text."""

    user: str
    system: str = ""


WEB_ACTIONS = ("click", "type", "select", "scroll", "press", "double_click", "right_click", "hover")
"""The action kinds offered to a real planner on web pages."""


def history_lines(step: Step, max_steps: int) -> list[str]:
    """The last ``max_steps`` actions, numbered from the first action of the episode."""
    numbered = [f"{i}. {entry}" for i, entry in enumerate(step.history, start=1)]
    return numbered[-max_steps:] if max_steps else []


def screen_text_block(
    texts: Sequence[ScreenText], frame: Frame, source: str, max_items: int
) -> str:
    """The first ``max_items`` texts of a source as ``text (x, y)`` lines on a 0..1000 grid."""
    if source == "none":
        return ""
    rows = []
    for item in texts:
        if item.source.value != source:
            continue
        center = item.box_px.center
        x = round(1000 * center.x / frame.image.width)
        y = round(1000 * center.y / frame.image.height)
        rows.append(f"{item.text} ({x}, {y})")
    return "\n".join(rows[:max_items])


def planner_prompt(
    profile: ModelProfile,
    step: Step,
    *,
    history_max_steps: int = 8,
    screen_text: str = "none",
    max_screen_text_items: int = 40,
) -> Prompt:
    """Task, history and optionally screen text -> plan, type, value."""
    history = history_lines(step, history_max_steps)
    text = screen_text_block(
        step.screen_text, profile.frame(step.screenshot.size), screen_text, max_screen_text_items
    )
    if profile.prompt_style == "tiny":
        rows = [f"plan: {step.instruction}", *history]
        return Prompt("\n".join(rows + ([f"screen:\n{text}"] if text else [])))
    rows = [
        f"Task: {step.instruction}",
        "Actions so far:",
        *(history or ["none"]),
        *(["Text on the screen, with its place on a 0..1000 grid:", text] if text else []),
        "What is the next single action? Answer with the three tags only.",
    ]
    return Prompt("\n".join(rows), system=_PLANNER_SYSTEM)


def grounder_prompt(profile: ModelProfile, element: str) -> Prompt:
    """A referring expression -> a point."""
    if profile.prompt_style == "tiny":
        return Prompt(f"find: {element}")
    unit = (
        "integer pixels of this picture"
        if profile.name == "qwen2_5_vl"
        else "integers from 0 to 1000 of its width and height"
    )
    return Prompt(
        f"Where is this element: {element}\n"
        f"Answer with one point (x, y), in {unit}, and nothing else."
    )


def describer_prompt(profile: ModelProfile, frame: Frame, point: Point) -> Prompt:
    """A point -> a referring expression (used to bootstrap plans from the gold element)."""
    if profile.prompt_style == "tiny":
        return Prompt(f"describe: {format_loc(frame.convert(point, profile.point_space))}")
    there = frame.convert(point, profile.point_space)
    return Prompt(
        f"Describe the element at ({round(there.x)}, {round(there.y)}) so that somebody who sees "
        "the picture finds it and no other: its kind, its visible text, and its place or "
        "neighbours if these are not enough. Answer in at most 30 words inside <plan></plan>."
    )


def actor_prompt(
    profile: ModelProfile,
    step: Step,
    *,
    history_max_steps: int = 8,
    screen_text: str = "none",
    max_screen_text_items: int = 40,
) -> Prompt:
    """What the planner sees -> type, value and point at once (the end-to-end baseline)."""
    history = history_lines(step, history_max_steps)
    text = screen_text_block(
        step.screen_text, profile.frame(step.screenshot.size), screen_text, max_screen_text_items
    )
    if profile.prompt_style == "tiny":
        rows = [f"act: {step.instruction}", *history]
        return Prompt("\n".join(rows + ([f"screen:\n{text}"] if text else [])))
    rows = [f"Task: {step.instruction}", "Actions so far:", *(history or ["none"])]
    if text:
        rows += ["Text on the screen, with its place on a 0..1000 grid:", text]
    rows.append("What is the next single action? Answer <type>..</type><value>..</value>(x, y).")
    return Prompt("\n".join(rows), system=_PLANNER_SYSTEM)


def _action_lines() -> str:
    lines = []
    for kind in WEB_ACTIONS:
        cls = ACTION_CLASSES[kind]
        value = f" value: {cls.value_field}." if cls.value_field else " value: None."
        lines.append(f"- {kind}: {(cls.__doc__ or '').splitlines()[0]}{value}")
    return "\n".join(lines)


_PLANNER_SYSTEM = (
    "You operate a graphical user interface for a user, one action at a time. Look at the "
    "screenshot and answer with\n"
    "<plan>a description of the one element to act on: kind, visible text, place</plan> "
    "<type>the action</type> <value>its value or None</value>\n"
    "The plan names exactly one element that is visible now; write None if the action has no "
    "target. Actions:\n" + _action_lines()
)
