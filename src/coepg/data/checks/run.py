"""All checks of a dataset in one pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from coepg.data.checks.boxes import Boxes
from coepg.data.checks.finding import Check, Finding
from coepg.data.checks.histories import Histories
from coepg.data.checks.leaks import Leaks, Pictures, is_train
from coepg.data.checks.order import UnitAndOrder
from coepg.data.checks.platform_actions import Platform, PlatformActions
from coepg.data.checks.points import PointsInBoxes
from coepg.data.checks.row import iter_rows
from coepg.data.checks.targets import ModelResize, SmallTargets
from coepg.data.checks.texts import Texts
from coepg.data.checks.tokens import ImageTokens
from coepg.data.table import StepTable

_RANK = {"error": 0, "warning": 1, "info": 2}


def check_dataset(
    table: StepTable,
    models: Sequence[ModelResize],
    *,
    platform: Platform | None = None,
    decode_pictures: bool = True,
    progress: Callable[[str, int], None] = lambda split, number: None,
) -> list[Finding]:
    """What would go wrong later, the worst first.

    Memory does not grow with the steps, except for some hashes of each.

    Args:
        table: the dataset.
        models: whose resize and tokens are to be reckoned.
        platform: on which the actions are to be carried out; None: each step's own tag.
        decode_pictures: decode each picture once, for damage and near-equal pictures.
        progress: called with the split and number of each row.

    Raises:
        DataError: a file of the dataset cannot be read at all.
    """
    splits = sorted(table.splits, key=lambda split: (not is_train(split), split))
    checks: list[Check] = [
        Boxes(), UnitAndOrder(), PointsInBoxes(), Texts(), Histories(), Leaks(),
        PlatformActions(platform),
    ]  # fmt: skip
    for model in models:
        checks += [SmallTargets(model), ImageTokens(model)]
    if decode_pictures:
        both = any(map(is_train, splits)) and not all(map(is_train, splits))
        checks.append(Pictures(table.image_bytes, compare=both))
    for split in splits:
        for row in iter_rows(table, split):
            for check in checks:
                check.see(row)
            progress(split, row.number)
    found = [finding for check in checks for finding in check.findings()]
    return sorted(found, key=lambda f: (_RANK[f.severity], -f.count))
