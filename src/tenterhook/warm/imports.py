"""What a script imports when it starts, read from its text: nothing is run.

The files of its own folder that it imports are read too. Only what is part of Python or installed beside it counts:
that is the same for every script, and was there before the project.
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

from tenterhook.warm.stamps import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec

    from tenterhook.warm.stamps import Stamp

# Files of its own that are read for one script.
MOST = 64
LARGEST = 1 << 21
# Who changes these decides anew where modules are found, also those that are loaded already.
PLACES = ("path", "meta_path", "path_hooks", "path_importer_cache")


class Unfit(Exception):
    """Why a script is to have an interpreter of its own."""


class Reading:
    """All that a script imports: `wanted` in the order of the text, `own` the files that were read for it."""

    def __init__(self, script: str, before: list[str]) -> None:
        # The folders in which a module is looked for before the standard library.
        self.before = before
        self.wanted: dict[tuple[str, tuple[str, ...]], None] = {}
        self.own: dict[str, Stamp] = {}
        self.text = self.read(script)

    def read(self, path: str) -> bytes:
        if path in self.own:
            return b""
        if len(self.own) >= MOST:
            raise Unfit(f"it imports more than {MOST} files of its own")
        self.own[path] = stamp(path)
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise Unfit(f"{path} is too long")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the script's own run tells
            tree = ast.parse(text, path)
        if any(moves_places(node) for node in ast.walk(tree)):
            raise Unfit(f"{path} changes where modules are found (sys.path)")
        for node in at_start(tree.body):
            self.see(node)
        return text

    def see(self, node: ast.Import | ast.ImportFrom) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.want(alias.name, ())
        elif node.module and not node.level:
            names = tuple(alias.name for alias in node.names if alias.name != "*")
            self.want(node.module, names)

    def want(self, module: str, names: tuple[str, ...]) -> None:
        own = [found for folder in self.before for found in own_files(folder, module.split("."), names)]
        for path in own:
            try:
                self.read(path)
            except (OSError, SyntaxError, ValueError):  # the script itself will find out
                continue
        if not own:
            self.wanted[module, names] = None


def own_files(folder: str, parts: list[str], names: tuple[str, ...]) -> Iterator[str]:
    """The files of a folder that an import would run."""
    for count in range(1, len(parts) + 1):
        place = os.path.join(folder, *parts[:count])
        yield from (path for path in (f"{place}.py", f"{place}/__init__.py") if os.path.isfile(path))
    if os.path.isdir(place):
        yield from (path for name in names if os.path.isfile(path := f"{place}/{name}.py"))


def at_start(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run with the file itself: not those of functions, nor for type checkers."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            yield from at_start(node.orelse)
        else:
            for field in ("body", "orelse", "finalbody"):
                yield from at_start(getattr(node, field, ()))
            for handler in getattr(node, "handlers", ()):
                yield from at_start(handler.body)


def moves_places(node: ast.AST) -> bool:
    """Whether it changes one of them, or gives it another name, by which it might be changed."""
    if isinstance(node, ast.ImportFrom) and node.module == "sys":
        return any(alias.name in PLACES for alias in node.names)
    if is_place(node):
        return not isinstance(node.ctx, ast.Load)  # type: ignore[attr-defined]
    value = getattr(node, "value", None)
    if isinstance(node, ast.Subscript):
        return is_place(value) and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Attribute, ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        return is_place(value) or getattr(node, "attr", "") == "addsitedir"
    return False


def is_place(node: ast.AST | None) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr not in PLACES:
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "sys"


class Roots:
    """The folders whose modules may be loaded for good."""

    def __init__(self) -> None:
        library = os.path.dirname(os.path.abspath(os.__file__))
        self.library = [library, os.path.join(library, "lib-dynload")]
        self.installed: list[str] = []
        site = sys.modules.get("site")
        if site is not None and not sys.flags.no_site:
            self.installed = [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
        known = {*map(os.path.realpath, (*self.library, *self.installed))}
        self.path = [one for one in sys.path if os.path.realpath(one) in known or one.endswith(".zip")]

    @property
    def before(self) -> list[str]:
        """The folders of sys.path in which a module is looked for before the standard library."""
        real = {*map(os.path.realpath, self.library)}
        first = next((n for n, one in enumerate(sys.path) if os.path.realpath(one) in real), 0)
        return [one for one in sys.path[:first] if not one.endswith(".zip")]

    def in_library(self, file: str) -> bool:
        """Whether it is part of Python: below its folder, but for what is installed there."""
        if file.startswith("<frozen ") or not any(file.startswith(one + "/") for one in self.library):
            return file.startswith("<frozen ")
        return not any(file.startswith(one + "/") for one in self.installed)

    def find(self, name: str) -> ModuleSpec | None:
        """What would be loaded for a name without dots, if it may be."""
        for finder in (BuiltinImporter, FrozenImporter):
            if spec := finder.find_spec(name):
                return spec
        here, anywhere = PathFinder.find_spec(name, self.path), PathFinder.find_spec(name)
        if here is None or anywhere is None or here.origin != anywhere.origin or here.loader is None:
            return None
        return here
