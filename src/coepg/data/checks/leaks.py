"""What training has seen of the test: episodes, screens with their tasks, near-equal pictures."""

from __future__ import annotations

from collections.abc import Callable

from coepg.data.checks.finding import Finding, Tally
from coepg.data.checks.perceptual_hash import NearIndex, difference_hash
from coepg.data.checks.row import Row


def is_train(split: str) -> bool:
    """Whether a split is trained on, by its name."""
    return split.startswith("train")


class Leaks:
    """Compares the other splits with the training splits, which must be seen first.

    Of a training step, hashes are kept: 8 bytes each of episode, picture, and picture with task.
    """

    def __init__(self) -> None:
        self.total = 0
        self.episodes, self.same, self.picture = Tally(), Tally(), Tally()
        self._train: dict[str, set[int]] = {"episode": set(), "both": set(), "picture": set()}
        self._reported: set[int] = set()

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None:
            return
        picture = hash(step.screenshot.image_hash)
        both = hash((step.screenshot.image_hash, " ".join(step.instruction.lower().split())))
        episode = hash(step.episode_id)
        if is_train(step.split):
            self._train["episode"].add(episode)
            self._train["picture"].add(picture)
            self._train["both"].add(both)
            return
        self.total += 1
        if episode in self._train["episode"] and episode not in self._reported:
            self._reported.add(episode)
            self.episodes.add(row, f"episode {step.episode_id}")
        if both in self._train["both"]:
            self.same.add(row, step.instruction[:80])
        elif picture in self._train["picture"]:
            self.picture.add(row, step.instruction[:80])

    def findings(self) -> list[Finding]:
        """What is in both."""
        return [
            *self.episodes.finding(
                "episode_in_train", "error", "Episodes are in a training split and in this one.",
                self.total, "split by episode",
            ),
            *self.same.finding(
                "step_in_train", "error",
                "The same picture with the same task is in a training split.", self.total,
                "remove one of the two; scores on such steps are too good",
            ),
            *self.picture.finding(
                "picture_in_train", "warning",
                "The same picture is in a training split, with another task.", self.total,
                "nothing, if start screens are shared; else split by app or site",
            ),
        ]  # fmt: skip


class Pictures:
    """Decodes each picture once: damaged ones, and near-equal ones of training and test.

    Args:
        read: bytes of a picture by its hash.
        compare: look for near-equal pictures too.
    """

    def __init__(self, read: Callable[[str], bytes], *, compare: bool) -> None:
        self._read, self._compare = read, compare
        self._seen: dict[bool, set[int]] = {True: set(), False: set()}
        self._index = NearIndex()
        self.damaged, self.near = Tally(), Tally()
        self.num_test = 0

    def see(self, row: Row) -> None:
        """Take note of a row."""
        step = row.step
        if step is None:
            return
        trained, key = is_train(step.split), hash(step.screenshot.image_hash)
        if key in self._seen[trained]:
            return
        self._seen[trained].add(key)
        try:
            value = difference_hash(self._read(step.screenshot.image_hash))
        except (OSError, ValueError, SyntaxError) as error:
            self.damaged.add(row, str(error))
            return
        if not self._compare:
            return
        if trained:
            self._index.add(value)
            return
        self.num_test += 1
        distance = self._index.nearest(value)
        if distance is not None and key not in self._seen[True]:
            self.near.add(row, f"differs in {distance} of 256 bits")

    def findings(self) -> list[Finding]:
        """Damaged and near-equal pictures."""
        total = len(self._seen[True] | self._seen[False])
        return [
            *self.damaged.finding(
                "picture_damaged", "error", "Pictures cannot be decoded.", total,
                "copy them again and import again",
            ),
            *self.near.finding(
                "picture_near_train", "warning",
                "Pictures are nearly equal to pictures of a training split.", self.num_test,
                "look at some; split by app or site if they are the same screens",
            ),
        ]  # fmt: skip
