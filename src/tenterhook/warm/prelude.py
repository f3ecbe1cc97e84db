"""Whether a file prepares something for what it imports afterwards: `os.environ[...] = ...`, then `import library`.

What is loaded for good was imported before, without that. Read from the text; rather once too often than too seldom.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Import = ast.Import | ast.ImportFrom

# What changes the environment, the modules or the process, by the last part of its name.
CHANGES = frozenset(
    "update setdefault pop popitem clear putenv unsetenv chdir fchdir umask setlocale tzset setattr delattr".split()
)
# Calls that only end the program, or say something.
ENDS = frozenset(("exit", "_exit", "quit", "print", "warn"))
LATE = frozenset(("import_module", "__import__", "run_path", "run_module"))


class Prelude:
    """Of one file: `before` is the line of the first thing that is prepared, `changes` whether anything is at all."""

    def __init__(self, tree: ast.Module, imports: Iterable[Import], at_once: Iterable[Import]) -> None:
        imports = list(imports)
        names = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
        late = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Call) and last_name(node.func) in LATE]
        last = max((*(node.lineno for node in imports), *late), default=0)
        changes = [getattr(node, "lineno", 0) for node in ast.walk(tree) if is_change(node, names)]
        self.changes = bool(changes)
        last_at_once = max((node.lineno for node in at_once), default=0)
        early = [line for line in changes if line < last]
        early += [line for line in called(tree.body, names) if line < last_at_once]
        self.before = min(early, default=0)


def is_change(node: ast.AST, names: set[str]) -> bool:
    """Of something that belongs to a module: an attribute or an item of it, or by one of the usual calls."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load) and root(node) in names
    if not isinstance(node, ast.Call) or last_name(node.func) not in CHANGES:
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in names or (bool(node.args) and root(node.args[0]) in names)
    return root(node.func) in names


def called(body: Iterable[ast.stmt], names: set[str]) -> Iterator[int]:
    """Lines with calls, for nothing but what they do, of what was imported; not those in functions."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        call = node.value.func if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else node
        if root(call) in names and last_name(call) not in ENDS:
            yield node.lineno
        for field in ("body", "orelse", "finalbody"):
            yield from called(getattr(node, field, ()), names)
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from called(part.body, names)


def root(node: ast.AST) -> str:
    """The name that `name.attribute[item]` begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def last_name(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
