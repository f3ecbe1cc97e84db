"""Evaluate expressions of Python code whose text is known beforehand, such as a path beside the file itself."""

from __future__ import annotations

import ast
import os
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import TypeVar

from tenterhook.trust.loads.records import SourceText

DEEPEST = 30
# Nodes without a value of their own.
LEAVES = (ast.expr_context, ast.operator)

Kind = TypeVar("Kind", bound=ast.AST)
# Calls that leave a path as it is, or nearly so.
SAME = ("str", "Path", "PurePath", "fspath", "abspath", "normpath", "expanduser", "absolute", "as_posix", "fsdecode")
REAL = ("realpath", "resolve")


class Nodes:
    """All nodes of one tree, by type: it is walked once."""

    def __init__(self, tree: ast.AST) -> None:
        self.by_kind: defaultdict[type[ast.AST], list[ast.AST]] = defaultdict(list)
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            self.by_kind[type(node)].append(node)
            for value in vars(node).values():
                if isinstance(value, list):
                    waiting += [one for one in value if isinstance(one, ast.AST)]
                elif isinstance(value, ast.AST) and not isinstance(value, LEAVES):
                    waiting.append(value)

    def of(self, kind: type[Kind]) -> list[Kind]:
        return self.by_kind.get(kind, [])  # type: ignore[return-value]


class Values:
    """The values of names in one file, as far as each is assigned once."""

    def __init__(self, nodes: Nodes, source: SourceText) -> None:
        self.source = source
        self.assigned: dict[str, ast.expr | None] = {}
        for one in nodes.of(ast.Assign):
            for target in one.targets:
                self.assign(target, one.value if len(one.targets) == 1 else None)
        for known in nodes.of(ast.AnnAssign):
            if known.value is not None:
                self.assign(known.target, known.value)
        for other in (
            *nodes.of(ast.NamedExpr), *nodes.of(ast.AugAssign), *nodes.of(ast.For), *nodes.of(ast.AsyncFor),
            *nodes.of(ast.comprehension),
        ):  # fmt: skip
            self.assign(other.target, None)  # type: ignore[attr-defined]
        for argument in nodes.of(ast.arg):
            self.assigned[argument.arg] = None
        for item in nodes.of(ast.withitem):
            if item.optional_vars is not None:
                self.assign(item.optional_vars, None)
        for call in nodes.of(ast.Call):  # a list that is added to has changed
            if isinstance(call.func, ast.Attribute) and call.func.attr in ("append", "extend", "insert"):
                self.assign(call.func.value, None)

    def assign(self, target: ast.expr, value: ast.expr | None) -> None:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.assigned[node.id] = None if node.id in self.assigned or node is not target else value

    def text(self, node: ast.expr | None, depth: int = 0) -> str | None:
        """The text or path that an expression evaluates to; None if only the running program knows."""
        if node is None or depth > DEEPEST:
            return None
        match node:
            case ast.Constant(value=str() as value):
                return None if "\0" in value else value
            case ast.Name(id="__file__"):
                return self.source.path or None
            case ast.Name(id=name):
                return self.text(self.assigned.get(name), depth + 1)
            case ast.Attribute(value=ast.Name(id="sys"), attr="executable"):
                return sys.executable
            case ast.Attribute(value=value, attr="parent"):
                return parent(self.text(value, depth + 1))
            case ast.Subscript(value=ast.Attribute(value=value, attr="parents"), slice=ast.Constant(value=int() as n)):
                found = self.text(value, depth + 1)
                for _ in range(min(n + 1, DEEPEST)):
                    found = parent(found)
                return found
            case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str() as name)):
                return self.source.variables.get(name)
            case ast.BinOp(left=left, op=ast.Div() | ast.Add() as op, right=right):
                return join_known_parts(
                    self.text(left, depth + 1), self.text(right, depth + 1), by_path=isinstance(op, ast.Div)
                )
            case ast.JoinedStr(values=values):
                parts = [
                    self.text(one.value if isinstance(one, ast.FormattedValue) else one, depth + 1) for one in values
                ]
                return None if None in parts else "".join(map(str, parts))
            case ast.Call():
                return self.call(node, depth + 1)
        return None

    def call(self, node: ast.Call, depth: int) -> str | None:
        name, owner = name_of(node.func), node.func.value if isinstance(node.func, ast.Attribute) else None
        given = [self.text(one, depth) for one in node.args]
        if name in ("getcwd", "cwd"):
            return self.source.cwd
        if name in ("getenv", "get") and node.args and (name == "getenv" or name_of(owner) == "environ"):
            default = given[1] if len(given) > 1 else None
            wanted = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
            return self.source.variables.get(str(wanted), default or "") or None
        if name == "join" and name_of(owner) == "path":
            return None if None in given or not given else os.path.join(*map(str, given))
        if name == "dirname":
            return parent(given[0]) if given else None
        if name == "joinpath" and owner is not None:
            whole = [self.text(owner, depth), *given]
            return None if None in whole else os.path.join(*map(str, whole))
        # Path(x).resolve() and os.path.realpath(x): a method has its path before the dot.
        of = given if given or owner is None else [self.text(owner, depth)]
        if name in REAL and of and of[0] is not None:
            return os.path.realpath(os.path.join(self.source.cwd, of[0]))
        if name in SAME and of:
            return None if None in of else os.path.join(*map(str, of))
        return None


def parent(path: str | None) -> str | None:
    return None if path is None else os.path.dirname(path)


def join_known_parts(left: str | None, right: str | None, *, by_path: bool) -> str | None:
    if left is None or right is None:
        return None
    return os.path.join(left, right) if by_path else left + right


def name_of(node: ast.AST | None) -> str:
    """The last name of `a.b.c`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def project_variables(env: Mapping[str, str], folders: Collection[str]) -> dict[str, str]:
    """The variables that lead to one of these folders: others may have another value at the next event."""
    return {name: value for name, value in env.items() if value.startswith("/") and os.path.realpath(value) in folders}
