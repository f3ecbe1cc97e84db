"""The nodes of a syntax tree by type: the tree is walked once."""

from __future__ import annotations

import ast
from collections import defaultdict
from typing import TypeVar

LEAVES = (ast.expr_context, ast.operator)
Kind = TypeVar("Kind", bound=ast.AST)


class Nodes:
    """All nodes of one tree."""

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
