"""What is legal in a config and probably not meant. One small function each; `check` holds the table of them.

A hazard is given a Look at one hook and yields Problems. It reads files and runs nothing: not the hook, not a shell,
no module of the project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from tenterhook.config.entries import Problem
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.types import Hook

__all__ = ["Hazard", "Look"]


class Look(Struct, frozen=True):
    """One hook, and all that is needed to judge it without running it. `env` is what its process would be given.

    `strip` is whether variables that hold secrets are kept from it.
    """

    hook: Hook
    rule: EventRule
    dialect: Dialect
    project: str
    home: str
    env: Mapping[str, str]
    strict: bool
    strip: bool = True

    def warning(self, about: str, text: str) -> Problem:
        return self.problem("warning", about, text)

    def error(self, about: str, text: str) -> Problem:
        """For what fails for certain whenever the hook runs."""
        return self.problem("error", about, text)

    def problem(self, level: str, about: str, text: str) -> Problem:
        """At the place of what it is about: "matcher" or "main", what the hook runs."""
        source = self.hook.source
        line, column = self.place(self.matcher_keys() if about == "matcher" else self.main_keys())
        return Problem(level, source.file, line, column, text)

    def place(self, keys: tuple[str, ...]) -> tuple[int, int]:
        """Of the first key that stands in the hook's entry or in its group; else of the entry."""
        path, where = self.hook.source.path, self.hook.source.where
        if where is None:
            return 0, 0
        grouped = len(path) > 1 and path[-2] == self.dialect.config.form.group
        for holder in (path, path[:-2]) if grouped else (path,):
            around = where(holder)
            # A position that is not the holder's own is that of a key in it.
            found = next((at for key in keys if (at := where((*holder, key))) != around), None)
            if found:
                return found
        return where(path)

    def matcher_keys(self) -> tuple[str, ...]:
        form = self.dialect.config.form
        return tuple(key for keys in (form.keys, form.group_keys) for key, what in keys.items() if what == "matcher")

    def main_keys(self) -> tuple[str, ...]:
        form = self.hook.spec.get("form")
        return tuple(
            kind.key for kind in self.dialect.config.types if kind.form == form and kind.handler == self.hook.handler
        )


Hazard = Callable[[Look], Iterator[Problem]]
