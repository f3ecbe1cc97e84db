"""What Python code loads: modules of the project, files that it runs, programs that it starts."""

from __future__ import annotations

import ast
import os
import sys
import warnings
from collections.abc import Iterable, Iterator

from tenterhook.trust.loads.paths import Values, name_of
from tenterhook.trust.loads.records import STANDARD, File, Loads, Source, inside
from tenterhook.trust.loads.starting import STARTERS, STARTS, Starting

LARGEST = 2 << 20
# What is imported for a module that lies in a file: its source, its bytecode without one, or a library.
PLAIN = (".py", ".pyc", ".pyw")
NATIVE = (".so", ".pyd")
# Imported by Python itself, from wherever modules are looked for.
STARTUP = ("sitecustomize", "usercustomize")
OURS = __name__.partition(".")[0]

IMPORTS = ("import_module", "__import__", "run_module")
# With the place of the path among their arguments.
FROM_FILE = {
    "run_path": 0, "spec_from_file_location": 1, "SourceFileLoader": 1, "SourcelessFileLoader": 1,
    "ExtensionFileLoader": 1, "load_source": 1, "execfile": 0, "CDLL": 0, "PyDLL": 0, "LoadLibrary": 0,
}  # fmt: skip
TEXTS = ("exec", "eval")
FINDERS = ("meta_path", "path_hooks", "path_importer_cache")


def read(source: Source) -> Loads:
    found = Loads()
    try:
        if len(source.text) > LARGEST:
            raise ValueError(f"it is longer than {LARGEST >> 20} MiB")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        found.note(source, f"what it loads: it cannot be read as Python ({getattr(exc, 'msg', None) or exc})")
        return found
    try:
        Reader(source, tree, found).read()
    except RecursionError:
        found.note(source, "what it loads: it is nested too deeply")
    return found


