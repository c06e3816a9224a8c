"""Android in the Wild: GZIP TFRecords, one step a record, screenshots as raw pixels.

``image/encoded`` is height x width x channels of uint8, not a picture file; it becomes PNG.
``image/ui_annotations_positions`` is a flat list of ``y, x, height, width`` in 0..1;
``results/yx_touch`` and ``results/yx_lift`` are ``y, x`` in 0..1, -1 without a touch. A dual-point
action is a tap if both are within 0.04, else a stroke of the finger. Source:
google-research/google-research, android_in_the_wild/README.md and action_type.py.

A stroke becomes a scroll towards the content that it reveals (against the finger), with both
points kept; ``--option gesture=swipe`` keeps the finger's direction as a swipe. A tap's target is
the smallest UI annotation that holds it, else a box around it. A typed text names no place, so
its box is the whole screen.

Steps of an episode follow each other; one whose predecessor is missing is refused, since its
history would be wrong (``--option partial_episodes=keep`` takes it, with the history that is
known). ``--option splits=FILE`` names one of the published lists of splits.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from coepg.data.crop import screenshot_of
from coepg.data.importers.acts import (
    Act,
    Place,
    act_anywhere,
    act_at,
    check_point,
    step_of,
    unknown_action,
)
from coepg.data.importers.android_control import record_files
from coepg.data.importers.base import (
    Imported,
    ImportOptions,
    Record,
    Setting,
    SourceFormat,
)
from coepg.data.importers.elements import Element, screen_texts, visible_part
from coepg.data.importers.fields import numbers
from coepg.data.importers.gestures import content_direction, finger_direction, is_tap
from coepg.data.importers.json_document import split_of_episodes
from coepg.data.importers.tfrecord import Example, iter_frames
from coepg.errors import DataError
from coepg.types import Box, Frame, Point, Size, Space, TextSource

ACTION_TYPES = {
    3: "TYPE", 4: "DUAL_POINT", 5: "PRESS_BACK", 6: "PRESS_HOME", 7: "PRESS_ENTER",
    10: "STATUS_TASK_COMPLETE", 11: "STATUS_TASK_IMPOSSIBLE",
}  # fmt: skip
_PLAIN = {
    5: ("navigate_back", None), 6: ("navigate_home", None), 7: ("press", "enter"),
    10: ("finish", None), 11: ("finish", "impossible"),
}  # fmt: skip
GESTURE = Setting("gesture", "what a stroke of the finger becomes", ("scroll", "swipe"), "scroll")


def aitw_act(
    action_type: int,
    text: str,
    touch: Point,
    lift: Point,
    elements: list[Element],
    size: Size,
    where: str,
    *,
    strokes_are_swipes: bool = False,
) -> Act:
    """The action of AITW's numbers, shared with AITZ.

    Args:
        action_type: a key of `ACTION_TYPES`.
        text: what was typed.
        touch: where the finger touched, in 0..1 of the screen.
        lift: where it left, in 0..1 of the screen.
        elements: of the screen, in pixels.
        size: of the screenshot.
        where: for messages.
        strokes_are_swipes: keep the finger's direction.

    Raises:
        DataError: an unknown number, or a touch outside the screen.
    """
    if action_type in _PLAIN:
        return Act(*_PLAIN[action_type])
    if action_type == 3:
        return act_anywhere("type", text, size)
    if action_type != 4:
        known = [f"{number} ({name})" for number, name in ACTION_TYPES.items()]
        raise unknown_action(action_type, known, where)
    at = Frame(size).convert(touch, Space.IMAGE_PX)
    end = Frame(size).convert(lift, Space.IMAGE_PX)
    check_point(at, size, where)
    if is_tap(touch, lift):
        return act_at("click", at, size, elements, "ui_annotations", where)
    if strokes_are_swipes:
        return Act("swipe", finger_direction(touch, lift), point_px=at, end_point_px=end)
    return Act("scroll", content_direction(touch, lift), point_px=at, end_point_px=end)


@dataclass(slots=True)
class _Episode:
    """The steps of one episode that were converted last."""

    name: str = ""
    next_index: int = 0
    history: tuple[str, ...] = ()


class AitwImporter:
    """One step a record; a folder of TFRecord files or one of them."""

    format = SourceFormat(
        name="aitw",
        title="Android in the Wild",
        license="as its repository states (google-research, android_in_the_wild)",
        url="https://github.com/google-research/google-research/tree/master/android_in_the_wild",
        box_unit="norm1",
        box_order="yxhw",
        scroll="finger",
        splits=("train", "validation", "test"),
        settings=(
            GESTURE,
            Setting("splits", "the file of a published list of splits"),
            Setting("partial_episodes", "what becomes of steps whose predecessor is missing",
                    ("refuse", "keep"), "refuse"),
        ),
    )  # fmt: skip

    def __init__(self, options: ImportOptions) -> None:
        settings = options.checked(self.format)
        self.options = options
        self._swipes = settings["gesture"] == "swipe"
        self._keeps_partial = settings["partial_episodes"] == "keep"
        self._splits = split_of_episodes(Path(settings["splits"])) if "splits" in settings else None
        self._episode = _Episode()
        self._task = "aitw"

    def records(self, source: Path) -> Iterator[Record | DataError]:
        """The steps, of the split that ``--split`` names if there is a list of splits."""
        self._task = source.name if source.is_dir() else source.parent.name
        for path in record_files(source, "*"):
            for frame in iter_frames(path):
                if isinstance(frame, DataError):
                    yield frame
                    continue
                try:
                    example = Example(frame)
                    episode = example.one_text("episode_id")
                except DataError as error:
                    yield error
                    continue
                split, wanted = self._split(episode), self.options.split
                if wanted and self._splits is not None and split != wanted:
                    continue
                yield Record(frame.where, (episode, split, example))

    def _split(self, episode: str) -> str | None:
        if self._splits is None:
            return self.options.split or "train"
        return self._splits.get(episode, (None,))[0]

    def convert(self, record: Record) -> list[Imported]:
        """The step of a record."""
        episode, split, example = record.data
        where = f"{record.where}, episode {episode}"
        if split is None:
            raise DataError(
                f"{where}: split",
                found="an episode that the list of splits does not name",
                expected="an episode of the list",
                fix="name the list of this subset with --option splits=FILE",
            )
        index = example.one_int("step_id")
        history = self._history(episode, index, where)
        data = _png(example, where)
        shot = screenshot_of(data, where)
        elements = _elements(example, shot.size, where)
        touch, lift = (_yx(example, f"results/yx_{end}", where) for end in ("touch", "lift"))
        kind = example.one_int("results/action_type")
        text = "".join(example.texts("results/type_action"))
        act = aitw_act(
            kind, text, touch, lift, elements, shot.size, where, strokes_are_swipes=self._swipes
        )
        length = example.one_int("episode_length")
        place = Place(
            episode, index, max(length, index + 1), split, self._task,
            example.one_text("goal_info"), history=history, tags=_tags(example),
        )  # fmt: skip
        self._episode = _Episode(episode, index + 1, (*history, act.history_line))
        step = step_of(act, place, shot, screen_texts(elements, TextSource.OCR))
        return [Imported(step, data)]

    def _history(self, episode: str, index: int, where: str) -> tuple[str, ...]:
        last = self._episode
        known = last.next_index if last.name == episode else 0
        if index != known and not self._keeps_partial:
            raise DataError(
                f"{where}: step_id",
                found=f"step {index} where step {known} of the episode is due",
                expected="all earlier steps, since they are the history",
                fix="import all files of the subset at once; or take steps with the history that "
                "is known: --option partial_episodes=keep",
            )
        return last.history if last.name == episode else ()


def _png(example: Example, where: str) -> bytes:
    height, width, channels = (
        example.one_int(f"image/{side}") for side in ("height", "width", "channels")
    )
    pixels = example.byte_strings("image/encoded")
    found = len(pixels[0]) if len(pixels) == 1 else -1
    if channels != 3 or min(height, width) < 1 or found != height * width * channels:
        raise DataError(
            f"{where}: image/encoded",
            found=f"{found} bytes, {channels} channels",
            expected=f"{height} x {width} x 3 bytes of raw pixels",
            fix="check --format; or set the record aside with --keep-going",
        )
    file = io.BytesIO()
    Image.frombytes("RGB", (width, height), pixels[0]).save(file, "PNG")
    return file.getvalue()


def _yx(example: Example, name: str, where: str) -> Point:
    y, x = numbers(example.floats(name), 2, name, where)
    return Point(x, y, Space.NORM1)


def _elements(example: Example, size: Size, where: str) -> list[Element]:
    flat = example.floats("image/ui_annotations_positions")
    texts = example.texts("image/ui_annotations_text")
    roles = example.texts("image/ui_annotations_ui_types")
    if not len(flat) == 4 * len(texts) == 4 * len(roles):
        raise DataError(
            f"{where}: image/ui_annotations",
            found=f"{len(flat)} numbers, {len(texts)} texts, {len(roles)} types",
            expected="four numbers, a text and a type for each element",
            fix="check --format; or set the record aside with --keep-going",
        )
    rows = [flat[k : k + 4] for k in range(0, len(flat), 4)]
    scaled = [
        [y * size.height, x * size.width, h * size.height, w * size.width] for y, x, h, w in rows
    ]
    return annotated_elements(scaled, texts, roles, size, where)


def annotated_elements(
    rows: list[list[float]], texts: list[str], roles: list[str], size: Size, where: str
) -> list[Element]:
    """Elements from ``y, x, height, width`` in pixels; parts outside the screen are cut off.

    Raises:
        DataError: a negative height or width.
    """
    elements = []
    for (y, x, h, w), text, role in zip(rows, texts, roles, strict=True):
        if h < 0 or w < 0:
            raise DataError(
                f"{where}: UI annotation",
                found=f"height {h:g}, width {w:g}",
                expected="y, x, height, width with positive sizes",
                fix="check --format; or set the record aside with --keep-going",
            )
        box = visible_part(Box(x, y, x + w, y + h), size)
        if box is not None:
            elements.append(Element(box, " ".join(text.split()), role.lower()))
    return elements


def _tags(example: Example) -> dict[str, str]:
    names = {"device": "device_type", "activity": "current_activity"}
    tags = {tag: example.one_text(name) for tag, name in names.items() if name in example.names}
    if "android_api_level" in example.names:
        tags["android_api_level"] = str(example.one_int("android_api_level"))
    return tags
