"""YAML with the types of PyYAML's safe loader, and with limits that a few lines of aliases cannot bypass."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import Reader, ReaderError

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML was built without libyaml; ten times slower, otherwise the same
    from yaml import SafeLoader  # type: ignore[assignment]

from tenterhook.errors import ConfigError
from tenterhook.support.readers import DEEPEST, Position, Scan, error

MOST_NODES = 100_000
STR, MERGE, VALUE = (f"tag:yaml.org,2002:{name}" for name in ("str", "merge", "value"))
NOT_A_VALUE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def values(text: str, file: str) -> Any:
    """The document's value; None for an empty one or null."""
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        if node is None:
            return {}
        AliasBounds().measure(node, 1)
        data = loader.construct_document(node)
    except yaml.YAMLError as exc:
        raise yaml_config_error(exc, text, file) from None
    return {} if data is None else data


def scan(text: str, file: str) -> Scan:
    loader = Loader(text)
    try:
        node = loader.get_single_node()
        return YamlScanner(loader, text).scan(node)
    except yaml.YAMLError as exc:
        raise yaml_config_error(exc, text, file) from None


def yaml_config_error(exc: yaml.YAMLError, text: str, file: str) -> ConfigError:
    if isinstance(exc, yaml.MarkedYAMLError):
        mark = exc.problem_mark or exc.context_mark
        message = ", ".join(part for part in (exc.context, exc.problem) if part)
        at = mark.index if mark else 0
        tab = "; indent with spaces, not with tabs" if text.startswith("\t", at) else ""
        return error(message + tab, text, file, at)
    if isinstance(exc, ReaderError):
        # The C reader counts bytes and the other one characters: so search for the character again.
        bad = Reader.NON_PRINTABLE.search(text)
        return error(f"the character U+{exc.character:04X} is not allowed here", text, file, bad.start() if bad else 0)
    return ConfigError(str(exc), file=file)


def constructor_error_at(message: str, node: Node) -> ConstructorError:
    return ConstructorError(None, None, message, node.start_mark)


class Loader(SafeLoader):
    """The safe loader, stopped before a deep or large file can exhaust memory or stack.

    `descend_resolver` and `ascend_resolver` are the only methods that both the C and the Python composer call for each
    node, and by default they do nothing.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = self.count = 0

    def descend_resolver(self, current_node: Node | None, current_index: Any) -> None:
        self.count += 1
        if current_node is not None and self.depth > DEEPEST:
            raise constructor_error_at(f"nested deeper than {DEEPEST} levels", current_node)
        if current_node is not None and self.count > MOST_NODES:
            raise constructor_error_at(f"more than {MOST_NODES:,} values", current_node)
        self.depth += 1

    def ascend_resolver(self) -> None:
        self.depth -= 1

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        """Plain errors such as `month must be in 1..12` have no position: add one."""
        try:
            return super().construct_object(node, deep)
        except NOT_A_VALUE as exc:
            why = f": {exc}" if isinstance(exc, ValueError) else ""
            kind = node.tag.rpartition(":")[2]
            raise constructor_error_at(f"{str(node.value)[:60]!r} cannot be read as {kind}{why}", node) from None


class AliasBounds:
    """The size and depth of a document when each alias counts as all of its target."""

    def __init__(self) -> None:
        self.measured: dict[int, tuple[int, int] | None] = {}

    def measure(self, node: Node, depth: int) -> tuple[int, int]:
        """Size and height. The recursion ends because the loader refused deeper trees."""
        if isinstance(node, ScalarNode):
            return 1, 0
        if id(node) not in self.measured:
            self.measured[id(node)] = None
            sizes = [self.measure(child, depth + 1) for child in children(node)]
            self.measured[id(node)] = (
                1 + sum(size for size, _ in sizes),
                1 + max((high for _, high in sizes), default=0),
            )
        known = self.measured[id(node)]
        if known is None:
            raise constructor_error_at("an alias is inside of what it names", node)
        if known[0] > MOST_NODES:
            raise constructor_error_at(f"more than {MOST_NODES:,} values, counting each alias as a copy", node)
        if depth + known[1] - 1 > DEEPEST:
            raise constructor_error_at(f"nested deeper than {DEEPEST} levels", node)
        return known


def offset(found: Node | yaml.Event) -> int:
    return found.start_mark.index if found.start_mark else 0


def children(node: Node) -> Iterator[Node]:
    if isinstance(node, MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, SequenceNode):
        yield from node.value


class YamlScanner:
    """The positions in a tree of nodes, in the order of the text."""

    def __init__(self, loader: Loader, text: str) -> None:
        self.loader = loader
        self.made: dict[int, dict[Any, Position]] = {}
        self.repeated: list[tuple[int, Any]] = []
        # A node does not know the positions of its aliases. Events do, and come in the same order.
        events = yaml.parse(text, Loader=SafeLoader) if "*" in text else ()
        self.aliases = (offset(event) for event in events if isinstance(event, yaml.AliasEvent))

    def scan(self, node: Node | None) -> Scan:
        return Position(0, self.place(node).inside if node else {}), self.repeated

    def place(self, node: Node) -> Position:
        if id(node) in self.made:
            return Position(next(self.aliases), self.made[id(node)])
        made = self.made[id(node)] = {}
        if isinstance(node, SequenceNode):
            made.update(enumerate([self.place(item) for item in node.value]))
        elif isinstance(node, MappingNode):
            self.pairs(node, made)
        return Position(offset(node), made)

    def pairs(self, node: MappingNode, made: dict[Any, Position]) -> None:
        """Own keys win over merged ones, as in the data."""
        own: dict[Any, Position] = {}
        written: dict[Any, Position] = {}
        for key, value in node.value:
            place = Position(self.place(key).offset, self.place(value).inside)
            if key.tag == MERGE:
                made.update(self.merge_keys(value))
                continue
            name = key.value if key.tag in (STR, VALUE) else self.loader.construct_object(key, deep=True)
            if name in own:
                self.repeated.append((place.offset, name))
            own[name] = written[key.value] = place
        made.update(own)
        # `on:` is True in the data, but a caller may ask for it by the name `on`.
        for name, place in written.items():
            made.setdefault(name, place)

    def merge_keys(self, node: Node) -> dict[Any, Position]:
        """Of several sources the first wins."""
        if not isinstance(node, SequenceNode):
            return self.made[id(node)]
        return {name: place for source in reversed(node.value) for name, place in self.made[id(source)].items()}
