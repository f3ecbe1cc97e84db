"""Detect from its files which agent a project uses."""

from __future__ import annotations

import os
from collections.abc import Iterator

from tenterhook import dialects
from tenterhook.config.locations import places
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.engine.hookset import HookSet
from tenterhook.errors import UsageError
from tenterhook.tools.explain.inventory import holds_hooks
from tenterhook.tools.install.editing import record as records


def detect(hooks: HookSet) -> tuple[str, str]:
    """The one dialect whose agent has files in the project, and one of those files."""
    found = [(one.name, sign) for one in dialects_with_setup() if (sign := next(signs(one, hooks), ""))]
    if len(found) == 1:
        return found[0]
    there = "".join(f"\n  {sign}: --dialect {name}" for name, sign in found)
    problem = f"files of several agents are here:{there}" if found else "no agent's files are here"
    choices = ", ".join(one.name for one in dialects_with_setup())
    raise UsageError(f"{problem}\nsay which one with --dialect; there are: {choices}")


def find_initialised_dialects(hooks: HookSet) -> list[str]:
    """The dialects that an init is on record for."""
    return [
        one.name
        for one in dialects_with_setup()
        if one.setup and os.path.exists(records.path_of(hooks.project, one.setup))
    ]


def dialects_with_setup() -> list[Dialect]:
    return [one for one in map(dialects.get, dialects.names()) if one.setup]


def signs(dialect: Dialect, hooks: HookSet) -> Iterator[str]:
    """Its config, its folder, or a shared file that holds its hooks."""
    files = dialect.setup.files if dialect.setup else ()
    paths = [*files, *filter(None, map(os.path.dirname, files))]
    yield from (path for path in paths if os.path.lexists(os.path.join(hooks.project, path)))
    for place in places(dialect, hooks.project, hooks.home, hooks.environ):
        if place.found and place.file.scope == "project" and holds_hooks(place):
            yield os.path.relpath(place.path, hooks.project)
