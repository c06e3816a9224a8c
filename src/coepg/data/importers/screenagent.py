"""ScreenAgent: sessions of a remote desktop, one JSON file a turn, pictures in ``images``.

Positions are pixels of the video (``video_width`` x ``video_height``): ``mouse_position`` =
``{width: x, height: y}``; the test set also has a ``clickable_area`` of two corners. Turns that
plan or judge have no step. ``scroll_up`` turns the wheel up and so reveals what is above. Source:
niuzaisheng/ScreenAgent, client/action.py and client/base.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from coepg.data.crop import screenshot_of
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    LeftOut,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.boxes import POINT_TAG, box_px, point_box, point_px
from coepg.data.importers.desktop import FOCUS, Gesture, with_context
from coepg.data.importers.json_array import read_json
from coepg.data.importers.parquet_source import files_of
from coepg.data.importers.pictures import read_picture
from coepg.data.importers.pyautogui_calls import POINTING
from coepg.data.importers.values import field_of, numbers_of, text_of
from coepg.errors import DataError
from coepg.types import Box, Frame, Point, Screenshot, Size, Space, Step

WITHOUT_STEP = ("PlanAction", "EvaluateSubTaskAction")
BUTTONS = {
    ("click", "left"): "click",
    ("click", "right"): "right_click",
    ("double_click", "left"): "double_click",
    ("drag", "left"): "drag",
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a gesture stands in its session."""

    turn: dict[str, Any]
    folder: Path
    gesture: Gesture
    episode_id: str
    index: int
    num_steps: int
    history: tuple[str, ...]


class ScreenAgentImporter:
    """One step an action of mouse or keyboard; one episode a task of a session."""

    format: ClassVar[SourceFormat] = SourceFormat(
        name="screenagent",
        title="ScreenAgent",
        license="Apache-2.0",
        url="https://github.com/niuzaisheng/ScreenAgent",
        box_unit="px",
        box_order="x0y0x1y1",
        scroll="content",
        splits=("train", "test"),
        settings=(Setting("language", "the language of tasks", ("en", "zh"), "en"), FOCUS),
    )

    def __init__(self, options: ImportOptions) -> None:
        self.options = options
        settings = options.checked(self.format)
        self._language, self._focus = settings["language"], settings["focus"]

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The actions of the session's files, or of all sessions below the folder."""
        paths = [p for p in files_of(source, "*.json") if not p.stem.endswith("_neg_plan")]
        folders = sorted({path.parent for path in paths})
        for folder in folders:
            turns: list[tuple[Path, dict[str, Any]]] = []
            for path in (p for p in paths if p.parent == folder):
                try:
                    turns.append((path, _turn(path)))
                except DataError as error:
                    yield error
            for task in dict.fromkeys(turn["task_prompt"] for _, turn in turns):
                own = [(path, turn) for path, turn in turns if turn["task_prompt"] == task]
                try:
                    yield from self._places(folder, own)
                except DataError as error:
                    yield error

    def _places(self, folder: Path, turns: list[tuple[Path, dict[str, Any]]]) -> Iterator[Record]:
        found: list[tuple[Path, dict[str, Any], Gesture]] = []
        last: Gesture | None = None
        for path, turn in turns:
            actions = [a for a in turn["actions"] if _kind(a, path) not in WITHOUT_STEP]
            gestures = [_gesture(action, f"{path}, action {k}") for k, action in enumerate(actions)]
            for gesture in with_context(gestures, last, self._focus):
                found.append((path, turn, gesture))
                if gesture.kind in POINTING.values():
                    last = gesture
        history: tuple[str, ...] = ()
        episode = f"{folder.name}-{turns[0][0].stem}"
        for index, (path, turn, gesture) in enumerate(found):
            place = Place(turn, folder, gesture, episode, index, len(found), history)
            history = (*history, gesture.line())
            yield Record(f"{path}, action {index} of the session", place)

    def convert(self, record: Record) -> list[Imported | LeftOut]:
        """The step of an action, or why there is none."""
        place: Place = record.data
        where, gesture, turn = record.where, place.gesture, place.turn
        step_id = f"{place.episode_id}/{place.index}"
        split = self.options.split or "train"
        if gesture.kind is None:
            return [LeftOut(step_id, place.episode_id, split, gesture.reason)]
        folder = self.options.images or place.folder / "images"
        data = read_picture(folder, text_of(turn, "saved_image_name", where), where)
        shot = screenshot_of(data, where)
        video = Size(
            field_of(turn, "video_width", int, where), field_of(turn, "video_height", int, where)
        )
        frame = Frame(shot.size, device=video)
        box, tags = self._target(gesture, shot, frame, where)
        step = Step(
            step_id=step_id,
            episode_id=place.episode_id,
            task_name="screenagent",
            split=split,
            step_index=place.index,
            num_steps=place.num_steps,
            instruction=text_of(turn, f"task_prompt_{self._language}", where),
            history=place.history,
            screenshot=shot,
            action_type=gesture.kind,
            value=gesture.value,
            target_box_px=box,
            target_point_px=_moved(gesture.point, frame, where),
            end_point_px=_moved(gesture.end_point, frame, where),
            tags={"session_id": str(turn.get("session_id", ""))} | tags | gesture.tags,
        )
        return [Imported(step, data)]

    def _target(
        self, gesture: Gesture, shot: Screenshot, frame: Frame, where: str
    ) -> tuple[Box | None, dict[str, str]]:
        point = _moved(gesture.point, frame, where)
        if point is None or gesture.kind == "scroll":
            return None, {}
        if not gesture.boxes:
            return point_box(point, shot.size), POINT_TAG
        assert frame.device is not None
        form = self.format
        box = box_px(gesture.boxes[0], form.box_unit, form.box_order, frame.device, where)
        return frame.convert_box(Box(*box.as_tuple(), Space.DEVICE), Space.IMAGE_PX), {}


