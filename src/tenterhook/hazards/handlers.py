"""Hooks that nothing can run: functions that are not found, types without a handler."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec

from tenterhook import handlers
from tenterhook.entries import Problem
from tenterhook.hazards import Look


def no_handler(look: Look) -> Iterator[Problem]:
    if handlers.get(look.hook.handler) is None:
        yield look.warning("main", f"hooks of the type {look.hook.handler!r} cannot be run here: the hook always fails")


def no_function(look: Look) -> Iterator[Problem]:
    """Only the first part of the name is looked for: to look further would run the project's code."""
    main = look.hook.spec.get("main")
    if look.hook.handler != "python" or not isinstance(main, str):
        return
    module, colon, _ = main.partition(":")
    top, dot, _ = module.partition(".")
    if not colon and not dot:
        yield look.error("main", f"{main!r} names no function; write it as module.function")
    elif not top.isidentifier() or not (in_project(top, look.project) or installed(top)):
        yield look.warning("main", f"no module {top!r} in the project or among the installed packages, for {main!r}")


def in_project(top: str, project: str) -> bool:
    return os.path.isfile(os.path.join(project, f"{top}.py")) or os.path.isdir(os.path.join(project, top))


def installed(top: str) -> bool:
    try:
        return find_spec(top) is not None
    except (ImportError, ValueError):  # ValueError: a module that was made without a spec
        return False
