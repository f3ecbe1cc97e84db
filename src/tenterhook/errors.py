"""What can be wrong before a hook runs. A hook that fails is never one of these: it is an Attempt with `error` set.

TenterhookError
├── ConfigError      a file says something that cannot be used; knows file, line and column
├── UnknownDialect   no such file in dialects/
├── UnknownEvent     the dialect has no event of that name or kind
├── DialectError     a dialect's own data is wrong; found when it is loaded
├── UsageError       a call or a command line that cannot work
├── ProviderError    a model could not be asked (clients/models)
└── ServerError      an MCP server or a tool of it failed (clients/mcp)
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ConfigError", "DialectError", "TenterhookError", "UnknownDialect", "UnknownEvent", "UsageError", "nearest"]


class TenterhookError(Exception):
    """The root of everything this package raises on purpose."""


class ConfigError(TenterhookError):
    """A file that cannot be used. Prints as `file:line:column: what is wrong`."""

    def __init__(self, message: str, *, file: str = "", line: int = 0, column: int = 0) -> None:
        self.message, self.file, self.line, self.column = message, file, line, column
        where = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(f"{where}: {message}" if where else message)


class UnknownDialect(TenterhookError):
    """No dialect of that name."""


class UnknownEvent(TenterhookError):
    """No event of that name or kind in this dialect."""


class DialectError(TenterhookError):
    """A dialect's data names a strategy, field or event that does not exist."""


class UsageError(TenterhookError):
    """A command line that cannot work."""


def nearest(word: str, known: Iterable[object]) -> str:
    """` (did you mean 'x'?)`, or nothing where no known word is close."""
    from difflib import get_close_matches

    folded = {str(one).lower(): str(one) for one in known}
    close = get_close_matches(word.lower(), folded, n=1, cutoff=0.6)
    return f" (did you mean {folded[close[0]]!r}?)" if close else ""


def format_exception_line(exc: BaseException) -> str:
    """Its kind and its words; an exception that cannot even say what it is must not raise another one."""
    kind = type(exc).__name__
    try:
        return f"{kind}: {exc}" if str(exc) else kind
    except Exception:
        return kind


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
