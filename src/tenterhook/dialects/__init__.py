"""One file per agent, data only. A dialect is found by its file's name; other packages add theirs by entry point.

The plain name is the newest version. An older one is a difference, `revise(NEWEST, ...)`, in a file of its own whose
name ends in the version: `agent_1_2.py` is `agent@1.2`.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.errors import DialectError, UnknownDialect, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

DEFAULT = "tenterhook"
GROUP = "tenterhook.dialects"
OLDER = r"(.+?)_(\d+(?:_\d+)*)"


def get(name: str) -> Dialect:
    """The dialect of that name: one module import; entry points are scanned only if no file of ours fits."""
    plain, _, version = name.partition("@")
    if version:
        return of_version(plain, version)
    if name.isidentifier() and not name.startswith("_") and not is_older(name) and is_file(name):
        return dialect_of(import_file(name))
    for entry in entry_points():
        if entry.name == name:
            return check_words(dialect_of(entry.load()))
    raise UnknownDialect(f"no dialect {name!r}{nearest(name, names())}; there are: {', '.join(names())}")


def of_version(name: str, version: str) -> Dialect:
    file = f"{name}_{version.replace('.', '_')}"
    if file.isidentifier() and is_older(file) and is_file(file):
        return dialect_of(import_file(file))
    newest = get(name)
    if newest.version == version:
        return newest
    known = versions(name)
    if not known:
        raise UnknownDialect(f"the dialect {name!r} has no versions: leave out '@{version}'")
    raise UnknownDialect(f"no version {version!r} of the dialect {name!r}; there are: {', '.join(known)}")


def is_older(file: str) -> bool:
    """Whether a file's name ends in a version."""
    return file[-1].isdecimal() and re.fullmatch(OLDER, file) is not None


def import_file(name: str) -> object:
    return __import__(f"{__name__}.{name}", fromlist=("DIALECT",))  # without importlib, which takes longer to import


def is_file(name: str) -> bool:
    return os.path.exists(os.path.join(os.path.dirname(__file__), f"{name}.py"))


def own() -> list[str]:
    here = os.listdir(os.path.dirname(__file__))
    return [file[:-3] for file in here if file.endswith(".py") and not file.startswith("_")]


def names() -> list[str]:
    """All dialects, ours and those of installed packages, older versions apart."""
    newest = {name for name in own() if not is_older(name)}
    return sorted(newest | {entry.name for entry in entry_points()})


def versions(name: str) -> list[str]:
    """The versions of a dialect, the newest first; none if it has none."""
    found = [old[2].replace("_", ".") for file in own() if (old := re.fullmatch(OLDER, file)) and old[1] == name]
    older = sorted(found, key=lambda version: [int(part) for part in version.split(".")], reverse=True)
    newest = get(name).version
    return [newest, *older] if newest else older


def entry_points() -> list[EntryPoint]:
    from importlib.metadata import entry_points as scan

    return list(scan(group=GROUP))


def dialect_of(found: object) -> Dialect:
    dialect = found if isinstance(found, Dialect) else getattr(found, "DIALECT", None)
    if not isinstance(dialect, Dialect):
        raise UnknownDialect(f"{found!r} holds no DIALECT")
    return dialect


def check_words(dialect: Dialect) -> Dialect:
    """Return a dialect that is not ours, or raise an error if it uses an unknown word. Our tests check ours."""
    from tenterhook.dialects.schema.vocabulary import check

    if problems := list(check(dialect)):
        raise DialectError(f"dialect {dialect.name!r}: " + "; ".join(problems))
    return dialect
