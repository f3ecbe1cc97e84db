"""Texts without the secrets of the environment: what an SDK or a server says may hold a key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tenterhook.support.secrets.names import kept_back

# What the name of a header's variable ends with if its value is nobody's business.
SECRET = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")


def secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values that no text may hold; what is very short would tear up words."""
    found = (value for value in kept_back(environ).values() if len(value) >= 6)
    return tuple(sorted(found, key=len, reverse=True))


def mask_secret_values(text: str, keys: Sequence[str]) -> str:
    for key in keys:
        text = text.replace(key, "[key]")
    return text
