"""A project's settings for actions: the table `actions` of tenterhook.toml, or `tool.tenterhook.actions` of pyproject.

Read without the config machinery, which costs more than most actions do; tomllib is imported only if there is something
to read.
"""

from __future__ import annotations

import os

from tenterhook.errors import ConfigError, nearest
from tenterhook.support.files import LARGEST, contents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FILES = (("tenterhook.toml", "actions"), ("pyproject.toml", "tool.tenterhook.actions"))
# Seconds, below the usual time-outs of agents: 5; after a tool and at the end of a subagent 10 and more.
BUDGETS = {"tool.after": 8.0, "agent.stop": 8.0}
BUDGET = 4.0
LONG_LINE = 20_000  # a key of thousands of parts takes tomllib quadratic time
KINDS = ("test", "lint", "types", "build")


class ActionSettings:
    """How actions work in one project; every value has a default."""

    def __init__(self) -> None:
        # The file that holds them; empty if there is none.
        self.file = ""
        # One line about the settings that do not count.
        self.aside = ""
        # Seconds for one action; 0 leaves it to the moment.
        self.budget = 0.0
        # If a source file has no test: "deny" or "ask".
        self.missing_test = "deny"
        # At the end of a turn: "report", or "gate" to refuse it while something is red.
        self.on_stop = "report"
        # Commands by purpose, as words or as one text; {files} is replaced by the files concerned.
        self.commands: dict[str, str | list[str]] = {}
        # Globs from the project on that must not be written, in addition to those that are always protected.
        self.protected: list[str] = []
        # Folders outside of the project that may be written to.
        self.outside: list[str] = []
        # Rules about commands that are switched to "allow", "ask" or "deny", by name.
        self.rules: dict[str, str] = {}
        # Globs of files in which apparent secrets are not secrets.
        self.not_secret: list[str] = []
        # Globs of documents that must exist at the end, and the headings they must have, by action.
        self.documents: dict[str, list[str]] = {}
        self.headings: dict[str, list[str]] = {}

    def seconds(self, kind: str) -> float:
        return self.budget or BUDGETS.get(kind, BUDGET)


def load(project: str) -> ActionSettings:
    """Load the first file that has the table, without any part that loosens a guard and is not approved."""
    from tenterhook.library.actions.approved import in_force

    settings = ActionSettings()
    file = place = ""
    found: dict[str, Any] | None = None
    for name, place in FILES:
        file = os.path.join(project, name)
        found = table(file, place)
        if found is not None:
            settings.file = file
            break
    for key, value in (found or {}).items():
        take(ActionSettings(), file, f"{place}.{key}", key, value)
    counts, settings.aside = in_force(project, settings.file, found)
    for key, value in counts.items():
        take(settings, file, f"{place}.{key}", key, value)
    return settings


def table(file: str, place: str) -> dict[str, Any] | None:
    """The table in a file; None if there is no file or no such table."""
    keys = place.split(".")
    try:
        text = contents(file, LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as exc:
        raise ConfigError(exc.strerror or str(exc), file=file) from None
    if len(text) > LARGEST:
        raise ConfigError(f"is larger than {LARGEST >> 20} MiB", file=file)
    if any(key.encode() not in text for key in keys):
        return None
    import tomllib

    if max(map(len, text.split(b"\n"))) > LONG_LINE:
        raise ConfigError(f"has a line of more than {LONG_LINE} bytes", file=file)
    try:
        found: Any = tomllib.loads(text.decode())
    except RecursionError:
        raise ConfigError("is nested too deeply", file=file) from None
    except ValueError as exc:  # or it is not UTF-8
        raise ConfigError(str(exc), file=file) from None
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    if found is not None and not isinstance(found, dict):
        raise ConfigError(f"{place} must be a table, not {type(found).__name__}", file=file)
    return found


def take(settings: ActionSettings, file: str, place: str, key: str, value: Any) -> None:
    check = CHECKS.get(key)
    if check is None:
        raise ConfigError(f"unknown key {place!r}{nearest(key, CHECKS)}", file=file)
    wanted = check(value)
    if wanted:
        raise ConfigError(f"{place} must be {wanted}, not {value!r:.80}", file=file)
    setattr(settings, key, value)


def seconds(value: Any) -> str:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 3600
    return "" if good else "a number of seconds above 0"


def one_of(*words: str) -> Callable[[Any], str]:
    return lambda value: "" if value in words else f"one of {', '.join(words)}"


def texts(value: Any) -> str:
    good = isinstance(value, list) and all(isinstance(one, str) and one for one in value)
    return "" if good else "a list of texts"


def commands(value: Any) -> str:
    good = isinstance(value, dict) and all(
        key in KINDS and one and (isinstance(one, str) or not texts(one)) for key, one in value.items()
    )
    return "" if good else f"a table of {', '.join(KINDS)}, each a command as text or as a list of words"


def choices(value: Any) -> str:
    good = isinstance(value, dict) and all(one in ("allow", "ask", "deny") for one in value.values())
    return "" if good else "a table of names, each allow, ask or deny"


def text_lists(value: Any) -> str:
    good = isinstance(value, dict) and not any(texts(one) for one in value.values())
    return "" if good else "a table of lists of texts"


# The check of each key: empty if a value is right.
CHECKS: dict[str, Callable[[Any], str]] = {
    "budget": seconds,
    "missing_test": one_of("deny", "ask"),
    "on_stop": one_of("report", "gate"),
    "commands": commands,
    "protected": texts,
    "outside": texts,
    "rules": choices,
    "not_secret": texts,
    "documents": text_lists,
    "headings": text_lists,
}
