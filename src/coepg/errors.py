"""The failure model: one flat type per boundary.

* A **user's mistake** (bad file, misspelt key, impossible setting) is a `UserError`. Its text
  names the thing, what was found, what was expected and what to do. The command line prints it
  without a traceback and exits with code 2.
* A **failed rollout** (unparsable answer, missed target) is data, never an exception.
* An **infrastructure fault** (a server that is down, a member that does not answer) is an
  `InfrastructureError`. It is never turned into a reward of 0.

Everything else is a bug and keeps its traceback.
"""


class CoepgError(Exception):
    """Root of all errors that coepg raises on purpose."""


class UserError(CoepgError, ValueError):
    """Something the user can mend: names the thing, what was found, expected, and what to do.

    Example:
        >>> print(UserError("recipe.toml: key 'lrr'", found="unknown", expected="'lr'"))
        recipe.toml: key 'lrr'
          found:    unknown
          expected: 'lr'
    """

    def __init__(self, what: str, *, found: str = "", expected: str = "", fix: str = "") -> None:
        self.what = what
        self.found = found
        self.expected = expected
        self.fix = fix
        rows = [("found", found), ("expected", expected), ("fix", fix)]
        super().__init__("\n".join([what, *(f"  {k + ':':<9} {v}" for k, v in rows if v)]))


class DataError(UserError):
    """A dataset, table, image or annotation is not what it should be."""


class ConfigError(UserError):
    """A recipe or a command-line setting is wrong."""


class ModelError(UserError):
    """A model folder or profile cannot be used."""


class InfrastructureError(CoepgError):
    """A machine, server or device failed; the work item is not to be scored."""
