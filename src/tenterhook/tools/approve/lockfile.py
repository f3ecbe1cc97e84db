"""A lockfile of a project's hooks, for a team to commit: every item and the project files behind it.

It holds no path of a particular machine, and it approves nothing: otherwise write access would mean power to approve.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any

from tenterhook.errors import ConfigError
from tenterhook.support.files import contents
from tenterhook.support.paths import within
from tenterhook.trust.item import Item

NAME = "tenterhook.lock"
ABOUT = "written by `tenter lock`, checked by `tenter audit`; digests are BLAKE2b, 32 bytes (b2sum -l 256)"
VERSION = 1
LARGEST = 8 << 20


def lock(items: Sequence[Item], project: str) -> str:
    """The same project gives the same text, on every machine."""
    made = [build_lock_entry(item, os.path.realpath(project)) for item in items]
    made.sort(key=lambda one: json.dumps([one[key] for key in ("file", "dialect", "kind", "event", "agent", "order")]))
    return json.dumps({"about": ABOUT, "version": VERSION, "items": made}, indent=2, ensure_ascii=True) + "\n"


def build_lock_entry(item: Item, root: str) -> dict[str, Any]:
    """Programs of the machine are identified by their names in the command; the project's own files by their bytes."""
    there = [part for part in item.parts if part.how != "absent"]
    own = [part for part in there if within(part.path, root) or within(os.path.realpath(part.path), root)]
    return {
        "dialect": item.dialect,
        "kind": item.kind,
        "file": relative(item.file, root),
        "event": item.event,
        "agent": item.agent or "",
        "order": item.order,
        "name": item.name,
        "entry": item.entry,
        "files": {relative(one.path, root): one.digest or one.how for one in own},
        "unbound": list(item.unbound),
    }


def relative(path: str, root: str) -> str:
    """Relative to the project's root; symlinks on the way to the project do not count."""
    folder = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
    return os.path.relpath(folder, root)


def read(file: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(contents(file, LARGEST))
    except FileNotFoundError:
        raise ConfigError("the lockfile does not exist; tenter lock writes it", file=file) from None
    except (OSError, ValueError, RecursionError) as exc:
        raise ConfigError(f"cannot be read: {exc}", file=file) from None
    items = found.get("items") if isinstance(found, dict) else None
    if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
        raise ConfigError("is not a lockfile of tenterhook; tenter lock writes one", file=file)
    if found.get("version") != VERSION:
        raise ConfigError("was written by another version of tenterhook; tenter lock writes it again", file=file)
    return items


def differences(before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[str]]]:
    """Each item that is new, gone or changed, described, with a diff if there is one."""
    was, there = by_place(before), by_place(now)
    for place in [*was, *(one for one in there if one not in was)]:
        old, new = was.get(place), there.get(place)
        if old == new:
            continue
        what = "added" if old is None else "removed" if new is None else "changed"
        shown = new or old or {}
        yield f"{what}: {title(shown)}", diff(old, new)


def by_place(items: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    keys = ("file", "dialect", "kind", "event", "agent", "order")
    return {
        json.dumps([one.get(key) for key in keys] + [one.get("name") if one.get("kind") == "server" else ""]): one
        for one in items
    }


def title(item: dict[str, Any]) -> str:
    return f"{item.get('name')} ({item.get('event') or item.get('kind')}, {item.get('file')})"


def diff(old: dict[str, Any] | None, new: dict[str, Any] | None) -> list[str]:
    from difflib import unified_diff

    before, now = (json.dumps(one, indent=2).splitlines() if one else [] for one in (old, new))
    return list(unified_diff(before, now, "locked", "now", lineterm="", n=1))
