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
from tenterhook.types import Hook

__all__ = ["Hazard", "HookInspection"]


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

    def warning(self, about: str, text: str) -> Problem:
        return self.problem("warning", about, text)

    def error(self, about: str, text: str) -> Problem:
        """For what fails for certain whenever the hook runs."""
        return self.problem("error", about, text)

    def problem(self, level: str, about: str, text: str) -> Problem:
        """At the position of its subject: "matcher" or "main", what the hook runs."""
        source = self.hook.source
        line, column = self.place(self.matcher_keys() if about == "matcher" else self.main_keys())
        return Problem(level, source.file, line, column, text)

    def place(self, keys: tuple[str, ...]) -> tuple[int, int]:
        """The position of the first key that is in the hook's entry or in its group; else of the entry."""
        path, where = self.hook.source.path, self.hook.source.where
        if where is None:
            return 0, 0
        grouped = len(path) > 1 and path[-2] == self.dialect.config.form.group
        for holder in (path, path[:-2]) if grouped else (path,):
            around = where(holder)
            # A position other than the holder's own is that of a key in it.
            found = next((at for key in keys if (at := where((*holder, key))) != around), None)
            if found:
                return found
        return where(path)

    def matcher_keys(self) -> tuple[str, ...]:
        form = self.dialect.config.form
        return tuple(key for keys in (form.keys, form.group_keys) for key, what in keys.items() if what == "matcher")

    def main_keys(self) -> tuple[str, ...]:
        types = self.dialect.config.types
        return tuple(kind.key for kind in types if kind.form == self.form and kind.handler == self.hook.handler)


Hazard = Callable[[HookInspection], Iterator[Problem]]
