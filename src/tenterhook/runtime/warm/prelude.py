"""Whether a file prepares something for a later import: `os.environ[...] = ...`, then `import library`.

Modules that are kept loaded were imported without that. Decided from the text; in doubt, yes.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Import = ast.Import | ast.ImportFrom
    Place = tuple[int, int]

# What changes the environment, the modules or the process, by the last part of its name.
CHANGES = frozenset(
    "update setdefault pop popitem clear putenv unsetenv chdir fchdir umask setlocale tzset setattr delattr".split()
)
# Code that gives one of these another name may change it by that name.
SHARED = frozenset(("environ", "environb", "modules"))
# Calls and attributes that do not affect an import, or end the program. A module that prints a warning when it is
# imported is never kept loaded, whatever the warning filters are.
HARMLESS = frozenset(
    "exit _exit quit print warn write flush reconfigure filterwarnings simplefilter dont_write_bytecode".split()
)
# Functions whose name begins like this are assumed to change something, even if their result is used.
VERBS = tuple("load_ set init config patch install apply use enable disable activate boot prepare monkey".split())
LATE = frozenset(("import_module", "__import__", "run_path", "run_module"))


def prelude(tree: ast.Module, imports: Iterable[Import], at_once: Iterable[Import]) -> tuple[int, bool, bool]:
    """The line of the first statement that may affect an import (0 for none); whether anything is changed, or called.

    An import that does not run with the file itself may run after all of it.
    """
    first, typed = {*at_once}, {*for_type_checkers(tree)}
    names = {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}
    own = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}
    late = any(isinstance(node, ast.Call) and last_name(node.func) in LATE for node in ast.walk(tree))
    late = late or any(node not in first and node not in typed for node in imports)
    last = max((place(node) for node in first), default=(0, 0))
    changes = [place(node) for node in ast.walk(tree) if is_change(node, names)]
    calls = [*find_side_effect_calls(tree.body, names | own)]
    early = [one for one in changes if late or one < last] + [one for one in calls if one < last]
    return min(early, default=(0, 0))[0], bool(changes), bool(calls)


def place(node: ast.AST) -> Place:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def is_change(node: ast.AST, names: set[str]) -> bool:
    """A change of something that belongs to a module: an attribute or an item of it, or by one of the usual calls."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return not isinstance(node.ctx, ast.Load) and root(node) in names and last_name(node) not in HARMLESS
    if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        return node.value is not None and last_name(node.value) in SHARED and root(node.value) in names
    if not isinstance(node, ast.Call) or last_name(node.func) not in CHANGES:
        return False
    if isinstance(node.func, ast.Name):
        return node.func.id in names or (bool(node.args) and root(node.args[0]) in names)
    return root(node.func) in names


def find_side_effect_calls(body: Iterable[ast.stmt], names: set[str]) -> Iterator[Place]:
    """Calls that may do more than return a result; not in functions, which run later."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        inner = [one for field in ("body", "orelse", "finalbody") for one in getattr(node, field, ())]
        inner += [one for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())) for one in part.body]
        yield from find_side_effect_calls(inner, names)
        for one in ast.iter_child_nodes(node):
            for call in ast.walk(one) if isinstance(one, (ast.expr, ast.withitem)) else ():
                if isinstance(call, ast.Call) and root(call) in names and last_name(call.func) not in HARMLESS:
                    alone = isinstance(node, ast.Expr) and call is node.value
                    if alone or any(name.startswith(VERBS) for name in iter_name_parts(call.func)):
                        yield place(call)


def for_type_checkers(tree: ast.Module) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for one in node.body:
                yield from ast.walk(one)


def root(node: ast.AST) -> str:
    """The name that `name.attribute[item]()` begins with."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def iter_name_parts(node: ast.AST) -> Iterator[str]:
    """All parts of a name, the last one first."""
    while isinstance(node, ast.Attribute):
        yield node.attr
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id


def last_name(node: ast.AST) -> str:
    return next(iter_name_parts(node), "")
