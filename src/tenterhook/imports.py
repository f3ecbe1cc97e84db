"""Functions by dotted name, each project's from its own folder.

A project folder is importable, last on the path, so that it shadows nothing. One host may serve several projects whose
modules have the same names: then each gets its own, because a guard that is silently another project's guards nothing.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

projects: list[str] = []
strangers: dict[tuple[str, str], Any] = {}
lock = threading.RLock()


def function(dotted: str, project: str) -> Callable[..., Any]:
    """`package.module.function`, `package.module:function` or `package.module.Class.method`; raises what goes wrong."""
    known = strangers.get((project, dotted))
    if known is None:
        with lock:
            known = located(dotted, project)
    if not callable(known):
        raise ImportError("it is no function")
    return known  # type: ignore[no-any-return]


def located(dotted: str, project: str) -> Any:
    """With only this project's folder on the path, and modules of other projects out of the way."""
    if project not in projects:
        projects.append(project)
        sys.path.append(project)
    others = [path for path in projects if path != project]
    taken = taken_names(dotted.partition(":")[0].partition(".")[0], others) if others else {}
    path = sys.path[:]
    sys.path[:] = [one for one in path if one not in others]
    for name in taken:
        del sys.modules[name]
    try:
        found = looked_up(dotted)
    finally:
        sys.path[:] = path
        sys.modules.update(taken)
    if taken:
        strangers[project, dotted] = found
    return found


def taken_names(top: str, others: list[str]) -> dict[str, Any]:
    """The modules of that name that another project brought along."""
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", [])), "")
    if not any(file.startswith(other + os.sep) for other in others):
        return {}
    return {name: one for name, one in sys.modules.items() if name == top or name.startswith(f"{top}.")}


def looked_up(dotted: str) -> Any:
    module_name, _, rest = dotted.partition(":")
    if rest:
        found: Any = importlib.import_module(module_name)
        names = rest.split(".")
    else:
        names = dotted.split(".")
        found, used = deepest_module(names)
        names = names[used:]
        if not names:
            raise ImportError("it names a module, not a function")
    for name in names:
        found = getattr(found, name)
    return found


def deepest_module(names: list[str]) -> tuple[Any, int]:
    if len(names) < 2:
        raise ImportError("write it as module.function")
    for used in range(len(names) - 1, 0, -1):
        name = ".".join(names[:used])
        try:
            return importlib.import_module(name), used
        except ModuleNotFoundError as exc:
            # Only "there is no such module" means "try a shorter name"; a module that fails inside must be seen.
            if used == 1 or not (exc.name and f"{name}.".startswith(f"{exc.name}.")):
                raise
    raise ImportError(".".join(names))
