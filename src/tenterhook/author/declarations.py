"""The hooks that a file declares, read from its text: nothing of it runs, because it may not be approved yet.

A ready hook is our own code, so its module is imported.
"""

from __future__ import annotations

import ast
import os

from tenterhook.author.loading import LIBRARY, library_file, of_library
from tenterhook.author.registered import GUARDED
from tenterhook.errors import UsageError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from tenterhook.author.registered import Registered

DECORATOR = "hook"
# What the decorator takes beside the kinds of events.
WORDS = ("match", "on_failure", "name", "timeout")
LARGEST = 4 << 20


class DeclaredHook:
    """One function with `@hook(...)`: the kinds of its events, what else the decorator says, and its options."""

    __slots__ = ("kinds", "line", "match", "name", "options", "policy", "timeout")

    def __init__(self, function: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call) -> None:
        values = {word.arg: literal(word.value, word.arg) for word in call.keywords if word.arg in WORDS}
        self.kinds = tuple(literal(word, "the kind of event") for word in call.args)
        self.match, self.policy = str(values.get("match", "")), str(values.get("on_failure", ""))
        self.name = str(values.get("name") or function.name.replace("_", "-"))
        self.timeout = float(values["timeout"]) if values.get("timeout") else None
        self.options = tuple(parameters_with_default(function.args))
        self.line = function.lineno
        if not self.kinds:
            raise UsageError(f"line {self.line}: @hook needs the kind of event that it is for")

    def on_failure(self, kind: str) -> str:
        """What a failure means at such an event."""
        return self.policy or ("deny" if kind in GUARDED else "allow")


def literal(node: ast.expr, what: str) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        text = f"line {node.lineno}: {what} must be written out here, so that it can be read before the file runs"
        raise UsageError(text) from None


def parameters_with_default(arguments: ast.arguments) -> Iterator[str]:
    placed = [*arguments.posonlyargs, *arguments.args]
    yield from (one.arg for one in placed[max(1, len(placed) - len(arguments.defaults)) :])
    yield from (one.arg for one, given in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if given)


def path_of(word: str, folder: str) -> str:
    """The file that `use` names: a ready hook's, or one that is relative to the folder."""
    if word.startswith(LIBRARY):
        return library_file(word[len(LIBRARY) :])
    return os.path.join(folder, os.path.expanduser(word))


def read_hooks(word: str, folder: str) -> Sequence[DeclaredHook | Registered]:
    """The hooks of a file or of `library:NAME`; UsageError if they cannot be read."""
    if word.startswith(LIBRARY):
        return of_library(word.removeprefix(LIBRARY))
    path = path_of(word, folder)
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read(LARGEST), path)
    except OSError as exc:
        raise UsageError(f"{word}: {exc.strerror}") from None
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        line = f" (line {exc.lineno})" if isinstance(exc, SyntaxError) and exc.lineno else ""
        raise UsageError(f"{word}: {exc.msg if isinstance(exc, SyntaxError) else exc}{line}") from None
    try:
        found = [DeclaredHook(function, call) for function, call in find_decorators(tree)]
    except UsageError as exc:
        raise UsageError(f"{word}: {exc}") from None
    if not found:
        raise UsageError(f"there is no hook in {word}: decorate a function with @hook(kind)")
    return found


def find_decorators(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, ast.Call]]:
    """Every function of the module with its `@hook(...)`; one may have several."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for one in node.decorator_list:
                if isinstance(one, ast.Call) and decorator_name(one.func) == DECORATOR:
                    yield node, one


def decorator_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def check_options(found: Sequence[DeclaredHook | Registered], given: dict[str, Any]) -> None:
    """Raise for an option that no hook of the file has: else a guard would silently stay as it was."""
    known = sorted({name for one in found for name in one.options})
    for name in given:
        if name.replace("-", "_") not in known:
            there = f"there is {', '.join(known)}" if known else "it has none"
            raise UsageError(f"no hook of this file has an option {name!r}{nearest(name, known)}; {there}")
