"""The words in which earlier actions are told: ``[role] name -> type: value``."""

from __future__ import annotations

from coepg.types import has_target


def target_repr(role: str, name: str) -> str:
    """``[role] name``.

    Example:
        >>> target_repr("button", "Save")
        '[button] Save'
    """
    return f"[{role}] {' '.join(name.split())}".strip()


def history_line(action_type: str, value: str | None, target: str = "") -> str:
    """One line of history.

    Args:
        action_type: a kind of `coepg.types.ACTION_CLASSES`.
        value: text, option, direction or keys.
        target: as `target_repr` gives it; left out for kinds that point at nothing.

    Example:
        >>> history_line("type", "Boston", "[searchbox] Find a location")
        '[searchbox] Find a location -> type: Boston'
    """
    one_line = None if value is None else value.replace("\n", "\\n")
    done = action_type if one_line is None else f"{action_type}: {one_line}"
    return f"{target} -> {done}" if target and has_target(action_type) else done
