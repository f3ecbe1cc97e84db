"""Times as texts, in UTC. The last result is cached: many events fall into one minute, or one millisecond."""

from __future__ import annotations

from functools import lru_cache
from time import gmtime, strftime


@lru_cache(maxsize=2)
def stamp(milliseconds: int) -> str:
    """ISO 8601, from seconds since 1970."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{minute(seconds // 60)}:{seconds % 60:02}.{rest:03}Z"


@lru_cache(maxsize=2)
def minute(number: int) -> str:
    return strftime("%Y-%m-%dT%H:%M", gmtime(number * 60))
