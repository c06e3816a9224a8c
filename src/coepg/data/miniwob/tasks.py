"""Which tasks are recorded, for which split, and how many steps of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

TRAIN_SEED_START = 0
TEST_SEED_SEED_START = 1_000_000
TEST_TASK_SEED_START = 2_000_000
"""Each split draws its episodes from seeds of its own, counting up from here."""
BASE_SEED_STRIDE = 10_000_000
"""What one more in ``record_dataset(seed=...)`` adds to every seed."""

TEST_TASKS = (
    "click-checkboxes-large",
    "click-dialog-2",
    "click-tab-2-hard",
    "click-test-2",
    "email-inbox-nl-turk",
    "enter-text-2",
    "focus-text-2",
    "login-user-popup",
    "multi-layouts",
    "search-engine",
)
"""Never trained on. Each needs skills that some training task needs, on a page of its own."""

LONG_TASKS = (
    "click-checkboxes",
    "click-checkboxes-soft",
    "click-scroll-list",
    "click-shades",
    "email-inbox",
    "email-inbox-forward",
    "email-inbox-forward-nl-turk",
    "email-inbox-noscroll",
    "email-inbox-reply",
    "enter-password",
    "form-sequence-2",
    "form-sequence-3",
    "login-user",
    "multi-orderings",
    "number-checkboxes",
    "odd-or-even",
    "order-food",
    "phone-book",
    "read-table-2",
    "scroll-text",
    "social-media",
    "social-media-all",
    "social-media-some",
    "use-autocomplete-nodelay",
    "use-spinner",
)
"""Training tasks whose episodes have three steps or more: they get more steps."""

SHORT_TASKS = (
    "buy-ticket",
    "choose-list",
    "click-button",
    "click-button-sequence",
    "click-collapsible-2-nodelay",
    "click-collapsible-nodelay",
    "click-color",
    "click-dialog",
    "click-link",
    "click-menu",
    "click-menu-2",
    "click-option",
    "click-pie-nodelay",
    "click-shape",
    "click-tab",
    "click-tab-2",
    "click-tab-2-medium",
    "click-test",
    "click-widget",
    "count-shape",
    "email-inbox-delete",
    "email-inbox-important",
    "enter-text",
    "enter-text-dynamic",
    "find-word",
    "focus-text",
    "generate-number",
    "grid-coordinate",
    "identify-shape",
    "navigate-tree",
    "read-table",
    "scroll-text-2",
    "simple-algebra",
    "simple-arithmetic",
    "text-transform",
    "unicode-test",
    "visual-addition",
)
"""Training tasks of one or two steps."""


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """How much of one task to record.

    Attributes:
        task_name: the page.
        steps_wanted: per split, how many steps to reach with whole episodes.
    """

    task_name: str
    steps_wanted: Mapping[str, int] = field(default_factory=dict)


SEED_STARTS = {
    "train": TRAIN_SEED_START,
    "test_seed": TEST_SEED_SEED_START,
    "test_task": TEST_TASK_SEED_START,
}

TASK_PLANS: dict[str, TaskPlan] = {
    **{name: TaskPlan(name, {"test_task": 50}) for name in TEST_TASKS},
    **{name: TaskPlan(name, {"train": 52, "test_seed": 12}) for name in LONG_TASKS},
    **{name: TaskPlan(name, {"train": 36, "test_seed": 9}) for name in SHORT_TASKS},
    "click-menu-2": TaskPlan("click-menu-2", {"train": 36}),
    "grid-coordinate": TaskPlan("grid-coordinate", {"train": 36, "test_seed": 5}),
}
"""Every recorded task, by name. Two have so few different episodes that training gets most."""


TEST_SPLITS_FIRST = ("test_seed", "test_task", "train")
"""The order of recording. A start that a test split has is not given to training again."""


def first_seed(split: str, base_seed: int) -> int:
    """Where a split starts to count its seeds."""
    return SEED_STARTS[split] + base_seed * BASE_SEED_STRIDE
