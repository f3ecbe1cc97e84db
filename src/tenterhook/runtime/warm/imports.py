"""What a script imports when it starts, read from its text: nothing is run.

The files of its own folder that it imports are read too. Only modules of Python and installed packages count: they are
the same for every script, and were there before the project.
"""

from __future__ import annotations

import ast
import os
import sys
import warnings
from importlib.machinery import BuiltinImporter, FrozenImporter, PathFinder

from tenterhook.runtime.warm.prelude import prelude
from tenterhook.support.fingerprint import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from importlib.machinery import ModuleSpec

    from tenterhook.support.fingerprint import Stamp

# The most files of its own that are read for one script.
MOST = 64
LARGEST = 1 << 21
# Code that changes these changes where modules are found, even those already loaded.
PLACES = ("path", "meta_path", "path_hooks", "path_importer_cache")


class UnfitForWarm(Exception):
    """Why a script needs a new interpreter each time."""


class ImportReader:
    """All that a script imports: `wanted` in the order of the text, `own` the files that were read for it."""

    def __init__(self, script: str, before: list[str]) -> None:
        # The folders in which a module is looked for before the standard library.
        self.before = before
        self.wanted: dict[tuple[str, tuple[str, ...]], None] = {}
        self.own: dict[str, Stamp] = {}
        # Files that may be imported later: it only matters whether they change where modules are found.
        self.later: list[str] = []
        # Whether what it loads at run time may depend on what it did before.
        self.prepares = False
        self.script = script
        self.text = self.read(script)
        while self.later and len(self.own) < MOST:
            self.try_to_read(self.later.pop(), wanting=False)

    def try_to_read(self, path: str, *, wanting: bool) -> None:
        try:
            self.read(path, wanting=wanting)
        except (OSError, SyntaxError, ValueError):  # the script itself will report it
            return

    def read(self, path: str, *, wanting: bool = True) -> bytes:
        if path in self.own:
            return b""
        if len(self.own) >= MOST:
            raise UnfitForWarm(f"it imports more than {MOST} files of its own")
        self.own[path] = stamp(path)
        with open(path, "rb") as file:
            text = file.read(LARGEST + 1)
        if len(text) > LARGEST:
            raise UnfitForWarm(f"{path} is too long")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the script's own run tells
            tree = ast.parse(text, path)
        imports = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
        called = {alias.asname or "sys" for node in imports for alias in node.names if alias.name == "sys"}
        if any(moves_places(node, called) for node in ast.walk(tree)):
            raise UnfitForWarm(f"{path} changes where modules are found (sys.path)")
        at_once = [*at_start(tree.body)] if wanting else []
        self.look_for_prelude(path, *prelude(tree, imports, [*at_start(tree.body)]))
        for node in imports:
            for module, names, folders in self.imports_of(path, node):
                if node in at_once:
                    self.want(module, names, folders)
                else:
                    self.later += files(folders, module, names)
        return text

    def look_for_prelude(self, path: str, line: int, changes: bool, calls: bool) -> None:
        """What a file of its own does when imported may be meant for whatever is imported after it."""
        if line:
            raise UnfitForWarm(f"{path} line {line} may change what is imported after it")
        if (changes or calls) and path != self.script:
            raise UnfitForWarm(f"{path} may change what is imported after it")
        self.prepares = self.prepares or changes

    def want(self, module: str, names: tuple[str, ...], folders: list[str] | None = None) -> None:
        own = files(folders or self.before, module, names)
        for path in own:
            self.try_to_read(path, wanting=True)
        if not own and (folders is None or folders is self.before):
            self.wanted[module, names] = None

    def imports_of(
        self, path: str, node: ast.Import | ast.ImportFrom
    ) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
        """Modules, what is wanted of each, and the folders where it may be the project's own."""
        if isinstance(node, ast.Import):
            yield from ((alias.name, (), self.before) for alias in node.names)
            return
        names = tuple(alias.name for alias in node.names if alias.name != "*")
        folder = path
        for _ in range(node.level):
            folder = os.path.dirname(folder)
        yield node.module or "", names, [folder] if node.level else self.before


def files(folders: list[str], module: str, names: tuple[str, ...]) -> list[str]:
    return [found for folder in folders for found in own_files(folder, module, names)]


def own_files(folder: str, module: str, names: tuple[str, ...]) -> Iterator[str]:
    """The files of a folder that an import would run."""
    place, parts = folder, module.split(".") if module else []
    for count in range(1, len(parts) + 1):
        place = os.path.join(folder, *parts[:count])
        yield from (path for path in (f"{place}.py", f"{place}/__init__.py") if os.path.isfile(path))
    if os.path.isdir(place):
        yield from (path for name in names if os.path.isfile(path := f"{place}/{name}.py"))


def at_start(body: Iterable[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports that run with the file itself: not those in functions, nor for type checkers."""
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
            for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from at_start(part.body)


def moves_places(node: ast.AST, called: set[str]) -> bool:
    """Whether it changes one of them, or gives it another name, by which it might be changed. Also collects aliases of
    sys.
    """
    if isinstance(node, ast.ImportFrom) and node.module == "sys":
        return any(alias.name in PLACES for alias in node.names)
    if is_place(node, called):
        return not isinstance(node.ctx, ast.Load)  # type: ignore[attr-defined]
    value = getattr(node, "value", None)
    if isinstance(node, ast.Subscript):
        return is_place(value, called) and not isinstance(node.ctx, ast.Load)
    if isinstance(node, (ast.Attribute, ast.Assign, ast.AnnAssign, ast.NamedExpr)):
        return is_place(value, called) or getattr(node, "attr", "") == "addsitedir"
    return False


def is_place(node: ast.AST | None, called: set[str]) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr not in PLACES:
        return False
    return isinstance(node.value, ast.Name) and node.value.id in called


class Roots:
    """The folders whose modules may be kept loaded."""

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
        """Whether it is part of Python: below its folder, except what is installed there."""
        if file.startswith("<frozen ") or not any(file.startswith(one + "/") for one in self.library):
            return file.startswith("<frozen ")
        return not any(file.startswith(one + "/") for one in self.installed)

    def find(self, name: str) -> ModuleSpec | None:
        """The file that a top-level name would load, if it may be kept."""
        for finder in (BuiltinImporter, FrozenImporter):
            if spec := finder.find_spec(name):
                return spec
        here, anywhere = PathFinder.find_spec(name, self.path), PathFinder.find_spec(name)
        if here is None or anywhere is None or here.origin != anywhere.origin or here.loader is None:
            return None
        return here
