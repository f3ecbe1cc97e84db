"""YAML as a tree of dictionaries, lists and texts that know where they stand.

Keys and values keep the letters of the file: `on` is a key here and no boolean, a tag of some program's own is no
error, and every document of the file is read.
"""

from __future__ import annotations

from tenterhook.library.project.syntax.place import at, format_config_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from yaml.nodes import MappingNode, Node

MERGE = "tag:yaml.org,2002:merge"
NULL = "tag:yaml.org,2002:null"
START = (1, 1)


class Text(str):
    """A scalar as it is written, whatever YAML would make of it."""

    __slots__ = ("place",)
    place: tuple[int, int]


class Opaque(str):
    """What stands behind a tag that only the program that reads the file understands."""

    __slots__ = ("place",)
    place: tuple[int, int]


class List(list["Any"]):
    """A sequence. Empty text, as null is written, is None in it."""

    __slots__ = ("place",)
    place: tuple[int, int]


class Map(dict[str, "Any"]):
    """A mapping; `keys_at` says where each of its own keys stands."""

    __slots__ = ("keys_at", "place")
    place: tuple[int, int]
    keys_at: dict[str, tuple[int, int]]

    def at(self, key: str, what: str) -> str:
        """A problem with a key, where it stands; where the mapping starts if it is absent or merged in."""
        return at(*self.keys_at.get(key, self.place), what)


class Tree:
    """All documents of a text, and what is wrong with it as YAML."""

    __slots__ = ("documents", "made", "problems")

    def __init__(self, text: str) -> None:
        self.documents: list[Any] = []
        self.problems: list[str] = []
        self.made: dict[int, Any] = {}
        self.read(text)

    def read(self, text: str) -> None:
        from yaml import YAMLError

        from tenterhook.support.readers.yaml import AliasBounds, Loader, yaml_config_error

        try:
            loader = Loader(text)
            while loader.check_node():
                if (node := loader.get_node()) is not None:
                    AliasBounds().measure(node, 1)
                    self.documents.append(self.value(node))
        except YAMLError as exc:
            self.problems.append(format_config_error(yaml_config_error(exc, text, "")))

    def value(self, node: Node) -> Any:
        if id(node) not in self.made:
            self.made[id(node)] = self.fresh(node)
        return self.made[id(node)]

    def fresh(self, node: Node) -> Any:
        from yaml.nodes import MappingNode, SequenceNode

        made: Text | Opaque | List | Map
        if node.tag == NULL:
            return None
        if node.tag.startswith("!"):
            made = Opaque(node.tag)
        elif isinstance(node, MappingNode):
            made = self.mapping(node)
        elif isinstance(node, SequenceNode):
            made = List(self.value(item) for item in node.value)
        else:
            made = Text(node.value)
        made.place = node_position(node)
        return made

    def mapping(self, node: MappingNode) -> Map:
        """Own keys win over merged ones."""
        made, merged = Map(), {}
        made.keys_at = {}
        for key, value in node.value:
            if key.tag == MERGE:
                merged.update(self.merge_keys(self.value(value)))
                continue
            name = key.value if isinstance(key.value, str) else repr(self.value(key))
            if name in made:
                line, _ = made.keys_at[name]
                self.problems.append(at(*node_position(key), f"the key {name!r} stands here again, after line {line}"))
            made[name] = self.value(value)
            made.keys_at[name] = node_position(key)
        for name, found in merged.items():
            made.setdefault(name, found)
        return made

    def merge_keys(self, found: Any) -> dict[str, Any]:
        """Of several sources the first wins."""
        sources = [found] if isinstance(found, dict) else found if isinstance(found, list) else []
        return {name: one for source in reversed(sources) if isinstance(source, dict) for name, one in source.items()}


def node_position(node: Node) -> tuple[int, int]:
    mark = node.start_mark
    return (mark.line + 1, mark.column + 1) if mark else START


def words(found: Any) -> list[Text]:
    """The texts of a value that may be one text or a list of them."""
    if isinstance(found, Text):
        return [found]
    return [one for one in found if isinstance(one, Text)] if isinstance(found, list) else []


def every_text(found: Any, seen: set[int] | None = None) -> Iterator[Text]:
    """Each text below a value once, aliases included once."""
    seen = set() if seen is None else seen
    if isinstance(found, Text):
        yield found
    elif isinstance(found, dict | list) and id(found) not in seen:
        seen.add(id(found))
        for one in found.values() if isinstance(found, dict) else found:
            yield from every_text(one, seen)