def _moved(values: tuple[float, ...] | None, frame: Frame, where: str) -> Point | None:
    """A point of the video in pixels of the picture."""
    if values is None:
        return None
    assert frame.device is not None
    point = point_px(values, "px", frame.device, where, name="mouse_position")
    return frame.convert(Point(point.x, point.y, Space.DEVICE), Space.IMAGE_PX)


def _turn(path: Path) -> dict[str, Any]:
    turn = read_json(path)
    text_of(turn, "task_prompt", str(path))
    field_of(turn, "actions", list, str(path))
    found: dict[str, Any] = turn
    return found


def _kind(action: Any, path: Path) -> str:
    return text_of(action, "action_type", f"{path}, actions")


def _gesture(action: dict[str, Any], where: str) -> Gesture:
    kind = action["action_type"]
    if kind == "MouseAction":
        return _mouse(action, where)
    if kind == "KeyboardAction":
        return _keyboard(action, where)
    if kind == "WaitAction":
        return Gesture("wait", str(action.get("wait_time", 0.5)))
    raise _unknown(kind, where)


def _mouse(action: dict[str, Any], where: str) -> Gesture:
    name = text_of(action, "mouse_action_type", where).lower()
    if name in ("scroll_up", "scroll_down"):
        repeat = action.get("scroll_repeat")
        tags = {} if repeat is None else {"scroll_amount": str(repeat)}
        return Gesture("scroll", name.removeprefix("scroll_"), tags=tags)
    if name in ("down", "up"):
        return Gesture(None, reason=f"mouse_{name}")
    if action.get("mouse_position") is None:
        return Gesture(None, reason="no_position")
    position = field_of(action, "mouse_position", dict, where)
    point = numbers_of([position.get("width"), position.get("height")], 2, "mouse_position", where)
    area = action.get("clickable_area")
    boxes = () if area is None else (_corners(area, where),)
    if name == "move":
        return Gesture("hover", None, point, boxes=boxes)
    button = str(action.get("mouse_button") or "left").lower()
    if (name, button) in BUTTONS:
        return Gesture(BUTTONS[name, button], None, point, boxes=boxes)
    if button == "middle":
        return Gesture(None, reason="middle_button")
    raise _unknown(f"{name} of the {button} button", where)


def _corners(area: Any, where: str) -> list[Any]:
    low = field_of(area, "upper_left_position", dict, where)
    high = field_of(area, "lower_right_position", dict, where)
    return [low.get("width"), low.get("height"), high.get("width"), high.get("height")]


def _keyboard(action: dict[str, Any], where: str) -> Gesture:
    if isinstance(action.get("keyboard_key"), str):
        name = action.get("keyboard_action_type") or "press"
        if name in ("down", "up"):
            return Gesture(None, reason=f"key_{name}")
        return Gesture("press", "+".join(k.strip() for k in action["keyboard_key"].split("+")))
    return Gesture("type", text_of(action, "keyboard_text", where))


def _unknown(name: str, where: str) -> DataError:
    return DataError(
        f"{where}: action", found=repr(name),
        expected="MouseAction, KeyboardAction, WaitAction, PlanAction or EvaluateSubTaskAction",
        fix="mend or remove the file",
    )  # fmt: skip
