"""Texts without the secrets of the environment: an SDK's or a server's message may hold a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenterhook.support.secrets.names import kept_back

# The end of a header variable's name if its value is private.
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")


def secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values that no text may hold; very short ones are left out, since they would break words."""
    found = (value for value in kept_back(environ).values() if len(value) >= 6)
    return tuple(sorted(found, key=len, reverse=True))


def mask_secret_values(text: str, keys: Sequence[str]) -> str:
    for key in keys:
        text = text.replace(key, "[key]")
    return text
