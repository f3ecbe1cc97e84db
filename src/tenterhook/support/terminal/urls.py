"""URLs as they may be shown."""

from __future__ import annotations


def bare(url: str) -> str:
    """Without user, password and query, which may be private."""
    scheme, found, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{found}{host.rpartition('@')[2].partition('?')[0]}{slash}{path.partition('?')[0]}"
