"""Our own settings in pyproject.toml: a guarded agent may write the file, but not these settings."""

from __future__ import annotations

from tenterhook.library.actions.settings import FILES, LONG_LINE
from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = FILES[1][0]
NAME = FILES[1][1].split(".")[1]


def changes_own_settings(path: str, after: str | None, texts: Iterable[str]) -> bool:
    """Whether our settings in a file change when it becomes `after`; None: its text is not known beforehand."""
    before = now(path)
    if after is None:
        return NAME in before or any(NAME in text for text in texts)
    if NAME not in before and NAME not in after:
        return False
    return table(before) != table(after)


def now(path: str) -> str:
    try:
        return files.text(path)
    except (OSError, ValueError):
        return ""


def table(text: str) -> object:
    """Our settings; the text itself if it cannot be parsed."""
    import tomllib

    if max(map(len, text.split("\n"))) > LONG_LINE:
        return text
    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return text
    return tool.get(NAME) if isinstance(tool, dict) else None
