"""Planner samples of a rendered screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coepg.synth.describe import reading_order
from coepg.synth.icons import ICON_PURPOSES
from coepg.synth.page import Page
from coepg.synth.stage import Script, Stage
from coepg.synth.types import ScreenElement, ScreenTask
from coepg.synth.vocabulary import listed

MAX_TASKS = 5

_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_TEXT_ROLES = frozenset(
    listed(
        "button|link|checkbox|tab|cell|option|folder|radio button|menu item|list item|"
        "section header",
        "|",
    )
)


def build_tasks(page: Page, elements: Sequence[ScreenElement]) -> list[ScreenTask]:
    """Two to five samples where the screen allows that many.

    Args:
        page: The page as rendered, with its script and step.
        elements: Visible elements; element_id equals the node's key.

    Returns:
        Samples whose element is visible.
    """
    rng = page.stage.rng
    shown = {element.element_id: element for element in elements}
    tasks: list[ScreenTask] = []
    if page.script is not None:
        tasks += _script_sample(page.script, page.step, shown)
    if page.step == 0:
        for script in page.stage.scripts:
            if script is not page.script:
                tasks += _script_sample(script, 0, shown)
    wanted = max(len(tasks) + (rng.random() < 0.4), 2)
    makers = list(_MAKERS)
    attempts = 0
    while len(tasks) < wanted and attempts < 12 and elements:
        attempts += 1
        maker = rng.choice(makers)
        task = maker(page.stage, elements)
        if task is not None and all(
            (task.instruction, task.history) != (old.instruction, old.history) for old in tasks
        ):
            tasks.append(task)
    return tasks[:MAX_TASKS]


def _script_sample(script: Script, step: int, shown: dict[int, ScreenElement]) -> list[ScreenTask]:
    """Sample for one step of a script; empty if its element is not visible."""
    now = script.steps[step]
    target = None if now.node is None else now.node.key
    if target is not None and target not in shown:
        return []
    history = tuple(done.history_line for done in script.steps[:step])
    return [ScreenTask(script.instruction, history, target, now.action, now.value, script.kind)]


def _click(instruction: str, element: ScreenElement, kind: str) -> ScreenTask:
    return ScreenTask(instruction, (), element.element_id, "click", None, kind)


def _unique_name(element: ScreenElement, elements: Sequence[ScreenElement]) -> bool:
    name = element.name.casefold()
    texts = [e.name.casefold() for e in elements] + [e.value.casefold() for e in elements]
    return bool(name) and texts.count(name) == 1


def _by_text(stage: Stage, elements: Sequence[ScreenElement]) -> ScreenTask | None:
    fits = [e for e in elements if e.role in _TEXT_ROLES and e.clickable]
    fits = [e for e in fits if _unique_name(e, elements)]
    if not fits:
        return None
    element = stage.rng.choice(fits)
    return _click(stage.phrases.say("click_text", qx=element.name), element, "click_text")


def _by_role(stage: Stage, elements: Sequence[ScreenElement]) -> ScreenTask | None:
    fits = [e for e in elements if e.role in _TEXT_ROLES and e.clickable and e.name]
    fits = [
        e
        for e in fits
        if sum(o.role == e.role and o.name.casefold() == e.name.casefold() for o in elements) == 1
    ]
    if not fits:
        return None
    element = stage.rng.choice(fits)
    text = stage.phrases.say("click_role", qx=element.name, role=element.role)
    return _click(text, element, "click_role")


def _by_expression(stage: Stage, elements: Sequence[ScreenElement]) -> ScreenTask | None:
    """Click told by any referring expression, such as `trash icon right of "Ann"`."""
    fits = [e for e in elements if e.clickable and e.expressions]
    if not fits:
        return None
    element = stage.rng.choice(fits)
    phrase = stage.rng.choice(element.expressions)
    if phrase.startswith('"'):
        return None
    if element.role in ("text field", "password field", "text area"):
        if stage.rng.random() < 0.5:
            return None
        return _click(stage.phrases.say("focus", x=phrase), element, "focus")
    kind = "shape" if element.role == "shape" else "click_phrase"
    return _click(stage.phrases.say(kind, x=phrase), element, kind)


def _by_icon(stage: Stage, elements: Sequence[ScreenElement]) -> ScreenTask | None:
    names = [e.name for e in elements if e.role == "icon"]
    fits = [e for e in elements if e.role == "icon" and names.count(e.name) == 1]
    if not fits:
        return None
    element = stage.rng.choice(fits)
    if element.name in ICON_PURPOSES and stage.rng.random() < 0.5:
        purpose = stage.rng.choice(ICON_PURPOSES[element.name])
        text = stage.phrases.say("icon_purpose", x=purpose)
        return _click(text[:1].upper() + text[1:], element, "icon_purpose")
    return _click(stage.phrases.say("icon", x=element.name), element, "icon")


def _by_order(stage: Stage, elements: Sequence[ScreenElement]) -> ScreenTask | None:
    roles = [e.role for e in elements if e.clickable and e.role not in ("shape", "icon", "swatch")]
    if stage.scrollable:
        roles = [role for role in roles if role not in ("option", "list item")]
    many = sorted({role for role in roles if 2 <= roles.count(role) <= len(_WORDS)})
    if not many:
        return None
    role = stage.rng.choice(many)
    line = reading_order([e for e in elements if e.role == role and e.clickable])
    index = stage.rng.randrange(len(line))
    if index == len(line) - 1 and stage.rng.random() < 0.5:
        return _click(stage.phrases.say("last", role=role), line[-1], "nth")
    text = stage.phrases.say("nth", n=_WORDS[index], m=str(index + 1), role=role)
    return _click(text, line[index], "nth")


def _type_in_field(stage: Stage, elements: Sequence[ScreenElement]) -> ScreenTask | None:
    fields = [e for e in elements if e.role in ("text field", "text area", "password field")]
    if not fields:
        return None
    element = stage.rng.choice(fields)
    value = stage.words.value_for(element.name)
    if element.name and sum(e.name == element.name for e in elements) == 1:
        slots = {"f": element.name, "qf": element.name, "v": value, "qv": value}
        text = stage.phrases.say("type_field", **slots)
    elif len(fields) == 1:
        text = stage.phrases.say("type_only", qv=value, role=element.role)
    else:
        return None
    return ScreenTask(text, (), element.element_id, "type", value, "type_field")


_Maker = Callable[[Stage, Sequence[ScreenElement]], ScreenTask | None]

_MAKERS: tuple[_Maker, ...] = (
    _by_text,
    _by_text,
    _by_role,
    _by_expression,
    _by_expression,
    _by_icon,
    _by_order,
    _type_in_field,
    _type_in_field,
)
