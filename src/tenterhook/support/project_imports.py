"""Import functions by dotted name, each project's from its own folder.

A project folder is importable, last on the path, so that it shadows nothing. One host may serve several projects whose
modules have the same names: then each gets its own, because a guard that is silently another project's guards nothing.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from typing import Any

# Each project's modules by name: if two projects have a `helpers`, only one can be in sys.modules.
owned: dict[str, dict[str, Any]] = {}
known: dict[tuple[str, str], Any] = {}
lock = threading.RLock()
# Python's own modules and ours stay, even if they are in a folder that is a project too.
INSTALLED = tuple(os.path.dirname(one) + os.sep for one in (os.__file__, __file__))


def function(dotted: str, project: str) -> Callable[..., Any]:
    """`package.module.function`, `package.module:function` or `package.module.Class.method`; import errors are
    raised.
    """
    found = known.get((project, dotted))
    if found is None:
        with lock:
            found = import_from_project(dotted, project)
        if not callable(found):
            raise ImportError("it is not a function")
        known[project, dotted] = found
    return found  # type: ignore[no-any-return]


def import_from_project(dotted: str, project: str) -> Any:
    """Import with only this project's folder on the path, and the modules of other projects removed."""
    own = owned.setdefault(project, {})
    before = [one for one in sys.path if one != project]
    aside = {name: one for name, one in list(sys.modules.items()) if home_of(one) not in ("", project)}
    for name in aside:
        del sys.modules[name]
    sys.modules.update(own)
    sys.path[:] = [*(one for one in before if one not in owned), project]
    try:
        with as_written(project):
            return looked_up(dotted)
    finally:
        own.update({name: one for name, one in list(sys.modules.items()) if home_of(one) == project})
        taken = {name.partition(".")[0] for name in aside}
        for name in own:
            if name.partition(".")[0] in taken:
                sys.modules.pop(name, None)
        sys.modules.update(aside)
        added = [one for one in sys.path if one not in before and one != project]  # by the module itself: it stays
        sys.path[:] = [*added, *before, project]


def import_installed_module(name: str) -> Any:
    """An installed module, or ImportError: a module of that name inside a project is not accepted."""
    with lock:
        before = sys.path[:]
        sys.path[:] = [one for one in before if one not in owned]
        try:
            return importlib.import_module(name)
        finally:
            sys.path[:] = before


class AsWritten(SourceFileLoader):
    """A module compiled from its source. Bytecode in a project may come from another source."""

    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


@contextmanager
def as_written(project: str) -> Iterator[None]:
    """Import project modules from source, so that the text a user approves is what runs."""

    def finder(folder: str) -> FileFinder:
        if not is_own(folder, project):
            raise ImportError(f"{folder} is not the project's")
        return FileFinder(folder, (AsWritten, SOURCE_SUFFIXES), (ExtensionFileLoader, EXTENSION_SUFFIXES))

    for folder in [one for one in list(sys.path_importer_cache) if is_own(one, project)]:
        sys.path_importer_cache.pop(folder, None)
    sys.path_hooks.insert(0, finder)
    try:
        yield
    finally:
        sys.path_hooks.remove(finder)


def is_own(folder: str, project: str) -> bool:
    """Whether a folder holds a project's own modules, and not packages installed into it."""
    return f"{folder}{os.sep}".startswith(project + os.sep) and "site-packages" not in folder[len(project) :]


def home_of(module: Any) -> str:
    """The project that a module belongs to; none for an installed one."""
    try:
        file = getattr(module, "__file__", None) or next(iter(getattr(module, "__path__", ())), "")
    except Exception:  # sys.modules may hold anything
        return ""
    if not isinstance(file, str) or "site-packages" in file or file.startswith(INSTALLED):
        return ""
    return max((one for one in owned if file.startswith(one + os.sep)), key=len, default="")


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
            # Only "there is no such module" means "try a shorter name"; an error inside a module must be raised.
            if used == 1 or not (exc.name and f"{name}.".startswith(f"{exc.name}.")):
                raise
    raise ImportError(".".join(names))
