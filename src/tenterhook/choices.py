"""What a caller may say: a wrong word or a wrong folder is an error at once, with the nearest good one."""

from __future__ import annotations

import os

from tenterhook.errors import UsageError, nearest


def folder(project: str | os.PathLike[str]) -> str:
    """A wrong path must not be taken for a project without hooks."""
    try:
        path = os.path.abspath(project)
    except FileNotFoundError:
        raise UsageError("the current folder does not exist any more") from None
    if not os.path.isdir(path):
        raise UsageError(f"the project {os.fspath(project)!r} is not a folder")
    return path


def check_choice(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise UsageError(f"no {name} {value!r}{nearest(value, known)}; it may be: {', '.join(known)}")
