"""One file per agent, data only. A dialect is found by its file's name; other packages add theirs by entry point."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from tenterhook.dialect import Dialect
from tenterhook.errors import UnknownDialect, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DEFAULT = "tenterhook"
GROUP = "tenterhook.dialects"


def get(name: str) -> Dialect:
    """The dialect of that name: one module import; entry points are scanned only where no file of ours fits."""
    if (
        name.isidentifier()
        and not name.startswith("_")
        and os.path.exists(os.path.join(os.path.dirname(__file__), f"{name}.py"))
    ):
        return dialect_of(import_module(f"{__name__}.{name}"))
    for entry in entry_points():
        if entry.name == name:
            return dialect_of(entry.load())
    raise UnknownDialect(f"no dialect {name!r}{nearest(name, names())}; there are: {', '.join(names())}")


def names() -> list[str]:
    """All dialects, ours and those of installed packages."""
    here = os.listdir(os.path.dirname(__file__))
    own = {file[:-3] for file in here if file.endswith(".py") and not file.startswith("_")}
    return sorted(own | {entry.name for entry in entry_points()})


def entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points as scan

    return list(scan(group=GROUP))


def dialect_of(found: object) -> Dialect:
    dialect = found if isinstance(found, Dialect) else getattr(found, "DIALECT", None)
    if not isinstance(dialect, Dialect):
        raise UnknownDialect(f"{found!r} holds no DIALECT")
    return dialect
