"""Additions to a config file as edits of its text, each verified by parsing the result; and their removal.

An addition is data: an item for a list, or a key of a mapping. The module of a format turns it into an Edit, which
replaces `old` by `new` in the text (`old` is empty, or a comment that `new` repeats). After each edit the text must
hold the same data as before plus the addition, else nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

from tenterhook.errors import ConfigError
from tenterhook.support import readers

BOM = b"\xef\xbb\xbf"
# The content of a new file.
EMPTY = {"json": b"{}\n", "jsonc": b"{}\n", "toml": b"", "yaml": b""}


class Addition(Struct, frozen=True):
    """What is added at a path: an item at the end of the list there, or the value of a missing key.

    `says` is the command of an entry: the entry is recognised by it, whatever else was changed. If the command is a
    list of words, it is all of them, `joined`.
    """

    path: tuple[str, ...]
    value: Any
    item: bool = True
    says: str = ""


class Edit(Struct, frozen=True):
    """One change of a text, and what it adds to the data."""

    old: str
    new: str
    addition: Addition


class EditRefused(Exception):
    """The text cannot be changed safely; the message says why."""


def apply_additions(source: bytes, file: str, format: str, additions: list[Addition]) -> tuple[bytes, list[Edit]]:
    """The file's content with all additions, and the edits that lead there."""
    bom, text = split_bom(source)
    data = readers.parse(source, file, format).data
    done: list[Edit] = []
    for addition in additions:
        try:
            for step in steps(data, addition, format):
                wanted = with_addition(data, step)
                offset, old, new = editor(format)(text, step)
                text = text[:offset] + new + text[offset + len(old) :]
                data = verify_edit(text, wanted, file, format)
                done.append(Edit(old, new, step))
        except EditRefused as exc:
            raise ConfigError(f"{exc}\nadd by hand:\n{by_hand(addition, format)}", file=file) from None
    return bom + text.encode(), done


def split_bom(source: bytes) -> tuple[bytes, str]:
    """A byte order mark, and the text after it. The reader reports text that is not UTF-8."""
    bom = BOM if source.startswith(BOM) else b""
    return bom, source[len(bom) :].decode("utf-8", "surrogateescape")


def verify_edit(text: str, wanted: Any, file: str, format: str) -> Any:
    """The data of the changed text, if it is as expected; in the same order, and 1 is not 1.0."""
    try:
        found = readers.parse(text.encode(), file, format).data
    except ConfigError:
        found = None
    if repr(found) != repr(wanted):
        raise EditRefused("this file cannot be changed without touching other content; nothing was written")
    return found


def steps(data: Any, addition: Addition, format: str) -> Iterator[Addition]:
    """In JSON missing levels are made one by one, so that each can be removed again on its own."""
    if format in ("json", "jsonc"):
        for depth in range(1, len(addition.path) + addition.item):
            path = addition.path[:depth]
            if missing(data, path):
                yield Addition(path, [] if path == addition.path else {}, item=False)
    yield addition


def missing(data: Any, path: tuple[str, ...]) -> bool:
    for key in path:
        if not isinstance(data, dict) or key not in data:
            return True
        data = data[key]
    return False


def with_addition(data: Any, addition: Addition) -> Any:
    """The data with the addition in it."""
    whole = here = copy_unshared(data)
    *parents, last = addition.path
    for key in parents:
        here = inside(here.setdefault(key, {}), dict, key)
    if addition.item:
        inside(here.setdefault(last, []), list, last).append(addition.value)
    else:
        here[last] = addition.value
    return whole


def copy_unshared(data: Any) -> Any:
    """A deep copy: a list with two names in YAML must not grow under both."""
    if isinstance(data, dict):
        return {key: copy_unshared(value) for key, value in data.items()}
    return [copy_unshared(item) for item in data] if isinstance(data, list) else data


def inside(found: Any, kind: type, key: str) -> Any:
    if not isinstance(found, kind):
        wanted = "a list" if kind is list else "a mapping"
        raise EditRefused(f"{key} is {readers.kind(found)} here, not {wanted}; nothing was written")
    return found


def editor(format: str) -> Callable[[str, Addition], tuple[int, str, str]]:
    """The function of a format that says where an addition goes: offset, old text, new text."""
    if format in ("json", "jsonc"):
        from tenterhook.tools.install.editing import json

        return json.edit
    if format == "toml":
        from tenterhook.tools.install.editing import toml

        return toml.edit
    from tenterhook.tools.install.editing import yaml

    return yaml.edit


def by_hand(addition: Addition, format: str) -> str:
    """The addition as a file of its own would have it."""
    text = EMPTY[format].decode()
    for step in steps({}, addition, format):
        offset, old, new = editor(format)(text, step)
        text = text[:offset] + new + text[offset + len(old) :]
    return text.rstrip("\n")


def newline(text: str) -> str:
    """The file's own line end."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def without(source: bytes, file: str, format: str, edits: list[Edit]) -> tuple[bytes, list[Edit]]:
    """The content after people changed it, with our edits removed; and the edits that could not be."""
    bom, text = split_bom(source)
    data = readers.parse(source, file, format).data
    left = []
    for edit in reversed(edits):
        found = next(taken_back(text, data, edit, file, format), None)
        if found is not None:
            text, data = found
        elif edit.addition.says and says(data, edit.addition):
            left.append(edit)
    return bom + text.encode(), left


def taken_back(text: str, data: Any, edit: Edit, file: str, format: str) -> Iterator[tuple[str, Any]]:
    """The text without the edit, if adding it again would give the same data."""
    for changed in removals(text, data, edit, format):
        try:
            found = readers.parse(changed.encode(), file, format).data
            if canonical(with_addition(found, edit.addition)) == canonical(data):
                yield changed, found
        except (ConfigError, EditRefused):
            continue


def removals(text: str, data: Any, edit: Edit, format: str) -> Iterator[str]:
    """Candidates for the text without the edit. In JSON it is found by its position, whatever is around it now."""
    if format in ("json", "jsonc"):
        from tenterhook.tools.install.editing import json

        yield from json.removals(text, data, edit)
    elif edit.new and text.count(edit.new) == 1:
        yield text.replace(edit.new, edit.old)


def says(data: Any, addition: Addition) -> bool:
    """Whether there is an entry with our command at the path."""
    for key in addition.path:
        data = data.get(key) if isinstance(data, dict) else None
    return mentions(data, addition.says)


def join_argv(words: list[str]) -> str:
    return "\0".join(words)


def mentions(value: Any, command: str) -> bool:
    """Whether the command is somewhere in there, as a text or as a list of words."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value) and join_argv(value) == command:
        return True
    if isinstance(value, dict | list):
        return any(mentions(one, command) for one in (value.values() if isinstance(value, dict) else value))
    return bool(value == command)


def canonical(data: Any) -> str:
    """Equal for data that differ only in order."""
    if isinstance(data, dict):
        return "{" + ",".join(sorted(f"{key!r}:{canonical(value)}" for key, value in data.items())) + "}"
    if isinstance(data, list):
        return "[" + ",".join(sorted(map(canonical, data))) + "]"
    return repr(data)
