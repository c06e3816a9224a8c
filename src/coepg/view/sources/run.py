"""A run folder of ``coepg evolve``: answers of its evaluations, rollouts, and verified plans.

A stage that is still at work lies in ``.<name>.partial`` and is renamed when it is done; both are
shown under one name, so the page stays where it is. Stage names: see `coepg.evolve.run`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from coepg.view.sources.base import Collection
from coepg.view.sources.dataset import DatasetSource, find_dataset
from coepg.view.sources.evaluation import AnswerCollection, image_of
from coepg.view.sources.groups import PLANS, ROLLOUTS, GroupCollection

_STAGE = re.compile(r"(\.?)(\d\d-[\w-]+?)(?:\.partial)?")
_WORDS = {
    "data": "data",
    "3-eval-sft": "SFT",
    "4-grpo": "GRPO",
    "5-eval-grpo": "GRPO",
    "6-data": "data",
    "7-eval-blank": "blank pictures",
    "8-eval-no-text": "no screen text",
}


class RunSource:
    """Shows a run, finished or not.

    Args:
        path: the run folder.
        gold: its dataset; by default the one that its recipe names, if it is found.

    Raises:
        DataError: the dataset is there but damaged.
    """

    kind = "run"

    def __init__(self, path: Path, gold: DatasetSource | None = None) -> None:
        self.title = path.resolve().name
        self._path = path
        self._gold = gold or dataset_of_run(path)
        self._known: dict[str, Collection] = {}

    def collections(self) -> Sequence[Collection]:
        """What the stages have written up to now, in the order of the run, evaluations first."""
        for name in self._stage_names():
            folder = self._stage(name)
            for path in sorted(folder.glob("predictions-*.jsonl")):
                self._add(self._answers(name, path.name))
            if any(folder.glob("rollouts/*.parquet")):
                self._add(self._groups(name, "rollouts"))
            if (folder / "plans" / "train.parquet").is_file():
                self._add(self._groups(name, "plans"))
        order = {"answers": 0, "rollouts": 1, "plans": 2}
        return sorted(self._known.values(), key=lambda c: (order[c.key.split("/")[1]], c.key))

    def image(self, image_hash: str) -> bytes:
        """See `Source.image`."""
        return image_of(self._gold, image_hash)

    def _add(self, collection: Collection) -> None:
        self._known.setdefault(collection.key, collection)

    def _answers(self, stage: str, file: str) -> AnswerCollection:
        split = file.removeprefix("predictions-").removesuffix(".jsonl")
        return AnswerCollection(
            f"{stage}/answers/{split}",
            f"iteration {int(stage[:2])}, {_word(stage)}: {split}",
            lambda: self._stage(stage) / file,
            self._gold,
        )

    def _groups(self, stage: str, what: str) -> GroupCollection:
        iteration = int(stage[:2])
        is_plans = what == "plans"
        return GroupCollection(
            f"{stage}/{what}",
            f"D_{iteration}: verified plans" if is_plans else f"iteration {iteration}: rollouts",
            lambda: sorted((self._stage(stage) / what).glob("*.parquet")),
            PLANS if is_plans else ROLLOUTS,
            self._gold,
        )

    def _stage_names(self) -> list[str]:
        folder = self._path / "stages"
        found = [_STAGE.fullmatch(p.name) for p in folder.iterdir()] if folder.is_dir() else []
        return sorted({match[2] for match in found if match})

    def _stage(self, name: str) -> Path:
        """The folder of a stage: finished, or at work."""
        finished = self._path / "stages" / name
        return finished if finished.is_dir() else finished.with_name(f".{name}.partial")


def _word(stage: str) -> str:
    return _WORDS.get(stage[3:], stage[3:])


def is_run(path: Path) -> bool:
    """Whether a folder looks like a run, also one that has just begun."""
    return (path / "stages").is_dir() or (path / "recipe.toml").is_file()


def dataset_of_run(path: Path) -> DatasetSource | None:
    """The dataset that the run's recipe names, or None if there is no telling or it is not here.

    Raises:
        DataError: the dataset is there but damaged.
    """
    try:
        recipe = tomllib.loads((path / "recipe.toml").read_text(encoding="utf-8"))
        name = recipe["data"]["dataset"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return find_dataset(name, path) if isinstance(name, str) else None
