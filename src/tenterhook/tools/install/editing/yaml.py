"""Additions to YAML in block style. Flow style (brackets) is left alone."""

from __future__ import annotations

from typing import Any

from yaml.nodes import CollectionNode, MappingNode, Node

from tenterhook.support.readers.yaml import Loader, children
from tenterhook.tools.install.editing.edit import Addition, EditRefused, newline

STEP = "  "


def edit(text: str, addition: Addition) -> tuple[int, str, str]:
    """After the last line of the existing mapping or list; missing parts of the path are written with it."""
    node, missing = nearest(Loader(text).get_single_node(), addition.path)
    value: Any = [addition.value] if addition.item and missing else addition.value
    for key in reversed(missing):
        value = {key: value}
    if node is None or (not node.value and missing == addition.path):  # nothing but comments, or a bare `---`
        return len(text), "", terminate_lines(text, len(text), render_yaml_block(value, ""))
    if not isinstance(node, CollectionNode) or node.flow_style or not node.value:
        where = ".".join(addition.path[: len(addition.path) - len(missing)]) or "the file"
        raise EditRefused(f"{where} is not written in block style, a line for each item; nothing was written")
    indent = column(text, node)
    at = line_after(text, last_mark(node))
    return at, "", terminate_lines(text, at, render_yaml_block(value if missing else [value], indent))


def nearest(node: Node | None, path: tuple[str, ...]) -> tuple[Node | None, tuple[str, ...]]:
    """The last existing node on the path, and the missing keys."""
    for depth, key in enumerate(path):
        pairs = node.value if isinstance(node, MappingNode) else ()
        found = [value for name, value in pairs if name.value == key]
        if not found:
            return node, path[depth:]
        node = found[-1]
    return node, ()


def column(text: str, node: CollectionNode) -> str:
    """The indentation of its keys, or of its dashes; a key may have a `?` before it."""
    first = next(iter(children(node))).start_mark.index
    before = text[text.rfind("\n", 0, first) + 1 : first]
    bare = before.rstrip(" ")
    if isinstance(node, MappingNode):
        return " " * len(bare[:-1] if bare.endswith("?") else before)
    return before[: len(before) - len(before.lstrip(" "))]


def last_mark(node: Node) -> int:
    """Where its last scalar ends: the end of a block itself is after the comments that follow it."""
    while isinstance(node, CollectionNode) and not node.flow_style and node.value:
        node = list(children(node))[-1]
    return int(node.end_mark.index)


def line_after(text: str, at: int) -> int:
    """The start of the next line; a block of text ends on one."""
    if at == 0 or text[at - 1] == "\n":
        return at
    end = text.find("\n", at)
    return end + 1 if end >= 0 else len(text)


def terminate_lines(text: str, at: int, lines: list[str]) -> str:
    line_end = newline(text)
    start = line_end if at and text[at - 1] != "\n" else ""
    return start + "".join(line + line_end for line in lines)


def render_yaml_block(value: Any, indent: str) -> list[str]:
    """Block style; texts in double quotes, as in JSON."""
    from json import dumps

    lines = []
    if isinstance(value, list):
        for item in value:
            first, *rest = render_yaml_block(item, indent + STEP)
            lines += [f"{indent}- {first.lstrip(' ')}", *rest]
        return lines
    if not isinstance(value, dict):
        return [indent + dumps(value, ensure_ascii=False)]
    for key, one in value.items():
        if isinstance(one, dict | list):
            lines += [f"{indent}{key}:", *render_yaml_block(one, indent + STEP)]
        else:
            lines.append(f"{indent}{key}: {dumps(one, ensure_ascii=False)}")
    return lines
