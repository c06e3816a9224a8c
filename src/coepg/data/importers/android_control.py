"""AndroidControl as published: GZIP TFRecords, one episode a record.

Points (``x``, ``y``) and the boxes of the accessibility trees are pixels of the screenshot;
``scroll`` names the direction of the content ("down" shows what is below), as in a step. The
picture is the one before the action; the last picture has no action, and no terminal action is
stored or added. Source: google-research/google-research, android_control/README.md.

The target of a point is the smallest visible node that holds it. ``input_text`` names no place:
the editable node that has the focus is its target, else the whole screen.

``splits.json`` and ``test_subsplits.json`` beside the records give the split and the tag
``subsplits``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from coepg.data.crop import screenshot_of
from coepg.data.importers.a11y_forest import Node, forest_nodes
from coepg.data.importers.acts import (
    Act,
    Place,
    act_anywhere,
    act_at,
    step_of,
    unknown_action,
    value_or_none,
)
from coepg.data.importers.base import Imported, ImportOptions, Record, SourceFormat
from coepg.data.importers.elements import screen_texts
from coepg.data.importers.fields import field_text, numbers
from coepg.data.importers.gestures import OPPOSITE
from coepg.data.importers.json_document import split_of_episodes
from coepg.data.importers.tfrecord import Example, iter_frames
from coepg.errors import DataError
from coepg.types import Point, Size, TextSource

FILES = "android_control*"
_PLAIN = {"navigate_home": "navigate_home", "navigate_back": "navigate_back", "wait": "wait"}
_KNOWN = ("click", "long_press", "type", "scroll", "open_app", "input_text", *_PLAIN)


class AndroidControlImporter:
    """One episode a record; a folder of ``android_control-*`` files or one of them."""

    format = SourceFormat(
        name="android_control",
        title="AndroidControl",
        license="Apache-2.0",
        url="https://github.com/google-research/google-research/tree/master/android_control",
        box_unit="px",
        box_order="left_top_right_bottom",
        scroll="content",
        splits=("train", "validation", "test"),
    )

    def __init__(self, options: ImportOptions) -> None:
        options.checked(self.format)
        self.options = options
        self._splits: dict[str, tuple[str, ...]] = {}
        self._subsplits: dict[str, tuple[str, ...]] = {}

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The episodes, of the split that ``--split`` names if there is a list of splits."""
        folder = source if source.is_dir() else source.parent
        self._splits = _splits(folder / "splits.json")
        self._subsplits = _splits(folder / "test_subsplits.json")
        for path in record_files(source, FILES):
            for frame in iter_frames(path):
                if isinstance(frame, DataError):
                    yield frame
                    continue
                try:
                    example = Example(frame)
                    episode = str(example.one_int("episode_id"))
                except DataError as error:
                    yield error
                    continue
                split = self.options.split
                if split and self._splits and split not in self._splits.get(episode, ()):
                    continue
                yield Record(frame.where, (episode, example))

    def convert(self, record: Record) -> list[Imported]:
        """The steps of an episode."""
        episode, example = record.data
        where = f"{record.where}, episode {episode}"
        pictures = example.byte_strings("screenshots")
        forests = example.byte_strings("accessibility_trees")
        actions = example.texts("actions")
        told = example.texts("step_instructions")
        if not len(actions) == len(told) == len(pictures) - 1 == len(forests) - 1:
            raise DataError(
                f"{where}: lengths",
                found=f"{len(actions)} actions, {len(told)} step instructions, {len(pictures)} "
                f"screenshots, {len(forests)} accessibility trees",
                expected="one screenshot and tree more than actions, and an instruction for each",
                fix="check --format; or set the episode aside with --keep-going",
            )
        steps: list[Imported] = []
        history: tuple[str, ...] = ()
        split, tags = self._split(episode, where)
        for k, (action, words) in enumerate(zip(actions, told, strict=True)):
            here = f"{where}, step {k}"
            shot = screenshot_of(pictures[k], here)
            nodes = forest_nodes(forests[k], shot.size, here)
            act = _act(_action(action, here), nodes, shot.size, here)
            place = Place(
                episode, k, len(actions), split, "android_control", example.one_text("goal"),
                step_instruction=words, history=history, tags=tags,
            )  # fmt: skip
            texts = screen_texts((n.element for n in nodes), TextSource.A11Y)
            steps.append(Imported(step_of(act, place, shot, texts), pictures[k]))
            history = (*history, act.history_line)
        return steps

    def _split(self, episode: str, where: str) -> tuple[str, dict[str, str]]:
        if not self._splits:
            return self.options.split or "train", {}
        if episode not in self._splits:
            raise DataError(
                f"{where}: split",
                found="an episode that splits.json does not name",
                expected="an episode of the list of splits",
                fix="take the splits.json of this release, or move it away",
            )
        names = self._subsplits.get(episode, ())
        return self._splits[episode][0], {"subsplits": ",".join(names)} if names else {}


def record_files(source: Path, pattern: str) -> list[Path]:
    """A file itself, or the files of a folder whose names fit, in order.

    Raises:
        DataError: a folder without such files.
    """
    if not source.is_dir():
        return [source]
    found = sorted(p for p in source.glob(pattern) if p.is_file() and p.suffix != ".json")
    if not found:
        raise DataError(
            f"{source}: no records",
            found=f"no files {pattern}",
            expected="the TFRecord files",
            fix="check the folder, or name one file",
        )
    return found


def _splits(path: Path) -> dict[str, tuple[str, ...]]:
    return split_of_episodes(path) if path.exists() else {}


def _action(text: str, where: str) -> Mapping[str, Any]:
    try:
        action = json.loads(text)
    except ValueError:
        action = None
    if not isinstance(action, dict):
        raise DataError(
            f"{where}: action",
            found=repr(text[:200]),
            expected="a JSON object",
            fix="check --format; or set the episode aside with --keep-going",
        )
    return action


def _act(action: Mapping[str, Any], nodes: list[Node], size: Size, where: str) -> Act:
    kind = action.get("action_type")
    if kind in _PLAIN:
        return Act(_PLAIN[str(kind)])
    if kind in ("click", "long_press", "type"):
        x, y = numbers([action.get("x"), action.get("y")], 2, "x, y", where)
        elements = [n.element for n in nodes]
        value = field_text(action, "text", where) if kind == "type" else None
        return act_at(str(kind), Point(x, y), size, elements, "a11y", where, value)
    if kind == "input_text":
        return _typed(field_text(action, "text", where), nodes, size)
    if kind == "open_app":
        return Act("open_app", value_or_none(field_text(action, "app_name", where)))
    if kind == "scroll":
        direction = field_text(action, "direction", where)
        if direction not in OPPOSITE:
            raise unknown_action(f"scroll {direction}", OPPOSITE, where)
        return Act("scroll", direction)
    raise unknown_action(kind, _KNOWN, where)


def _typed(text: str, nodes: list[Node], size: Size) -> Act:
    field = next((n.element for n in nodes if n.is_editable_focus), None)
    if field is None:
        return act_anywhere("type", text, size)
    return Act("type", text, field.box_px, "a11y", role=field.role, name=field.name)
