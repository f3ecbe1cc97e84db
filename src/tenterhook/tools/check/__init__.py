"""What is valid in a config but probably a mistake. One small function each; run_checks.py has the table of them.

A check gets a HookInspection of one hook and yields Problems. It reads files and runs nothing: not the hook, not a
shell, no module of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.handlers import traits
from tenterhook.tools.agents import dig_path
from tenterhook.types import Hook, Path

__all__ = ["CheckFinding", "Fix", "Hazard", "HookInspection"]

# The setters of an entry's keys, by what a finding is about.
SETTERS_OF = {"matcher": ("matcher", "matcher_trimmed"), "condition": ("condition", "rule"), "time-out": ("timeout",)}


class Fix(Struct, frozen=True):
    """A change that mends a finding. `do`: value (give the value at the path another one), key (give the key at the
    path another name), wrap (put keys of the file's top below a key), run-bit (let the file be run).
    """

    do: str
    file: str
    path: Path = ()
    value: Any = None


class CheckFinding(Problem, frozen=True):
    """A problem with the agents for which it holds, and its fix if there is one right answer."""

    agents: tuple[str, ...] = ()
    fix: Fix | None = None


class HookInspection(Struct, frozen=True):
    """One hook, and all that is needed to judge it without running it. `env` is the environment of its process.

    `strip`: variables that hold secrets are removed from it.
    """

    hook: Hook
    rule: EventRule
    dialect: Dialect
    project: str
    home: str
    env: Mapping[str, str]
    strict: bool
    strip: bool = True
    # What the hook's file says, if it was read again.
    data: Any = None

    @property
    def is_command(self) -> bool:
        """Whether the hook runs a command line."""
        return traits(self.hook.handler).takes_command_line

    @property
    def main(self) -> Any:
        """What the hook runs: a command line as text or as words, a path, a URL, a function's name."""
        return self.hook.spec.get("main")

    @property
    def form(self) -> str:
        """How `main` is understood."""
        return str(self.hook.spec.get("form", ""))

    @property
    def shell_text(self) -> str:
        """The command line, if a shell reads it."""
        return self.main if self.form == "shell" and isinstance(self.main, str) else ""

    def warning(self, rule: str, about: str, text: str, better: Any = None) -> CheckFinding:
        return self.finding("warning", rule, about, text, better)

    def error(self, rule: str, about: str, text: str, better: Any = None) -> CheckFinding:
        """For what fails for certain whenever the hook runs."""
        return self.finding("error", rule, about, text, better)

    def note(self, rule: str, about: str, text: str) -> CheckFinding:
        """For what may be right, and deserves a look."""
        return self.finding("note", rule, about, text)

    def finding(self, level: str, rule: str, about: str, text: str, better: Any = None) -> CheckFinding:
        """At the position of its subject: "matcher", "condition" or "main", what the hook runs. `better`: the value
        that mends it.
        """
        source = self.hook.source
        path = self.place(self.keys_of(about))
        line, column = source.where(path) if source.where else (0, 0)
        fix = Fix("value", source.file, path, better) if better is not None else None
        return CheckFinding(level, source.file, line, column, text, rule, path, fix=fix)

    def place(self, keys: tuple[str, ...]) -> Path:
        """The path of the first key that is in the hook's entry or in its group; else of the entry."""
        path, where = self.hook.source.path, self.hook.source.where
        if where is None:
            return path
        grouped = len(path) > 1 and path[-2] == self.dialect.config.form.group
        for holder in (path, path[:-2]) if grouped else (path,):
            if self.data is not None:
                said = dig_path(self.data, holder)
                key = next((key for key in keys if isinstance(said, dict) and key in said), None)
                if key is not None:
                    return (*holder, key)
                continue
            around = where(holder)
            # A position other than the holder's own is that of a key in it.
            found = next(((*holder, key) for key in keys if where((*holder, key)) != around), None)
            if found:
                return found
        return path

    def keys_of(self, about: str) -> tuple[str, ...]:
        """The keys of an entry and of its group that say this."""
        if about == "main":
            return self.main_keys()
        form, wanted = self.dialect.config.form, SETTERS_OF[about]
        return tuple(key for keys in (form.keys, form.group_keys) for key, what in keys.items() if what in wanted)

    def main_keys(self) -> tuple[str, ...]:
        types = self.dialect.config.types
        return tuple(kind.key for kind in types if kind.form == self.form and kind.handler == self.hook.handler)


Hazard = Callable[[HookInspection], Iterator[Problem]]
