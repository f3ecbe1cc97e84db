"""Our own settings in pyproject.toml: whoever is guarded may write the file, but not them."""

from __future__ import annotations

from tenterhook.library.actions.settings import FILES, LONG_LINE
from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = FILES[1][0]
NAME = FILES[1][1].split(".")[1]


def changes_own_settings(path: str, after: str | None, texts: Iterable[str]) -> bool:
    """Whether a file that becomes `after` has other settings of ours then; None is not known beforehand."""
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
    """What is said to us; the text itself where it cannot be read."""
    import tomllib

    if max(map(len, text.split("\n"))) > LONG_LINE:
        return text
    try:
        tool = tomllib.loads(text).get("tool")
    except (ValueError, RecursionError):
        return text
    return tool.get(NAME) if isinstance(tool, dict) else None
