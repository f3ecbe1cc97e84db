"""Changes of what a config file already says: another value, another name of a key, keys put below a new one.

Like an addition, a change is made in the text and verified by parsing the result; the rest of the text stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from json import dumps
from typing import Any

from tenterhook.errors import ConfigError
from tenterhook.support import readers
from tenterhook.support.readers.json import BLANKS, blank_out_comments
from tenterhook.tools.install.editing.edit import EditRefused, copy_unshared, newline, split_bom, verify_edit
from tenterhook.tools.install.editing.json import indentation, layout_of, locate
from tenterhook.types import Path

# How far behind its key a value is looked for in formats whose scans do not say where values are.
NEAR = 4096


def change_value(source: bytes, file: str, format: str, path: Path, value: Any) -> bytes:
    """The file's content with another value at the path."""
    bom, text = split_bom(source)
    wanted = copy_unshared(readers.parse(source, file, format).data)
    holder = parent_of(wanted, path)
    old, holder[path[-1]] = holder[path[-1]], value
    if format in ("json", "jsonc"):
        place = locate(blank_out_comments(text, ""), path)
        tried = [text[: place.value] + dumps(value, ensure_ascii=False) + text[place.end :]]
    else:
        tried = [*replacements(text, source, file, format, path, old, value)]
    return bom + first_right(tried, wanted, file, format).encode()


def rename_key(source: bytes, file: str, format: str, path: Path, name: str) -> bytes:
    """The file's content with another name of the key at the path. A key of that name that is there is not touched."""
    bom, text = split_bom(source)
    wanted = copy_unshared(readers.parse(source, file, format).data)
    holder, key = parent_of(wanted, path), path[-1]
    if name in holder:
        raise EditRefused(f"{name} is there already: join the two by hand")
    items = list(holder.items())
    holder.clear()
    holder.update({name if one == key else one: value for one, value in items})
    start = offset_of(source, text, file, format, path)
    tried = [text[:start] + text[start:].replace(old, new, 1) for old, new in spellings(str(key), name)]
    return bom + first_right(tried, wanted, file, format).encode()


def wrap_keys(source: bytes, file: str, format: str, names: tuple[str, ...], key: str) -> bytes:
    """The file's content with keys of its top put below a key, which comes where the first of them was. JSON only."""
    if format not in ("json", "jsonc"):
        raise EditRefused(f"put {', '.join(names)} below {key} by hand: that is done in JSON alone")
    bom, text = split_bom(source)
    data = readers.parse(source, file, format).data
    if key in data:
        raise EditRefused(f"{key} is there already: put {', '.join(names)} below it by hand")
    bare = blank_out_comments(text, "")
    spans = sorted((locate(bare, (name,)).offset, locate(bare, (name,)).end) for name in names)
    if any(bare[end:start].strip(BLANKS) != "," for (_, end), (start, _) in pairwise(spans)):
        raise EditRefused(f"put {', '.join(names)} below {key} by hand: other keys are between them")
    start, end = spans[0][0], spans[-1][1]
    wanted: dict[str, Any] = {}
    for name, value in data.items():
        if name in names:
            wanted.setdefault(key, {})[name] = value
        else:
            wanted[name] = value
    return bom + first_right([wrap_text(text, bare, start, end, key)], wanted, file, format).encode()


def wrap_text(text: str, bare: str, start: int, end: int, key: str) -> str:
    inner = text[start:end]
    if "\n" not in inner and "\n" not in text[: text.index("{") + 1 + len(text) - len(text.lstrip())] + text[:start]:
        return f"{text[:start]}{dumps(key)}: {{{inner}}}{text[end:]}"
    layout = layout_of(text, bare, bare.index("{"), empty=False)
    base, end_of_line = indentation(text, start), newline(text)
    inner = inner.replace("\n", f"\n{layout.unit}")
    return f"{text[:start]}{dumps(key)}: {{{end_of_line}{base}{layout.unit}{inner}{end_of_line}{base}}}{text[end:]}"


def parent_of(data: Any, path: Path) -> Any:
    for key in path[:-1]:
        data = data[key]
    return data


def offset_of(source: bytes, text: str, file: str, format: str, path: Path) -> int:
    line, column = readers.parse(source, file, format).where(path)
    return readers.line_starts(text)[line - 1] + column - 1


def replacements(text: str, source: bytes, file: str, format: str, path: Path, old: Any, value: Any) -> Iterator[str]:
    """The text with each place behind the key at which the old value may stand given the new one."""
    start = offset_of(source, text, file, format, path)
    for was, now in spellings(old, value):
        at = text.find(was, start, start + NEAR)
        while at >= 0:
            yield text[:at] + now + text[at + len(was) :]
            at = text.find(was, at + 1, start + NEAR)


def spellings(old: Any, new: Any) -> Iterator[tuple[str, str]]:
    """How both may be written: as in JSON, in single quotes, bare."""
    yield dumps(old, ensure_ascii=False), dumps(new, ensure_ascii=False)
    if isinstance(old, str):
        yield f"'{old}'", f"'{new}'" if "'" not in new else dumps(new, ensure_ascii=False)
        yield old, new
        yield old, dumps(new, ensure_ascii=False)


def first_right(tried: list[str], wanted: Any, file: str, format: str) -> str:
    """The first text that holds what is wanted."""
    for text in tried:
        try:
            verify_edit(text, wanted, file, format)
        except (EditRefused, ConfigError):
            continue
        return text
    raise EditRefused("this cannot be changed without touching other content")
