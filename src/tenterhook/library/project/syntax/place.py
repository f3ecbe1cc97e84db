"""Where something is wrong, as every checker writes it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.errors import ConfigError


def at(line: int, column: int, what: str) -> str:
    return f"{line}:{column}: {what}"


def mistaken(word: str, keys: Iterable[str]) -> str:
    """For a key that is missing: the one that stands there and was probably meant as it."""
    from difflib import get_close_matches

    close = get_close_matches(word, keys, n=1, cutoff=0.7)
    return f" (is {close[0]!r} meant to be {word!r}?)" if close else ""


def format_config_error(exc: ConfigError) -> str:
    """A reader's error without the file's name, which the caller knows."""
    return at(exc.line or 1, exc.column or 1, exc.message)
