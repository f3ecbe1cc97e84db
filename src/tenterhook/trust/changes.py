"""The difference between what was approved and what is there now."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenterhook.trust.item import Item
    from tenterhook.trust.parts import BoundFile


def summary(before: Item, now: Item) -> str:
    """In a few words: which keys of the entry, which files."""
    return ", ".join([*keys(before.entry, now.entry), *files(before, now)]) or "it moved to another place"


def keys(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    found = []
    for key in [*before, *(key for key in now if key not in before)]:
        if before.get(key) == now.get(key):
            continue
        if key == "spec":
            found += keys(before.get(key, {}), now.get(key, {}))
        elif key != "name":
            found.append(key)
    return list(dict.fromkeys("what it runs" if key == "main" else key for key in found if key != "form"))


def files(before: Item, now: Item) -> list[str]:
    """The files whose bytes or real paths differ."""
    was = {one.path: one for one in before.parts}
    there = {one.path: one for one in now.parts}
    return [
        name(path) for path in [*was, *(p for p in there if p not in was)] if differ(was.get(path), there.get(path))
    ]


def differ(before: BoundFile | None, now: BoundFile | None) -> bool:
    return before is None or now is None or before.key != now.key


def name(path: str) -> str:
    return os.path.basename(path) or path


def diff(before: Item, now: Item) -> Iterator[str]:
    """A diff of the entry, then of each file whose text was stored."""
    import json
    from difflib import unified_diff

    def lines(entry: dict[str, Any]) -> list[str]:
        return json.dumps(entry, indent=2, ensure_ascii=False).splitlines()

    if before.entry != now.entry:
        yield from unified_diff(lines(before.entry), lines(now.entry), "approved entry", "entry now", lineterm="")
    was = {one.path: one for one in before.parts}
    there = {one.path: one for one in now.parts}
    for path in [*was, *(path for path in there if path not in was)]:
        old, new = was.get(path), there.get(path)
        if differ(old, new):
            yield from file_diff(path, old, new)


def file_diff(path: str, old: BoundFile | None, new: BoundFile | None) -> Iterator[str]:
    from difflib import unified_diff

    if old and new and old.text is not None and new.text is not None and old.text != new.text:
        yield from unified_diff(
            old.text.splitlines(), new.text.splitlines(), f"{name(path)} as approved", f"{name(path)} now", lineterm=""
        )
    else:
        yield f"- {describe_part(path, old)}"
        yield f"+ {describe_part(path, new)}"


def describe_part(path: str, one: BoundFile | None) -> str:
    if one is None:
        return f"{path}: not part of it"
    if one.how == "absent":
        return f"{path}: not there"
    where = f" at {one.real}" if one.real != path else ""
    what = {"content": f"{one.size:,} bytes, {one.digest[:16]}", "stamp": f"{one.size:,} bytes, times {one.digest}"}
    return f"{path}{where}: {what.get(one.how, 'a program of the system')}"
