"""TOML, as the standard library reads it."""

from __future__ import annotations

from tenterhook.errors import ConfigError
from tenterhook.library.project.syntax.place import format_config_error

LONG_LINE = 4000  # a key of thousands of parts takes tomllib quadratic time


def problems(path: str, text: str) -> list[str]:
    return [] if is_sound(text) else find_toml_problems(text)


def is_sound(text: str) -> bool:
    """The reader that knows places, and the bounds that hostile files need, takes longer to load than most to read."""
    import tomllib

    if max(map(len, text.split("\n"))) > LONG_LINE:
        return False
    try:
        tomllib.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def find_toml_problems(text: str) -> list[str]:
    from tenterhook.support.readers import toml

    try:
        toml.values(text, "")
    except ConfigError as exc:
        return [format_config_error(exc)]
    return []
