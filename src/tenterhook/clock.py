"""Times as texts, in UTC."""

from __future__ import annotations

from functools import lru_cache
from time import gmtime, strftime


def stamp(milliseconds: int) -> str:
    """ISO 8601, of a time since 1970."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{minute(seconds // 60)}:{seconds % 60:02}.{rest:03}Z"


@lru_cache(maxsize=2)
def minute(number: int) -> str:
    """Most events fall into a minute of which the text is known: to make it takes longer than the rest."""
    return strftime("%Y-%m-%dT%H:%M", gmtime(number * 60))