class Reader(Starting):
    """One text."""

    def __init__(self, source: Source, tree: ast.Module, found: Loads) -> None:
        self.source, self.tree, self.found = source, tree, found
        self.values = Values(tree, source)
        self.roads = source.roads
        self.strangers: dict[str, None] = {}
        self.called: set[ast.AST] = set()

    def read(self) -> None:
        nodes = list(ast.walk(self.tree))
        self.name_sys(nodes)
        self.roads = (*self.more_roads(nodes), *self.source.roads)
        if self.source.first:
            for road in self.roads:
                self.found.look(road, STANDARD, *STARTUP)
        for node in nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.module(alias.name)
            elif isinstance(node, ast.ImportFrom):
                self.module_and_names(node)
            elif isinstance(node, ast.Call):
                self.call(node)
        for node in nodes:
            self.mention(node)
        if self.strangers:
            self.found.note(self.source, f"installed packages that it imports ({', '.join(self.strangers)})")

    # ---- where modules are looked for

    def more_roads(self, nodes: Iterable[ast.AST]) -> list[str]:
        roads: list[str] = []
        for node, value in self.path_changes(nodes):
            values = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            for one in values:
                if isinstance(one, ast.Starred) and self.is_sys_path(one.value):
                    continue
                text = self.values.text(one)
                if text is None:
                    self.found.note(self.source, "sys.path is set to what is computed", node.lineno)
                    continue
                road = os.path.normpath(os.path.join(self.source.cwd, text))
                if inside(os.path.realpath(road), self.source.project) and road not in roads:
                    roads.append(road)
        return roads

    def name_sys(self, nodes: Iterable[ast.AST]) -> None:
        """Under which names the code has the module sys and its path, those that start programs, and the loaders."""
        self.sys, self.sys_path, self.starters = {"sys"}, set[str](), set(STARTERS)
        self.called_so: dict[str, str] = {}
        for node in nodes:
            if isinstance(node, ast.Import):
                self.sys |= {alias.asname for alias in node.names if alias.name == "sys" and alias.asname}
                self.starters |= {alias.asname for alias in node.names if alias.name in STARTERS and alias.asname}
            elif isinstance(node, ast.ImportFrom) and node.module == "sys":
                self.sys_path |= {alias.asname or alias.name for alias in node.names if alias.name == "path"}
            elif isinstance(node, ast.ImportFrom):
                self.called_so |= {alias.asname: alias.name for alias in node.names if alias.asname}

    def called_as(self, node: ast.AST) -> str:
        """The name of a function, as its own module has it."""
        name = name_of(node)
        return self.called_so.get(name, name) if isinstance(node, ast.Name) else name

    def is_sys_path(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Attribute):
            return node.attr == "path" and name_of(node.value) in self.sys
        return isinstance(node, ast.Name) and node.id in self.sys_path

    def path_changes(self, nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.stmt | ast.expr, ast.expr]]:
        """Each value that is put into sys.path, with where."""
        for node in nodes:
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="insert"), args=[_, value]) if self.is_sys_path(
                    owner
                ):
                    yield node, value
                case ast.Call(func=ast.Attribute(value=owner, attr="append" | "extend"), args=[value]):
                    if self.is_sys_path(owner):
                        yield node, value
                case ast.Call(func=ast.Name(id="addsitedir") | ast.Attribute(attr="addsitedir"), args=[value, *_]):
                    yield node, value
                case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
                    if not self.is_sys_path(target):
                        continue
                    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
                    yield from ((node, one) for one in parts if not self.is_sys_path(one))

    # ---- modules

    def module_and_names(self, node: ast.ImportFrom) -> None:
        if not node.level:
            self.module(node.module or "", [alias.name for alias in node.names])
            return
        folder = os.path.dirname(self.source.real)
        for _ in range(node.level - 1):
            folder = os.path.dirname(folder)
        if self.source.real:
            self.below([folder], (node.module or "").split(".") if node.module else [], [a.name for a in node.names])

    def module(self, name: str, names: Iterable[str] = ()) -> None:
        """A module by its full name, and those of `names` that are modules in it."""
        first, *rest = name.split(".")
        if not self.source.first and first in sys.stdlib_module_names:
            return  # the project comes last on the path
        if not self.below(list(self.roads), [first, *rest], list(names)) and (
            first not in sys.stdlib_module_names and first != OURS
        ):
            self.strangers[first] = None

    def below(self, folders: list[str], parts: list[str], names: list[str]) -> bool:
        """Follow a dotted name down from folders; whether its first part is the project's."""
        for n, part in enumerate(parts):
            folders = [inner for folder in folders for inner in self.step(folder, part)]
            if not folders:
                return n > 0
        for folder in folders:
            for name in names:
                for inner in self.everything(folder) if name == "*" else [name]:
                    self.step(folder, inner)
        return True

    def step(self, folder: str, part: str) -> list[str]:
        """Load what a folder has under a name. The folder of a package comes back, a mere module as an empty road."""
        if not folder or not part:
            return []
        if not inside(os.path.realpath(folder), self.source.project):
            self.found.note(self.source, f"{os.path.basename(folder)}: it leads out of the project")
            return []
        if os.path.isfile(folder):  # an archive
            self.load(folder, "data")
            self.found.note(self.source, f"{os.path.basename(folder)}: what the modules in it load")
            return [""]
        self.found.look(folder, part)
        path = os.path.join(folder, part)
        there = [path + one for one in PLAIN if os.path.isfile(path + one)] + list(libraries(folder, part))
        for one in there:
            self.load(one)
        if not os.path.isdir(path):
            return [""] if there else []
        self.found.look(path, "__init__")
        for one in [os.path.join(path, "__init__" + suffix) for suffix in PLAIN] + list(libraries(path, "__init__")):
            if os.path.isfile(one):
                self.load(one)
        return [path]

    def everything(self, folder: str) -> list[str]:
        try:
            return [name.partition(".")[0] for name in sorted(os.listdir(folder)) if name.endswith(PLAIN)]
        except OSError:
            return []

    def load(self, path: str, language: str = "python") -> None:
        self.found.files.append(File(path, language, self.roads, self.source.first, self.source.main))

    # ---- calls

    def call(self, node: ast.Call) -> None:
        name = self.called_as(node.func)
        if name in IMPORTS:
            self.by_name(node)
        elif name in FROM_FILE:
            self.by_file(node, FROM_FILE[name])
        elif name in TEXTS and isinstance(node.func, ast.Name):
            self.by_text(node)
        elif name in STARTS and self.starts(node):
            self.start(node, STARTS[name])
        else:
            return
        self.called.add(node.func)

    def by_name(self, node: ast.Call) -> None:
        name = self.values.text(node.args[0]) if node.args else None
        if name is None:
            self.found.note(self.source, "imports a module whose name is computed", node.lineno)
        elif name.startswith("."):
            level = len(name) - len(name.lstrip("."))
            parts = name.lstrip(".")
            self.module_and_names(ast.ImportFrom(module=parts or None, names=[], level=level))
        else:
            self.module(name)
            if self.called_as(node.func) == "run_module":
                self.module(f"{name}.__main__")

    def by_file(self, node: ast.Call, place: int) -> None:
        keyword = next((one.value for one in node.keywords if one.arg in ("location", "path", "name")), None)
        value = node.args[place] if len(node.args) > place else keyword
        path = self.values.text(value)
        if path is None:
            self.found.note(self.source, f"{name_of(node.func)} of a path that is computed", node.lineno)
        elif os.sep in path or name_of(node.func) not in ("CDLL", "PyDLL", "LoadLibrary"):
            whole = os.path.join(self.source.cwd, path)
            self.load(whole, "data" if whole.endswith(NATIVE) else "python")

    def by_text(self, node: ast.Call) -> None:
        value = node.args[0] if node.args else None
        if isinstance(value, ast.Constant):
            if isinstance(value.value, str | bytes) and name_of(node.func) == "exec":
                self.inner(value.value)
            return
        if isinstance(value, ast.Call) and name_of(value.func) == "compile" and value.args:
            value = value.args[0]
        path = self.read_from(value)
        if path is None:
            self.found.note(self.source, f"{name_of(node.func)} of a text that is computed", node.lineno)
        else:
            self.load(os.path.join(self.source.cwd, path))

    def read_from(self, value: ast.expr | None) -> str | None:
        """The file of `open(path).read()` and `Path(path).read_text()`."""
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        owner = value.func.value
        if value.func.attr == "read" and isinstance(owner, ast.Call) and name_of(owner.func) == "open" and owner.args:
            return self.values.text(owner.args[0])
        return self.values.text(owner) if value.func.attr in ("read_text", "read_bytes") else None

    def inner(self, text: str | bytes) -> None:
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        try:
            tree = ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.module(alias.name)
            elif isinstance(node, ast.ImportFrom):
                self.module_and_names(node)

    # ---- what is named and not called

    def mention(self, node: ast.AST) -> None:
        """A loader that is handed on, or kept under another name, loads what only the running program knows."""
        name = self.called_as(node)
        if isinstance(node, ast.Attribute) and name in FINDERS and name_of(node.value) in self.sys:
            self.found.note(self.source, f"sys.{name}: changes how modules are found", node.lineno)
        elif (
            name in (*IMPORTS, *FROM_FILE)
            and node not in self.called
            and isinstance(node, ast.Attribute | ast.Name)
            and isinstance(node.ctx, ast.Load)
        ):
            self.found.note(self.source, f"{name}: what it loads", node.lineno)


def libraries(folder: str, name: str) -> Iterator[str]:
    """Compiled modules: each Python has its own suffix for them."""
    try:
        entries = os.listdir(folder)
    except OSError:
        return
    for entry in entries:
        if entry.endswith(NATIVE) and entry.partition(".")[0] == name:
            yield os.path.join(folder, entry)
