"""Entries -> the text of a config file, new or with what stands in it already; and the hooks that are read from it."""

from __future__ import annotations

from fnmatch import fnmatch
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config import load
from tenterhook.config.entry_keys import OURS, key_of
from tenterhook.config.locations import FORMATS, Place
from tenterhook.dialects import DEFAULT
from tenterhook.dialects.schema.dialect import Dialect, File
from tenterhook.errors import UsageError
from tenterhook.support import readers
from tenterhook.tools.convert import comments
from tenterhook.tools.convert.placing import Written
from tenterhook.tools.install.editing.edit import EMPTY, Addition, apply_additions, split_bom
from tenterhook.tools.install.init.additions import required_additions
from tenterhook.types import Hook, Path

# What a hook is without a word of ours.
USUAL: dict[str, Any] = {"condition": None, "on_failure": {}, "once": False}


class Item(Struct, frozen=True):
    """One item of a list in the file: a group or an entry, and what stands in it, by the path inside the item."""

    path: tuple[str, ...]
    value: dict[str, Any]
    holds: tuple[tuple[Path, Written], ...]


class Text(Struct, frozen=True):
    """A file's text; where each entry stands in it; the comments that have no place in it."""

    text: str
    entries: tuple[tuple[Path, Written], ...]
    homeless: tuple[tuple[Written, str], ...]


def file_for(target: Dialect, path: str = "") -> File:
    """The project's file that hooks are written into: the first one, or the first of a format that a path names."""
    formats = FORMATS.get(f".{path.rpartition('.')[2].lower()}", ()) if path else tuple(EMPTY)
    own = [
        one for one in target.config.files if one.scope == "project" and one.format in formats and one.format in EMPTY
    ]
    first = target.install.project if target.install else ""
    fitting = sorted(own, key=lambda one: (not fnmatch(first, one.path), one.origin != "settings"))
    if not fitting:
        known = ", ".join(sorted({one.path for one in target.config.files if one.scope == "project"}))
        raise UsageError(f"{target.title} reads no project's file like {path or 'that'!r}; it reads {known}")
    return fitting[0]


def path_of(file: File) -> str:
    """Where any name will do, the file has ours."""
    return file.path.replace("**/", "").replace("*", DEFAULT)


def items(written: list[Written], target: Dialect, file: File) -> list[Item]:
    """Items in the order of the events; hooks of one event whose groups say the same share a group."""
    by_event: dict[str, list[Written]] = {}
    for one in written:
        by_event.setdefault(one.rule.name, []).append(one)
    base = tuple(file.sections[0].hooks.split("."))
    if target.config.form.entries:
        return [item for of_event in merge_same_entries(written, target) for item in (single(of_event, base),)]
    below = target.setup.list_key if target.setup else ""
    found: list[Item] = []
    for event, entries in by_event.items():
        path = (*base, event, below) if below else (*base, event)
        ordered = sorted(entries, key=lambda one: -one.taken.hook.priority)
        found += (
            group_entries(ordered, path, target.config.form.group)
            if target.config.form.group
            else [single(e, path) for e in ordered]
        )
    return found


def single(one: Written, path: tuple[str, ...]) -> Item:
    return Item(path, {**one.group, **one.entry}, (((), one),))


def merge_same_entries(written: list[Written], target: Dialect) -> list[Written]:
    """Entries that differ in their event alone are one entry for several events."""
    key = key_of(target.config.form.keys, "event")
    found: list[Written] = []
    for one in written:
        last = found[-1] if found else None
        if last and last.taken.hook.source.path == one.taken.hook.source.path and rest(last, key) == rest(one, key):
            last.entry[key] = [*wrap_in_list(last.entry[key]), one.entry[key]]
        else:
            found.append(one)
    return found


def rest(one: Written, key: str) -> dict[str, Any]:
    return {name: value for name, value in one.entry.items() if name != key}


def wrap_in_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def group_entries(written: list[Written], path: tuple[str, ...], group: str) -> list[Item]:
    found: list[list[Written]] = []
    for one in written:
        if found and found[-1][0].group == one.group:
            found[-1].append(one)
        else:
            found.append([one])
    return [
        Item(
            path,
            {**entries[0].group, group: [one.entry for one in entries]},
            tuple(((group, n), one) for n, one in enumerate(entries)),
        )
        for entries in found
    ]


def text_of(made: list[Item], target: Dialect, file: File, path: str, before: bytes | None = None) -> Text:
    """The file with these items: a new one, or one that is there, in which nothing else is touched."""
    source = EMPTY[file.format] if before is None else before
    data = readers.parse(source, path, file.format).data if before else {}
    wanted = [item for item in made if item.value not in wrap_in_list(load.dig(data, ".".join(item.path))[0] or [])]
    additions = [Addition(item.path, item.value) for item in wanted]
    beside = target.install.beside if target.install else {}
    content, _ = apply_additions(source, path, file.format, [*required_additions(target, beside, data), *additions])
    entries = tuple(locate_entries(wanted, data))
    notes = [(where, one.comments) for where, one in entries if one.comments]
    bom, bare = split_bom(content)
    text, homeless = comments.insert_comments(bare, file.format, notes)
    left = tuple((one, line) for _, one in entries for line in one.comments) if homeless else ()
    return Text(bom.decode() + text, entries, left)


def locate_entries(made: list[Item], data: Any) -> list[tuple[Path, Written]]:
    """Where each entry stands in the file: behind what was there."""
    counts: dict[tuple[str, ...], int] = {}
    found = []
    for item in made:
        there = load.dig(data, ".".join(item.path))[0]
        n = counts.setdefault(item.path, len(there) if isinstance(there, list) else 0)
        counts[item.path] += 1
        found += [((*item.path, n, *inner), one) for inner, one in item.holds]
    return found


def reread(text: str, target: Dialect, file: File, path: str) -> load.Loaded:
    """The hooks that the other agent finds in the text, and what is wrong with it there."""
    place = Place(path, file, True)
    loaded = load.Loaded(places=[place])
    document = readers.parse(text.encode(), path, file.format)
    for found in load.sections(document, place, target, loaded):
        loaded.problems += load.add(found, document, place, target, loaded, load.Words())
    return loaded


def owners(loaded: load.Loaded, text: Text, target: Dialect) -> list[tuple[Hook, Written]]:
    """Each hook that was read again, as the agent itself takes it, with the entry that it was written as."""
    by_path = dict(text.entries)
    found = [(hook, by_path[hook.source.path]) for hook in loaded.hooks if hook.source.path in by_path]
    return [(drop_our_settings(hook, one, target), one) for hook, one in found]


def drop_our_settings(hook: Hook, one: Written, target: Dialect) -> Hook:
    """Without what stands in a block of ours, which the agent does not look at."""
    ours = one.entry.get(key_of(target.config.form.keys, "ours"), {})
    setters = {OURS[name] for name in ours}
    return replace(hook, **{name: usual for name, usual in USUAL.items() if name in setters})
