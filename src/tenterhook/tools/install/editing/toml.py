"""Additions to TOML: a table at the end of the file. An inline list cannot be extended, and is left alone."""

from __future__ import annotations

from typing import Any

from tenterhook.tools.install.editing.edit import Addition, EditRefused, newline

BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def edit(text: str, addition: Addition) -> tuple[int, str, str]:
    """A table; a top-level key only if no table comes before it; a key of a table that is not there yet."""
    if not addition.item and len(addition.path) > 1:
        *table, key = addition.path
        lines = [f"[{'.'.join(map(word, table))}]", f"{word(key)} = {value(addition.value)}"]
        return len(text), "", at_end(text, lines)
    if not addition.item:
        if text.strip():
            raise EditRefused(f"{'.'.join(addition.path)} must come before the tables of the file; nothing was written")
        return len(text), "", f"{'.'.join(map(word, addition.path))} = {value(addition.value)}{newline(text)}"
    lines = [f"[[{'.'.join(map(word, addition.path))}]]"]
    lines += [f"{word(key)} = {value(one)}" for key, one in addition.value.items()]
    return len(text), "", at_end(text, lines)


def at_end(text: str, lines: list[str]) -> str:
    gap = [] if not text else [""] if text.endswith("\n") else ["", ""]
    return newline(text).join([*gap, *lines, ""])


def word(key: str) -> str:
    return key if key and BARE.issuperset(key) else value(key)


def value(one: Any) -> str:
    """A value in TOML, on one line."""
    if isinstance(one, dict):
        return "{ " + ", ".join(f"{word(key)} = {value(inner)}" for key, inner in one.items()) + " }"
    if isinstance(one, list):
        return "[" + ", ".join(map(value, one)) + "]"
    from json import dumps

    return dumps(one)  # text, whole numbers and booleans look the same in both
