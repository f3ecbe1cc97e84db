"""What Python code loads: modules of the project, files that it runs, programs that it starts."""

from __future__ import annotations

import ast
import os
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain

from msgspec.structs import replace

from tenterhook.support.paths import within
from tenterhook.trust.loads.paths import Nodes, Values, name_of
from tenterhook.trust.loads.records import STANDARD, LoadedFile, Loads, SourceText
from tenterhook.trust.loads.starting import STARTERS, STARTS, Starting

LARGEST = 2 << 20
# What is imported for a module: its source, its bytecode without a source, or a library.
PLAIN = (".py", ".pyc", ".pyw")
NATIVE = (".so", ".pyd")
# Imported by Python itself, from the module path.
STARTUP = ("sitecustomize", "usercustomize")
OURS = __name__.partition(".")[0]

IMPORTS = ("import_module", "__import__", "run_module", "find_spec")
# With the position of the path among their arguments.
FROM_FILE = {
    "run_path": 0, "spec_from_file_location": 1, "SourceFileLoader": 1, "SourcelessFileLoader": 1,
    "ExtensionFileLoader": 1, "load_source": 1, "execfile": 0, "CDLL": 0, "PyDLL": 0, "LoadLibrary": 0,
}  # fmt: skip
TEXTS = ("exec", "eval", "compile")
FINDERS = ("meta_path", "path_hooks", "path_importer_cache")
# Other functions that run code from a file, from data, or under a name that is not in the text.
HIDDEN = frozenset(
    "iter_modules walk_packages resolve_name spec_from_loader zipimporter FileFinder PathFinder find_module "
    "entry_points runsource InteractiveInterpreter InteractiveConsole fileConfig".split()
)
# Modules whose data says what runs.
REACHED = ("builtins", "__builtins__", "importlib", "runpy", "util", "pty")
UNPACKERS = ("pickle", "cPickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib")
# Variables that make Python and the system load other code.
LOADING = re.compile(r"PATH|PYTHON\w+|(?:LD|DYLD)_\w+|NODE_(?:OPTIONS|PATH)|BASH_ENV|PERL5\w+|RUBY\w+")


def read(source: SourceText) -> Loads:
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
        PythonReader(source, tree, found).read()
    except RecursionError:
        found.note(source, "what it loads: it is nested too deeply")
    return found


class PythonReader(Starting):
    """Reads one text."""

    def __init__(self, source: SourceText, tree: ast.Module, found: Loads) -> None:
        self.source, self.found = source, found
        self.nodes = Nodes(tree)
        self.values = Values(self.nodes, source)
        self.roads = source.roads
        self.strangers: dict[str, None] = {}
        self.called: set[ast.AST] = set()

    def read(self) -> None:
        self.name_sys()
        self.roads = (*self.more_roads(), *self.source.roads)
        if self.source.first:
            for road in self.roads:
                self.found.look(road, STANDARD, *STARTUP)
        for node in self.nodes.of(ast.Import):
            for alias in node.names:
                self.module(alias.name)
        for some in self.nodes.of(ast.ImportFrom):
            self.module_and_names(some)
        for call in self.nodes.of(ast.Call):
            self.call(call)
        for attribute in self.nodes.of(ast.Attribute):
            self.mention(attribute)
        for name in self.nodes.of(ast.Name):
            self.mention(name)
        self.star_imported_modules()
        self.loading()
        if self.strangers:
            self.found.note(self.source, f"installed packages that it imports ({', '.join(self.strangers)})")

    # ---- where modules are looked for

    def more_roads(self) -> list[str]:
        roads: list[str] = []
        for node, value in self.path_changes():
            values = value.elts if isinstance(value, ast.List | ast.Tuple) else [value]
            for one in values:
                if isinstance(one, ast.Starred) and self.is_sys_path(one.value):
                    continue
                text = self.values.text(one)
                if text is None:
                    self.found.note(self.source, "sys.path is set to what is computed", node.lineno)
                    continue
                road = os.path.normpath(os.path.join(self.source.cwd, text))
                if within(os.path.realpath(road), self.source.project) and road not in roads:
                    roads.append(road)
        return roads

    def name_sys(self) -> None:
        """Collect the names under which the code has the module sys and its path, process-starting functions, and
        loaders.
        """
        self.sys, self.sys_path, self.starters = {"sys"}, set[str](), set(STARTERS)
        self.called_so: dict[str, str] = {}
        for node in self.nodes.of(ast.Import):
            self.sys |= {alias.asname for alias in node.names if alias.name == "sys" and alias.asname}
            self.starters |= {alias.asname for alias in node.names if alias.name in STARTERS and alias.asname}
        for some in self.nodes.of(ast.ImportFrom):
            if some.module == "sys":
                self.sys_path |= {alias.asname or alias.name for alias in some.names if alias.name == "path"}
            else:
                self.called_so |= {alias.asname: alias.name for alias in some.names if alias.asname}
        self.imported = {
            alias.asname or alias.name
            for node in self.nodes.of(ast.ImportFrom)
            if node.module != "builtins"
            for alias in node.names
        }
        self.started = {
            alias.asname or alias.name
            for node in self.nodes.of(ast.ImportFrom)
            if node.module in STARTERS
            for alias in node.names
        }

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

    def path_changes(self) -> Iterator[tuple[ast.stmt | ast.expr, ast.expr]]:
        """Each value that is added to sys.path, with its position."""
        for node in chain(self.nodes.of(ast.Call), self.nodes.of(ast.Assign), self.nodes.of(ast.AugAssign)):
            match node:
                case ast.Call(func=ast.Attribute(value=owner, attr="insert"), args=[_, value]) if self.is_sys_path(
                    owner
                ):
                    yield node, value
                case ast.Call(func=ast.Attribute(value=owner, attr="append" | "extend"), args=[value]):
                    if self.is_sys_path(owner):
                        yield node, value
                case ast.Call(func=func, args=[value, *_]) if self.called_as(func) == "addsitedir":
                    self.add_site(node, value)
                    yield node, value
                case ast.Assign(targets=[target], value=value) | ast.AugAssign(target=target, value=value):
                    if not self.is_sys_path(target):
                        continue
                    parts = [value.left, value.right] if isinstance(value, ast.BinOp) else [value]
                    yield from ((node, one) for one in parts if not self.is_sys_path(one))

    def add_site(self, node: ast.Call, value: ast.expr) -> None:
        """A folder whose .pth files have lines that Python runs."""
        folder = os.path.join(self.source.cwd, self.values.text(value) or "")
        self.found.look(folder, "*.pth")
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if name.endswith(".pth"):
                self.load(os.path.join(folder, name), "data")
                self.found.note(self.source, f"{name}: what it makes Python import", node.lineno)

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
        """Follow a dotted name down from folders; returns whether its first part is the project's."""
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
        """Load what a folder has under a name. Returns the folder of a package; an empty path for a plain module."""
        if not folder or not part:
            return []
        if not within(os.path.realpath(folder), self.source.project):
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
            return sorted({os.path.splitext(name)[0] for name in os.listdir(folder)} - {"__pycache__"})
        except OSError:
            return []

    def star_imported_modules(self) -> None:
        """The modules that `from package import *` imports because the package's `__all__` names them."""
        if os.path.basename(self.source.real) != "__init__.py":
            return
        folder = os.path.dirname(self.source.real)
        assigned = [(target, node.value) for node in self.nodes.of(ast.Assign) for target in node.targets]
        assigned += [(node.target, node.value) for node in self.nodes.of(ast.AugAssign)]
        assigned += [(node.target, node.value) for node in self.nodes.of(ast.AnnAssign) if node.value]
        for value in (value for target, value in assigned if name_of(target) == "__all__"):
            for one in ast.walk(value):
                if isinstance(one, ast.Constant) and isinstance(one.value, str):
                    self.step(folder, one.value)
                elif isinstance(one, ast.comprehension | ast.Call):
                    self.found.note(self.source, "__all__: names of modules that are computed", value.lineno)

    def load(self, path: str, language: str = "python") -> None:
        self.found.files.append(LoadedFile(path, language, self.roads, self.source.first, self.source.main))

    # ---- calls

    def call(self, node: ast.Call) -> None:
        name = self.called_as(node.func)
        if name in IMPORTS:
            self.by_name(node)
        elif name in FROM_FILE:
            self.by_file(node, FROM_FILE[name])
        elif name in TEXTS and self.is_builtin(node.func):
            self.by_text(node)
        elif name in STARTS and self.starts(node):
            self.start(node, STARTS[name])
        elif name == "getattr" and node.args and name_of(node.args[0]) in {*self.starters, *self.sys, *REACHED}:
            self.found.note(self.source, f"getattr of {name_of(node.args[0])}: what it loads or starts", node.lineno)
        elif name == "chdir" and self.values.text(node.args[0] if node.args else None) != self.source.cwd:
            self.found.note(self.source, "chdir: what it loads and starts from there", node.lineno)
        else:
            return
        self.called.add(node.func)

    def is_builtin(self, func: ast.expr) -> bool:
        if isinstance(func, ast.Name):
            return func.id not in self.imported
        return isinstance(func, ast.Attribute) and name_of(func.value) == "builtins"

    def by_name(self, node: ast.Call) -> None:
        name = self.values.text(find_call_argument(node, 0, "name", "mod_name"))
        if name is None:
            self.found.note(self.source, "imports a module whose name is computed", node.lineno)
        elif name.startswith("."):
            self.by_relative_name(node, name)
        else:
            names = find_call_argument(node, 3, "fromlist")
            inner = [self.values.text(one) for one in names.elts] if isinstance(names, ast.List | ast.Tuple) else []
            if None in inner or (names is not None and not isinstance(names, ast.List | ast.Tuple)):
                self.found.note(self.source, "imports a module whose name is computed", node.lineno)
            self.module(name, [one for one in inner if one])
            if self.called_as(node.func) == "run_module":
                self.module(f"{name}.__main__")

    def by_relative_name(self, node: ast.Call, name: str) -> None:
        package = find_call_argument(node, 1, "package")
        level = len(name) - len(name.lstrip("."))
        if name_of(package) in ("__package__", "__name__", "__spec__"):
            parts = name.lstrip(".")
            self.module_and_names(ast.ImportFrom(module=parts or None, names=[], level=level))
        elif (known := self.values.text(package)) and level <= known.count(".") + 1:
            outer = known.split(".")
            self.module(".".join([*outer[: len(outer) - level + 1], *filter(None, [name.lstrip(".")])]))
        else:
            self.found.note(self.source, "imports a module whose name is computed", node.lineno)

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
            if isinstance(value.value, str | bytes):
                self.inner(value.value)
            return
        if isinstance(value, ast.Call) and name_of(value.func) == "compile":
            return  # which is looked at separately
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
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            PythonReader(replace(self.source, text=data, roads=self.roads), ast.parse(data), self.found).read()

    # ---- names that are not called

    def mention(self, node: ast.Attribute | ast.Name) -> None:
        """A loader that is passed on, or stored under another name, loads what only the running program knows."""
        name = self.called_as(node)
        owner = name_of(node.value) if isinstance(node, ast.Attribute) else ""
        if name in FINDERS and owner in self.sys:
            self.found.note(self.source, f"sys.{name}: changes how modules are found", node.lineno)
        elif name == "path" and owner in self.sys and self.is_kept(node):
            self.found.note(self.source, "sys.path: what is put into it under another name", node.lineno)
        elif node in self.called or not isinstance(node.ctx, ast.Load):
            if name == "__path__" and isinstance(node.ctx, ast.Store):
                self.path_of_package(node)
        elif name in IMPORTS or name in FROM_FILE or name in HIDDEN or name == "__builtins__":
            self.found.note(self.source, f"{name}: what it loads", node.lineno)
        elif name == "__path__":
            self.path_of_package(node)
        elif owner in UNPACKERS and name in ("load", "loads", "Unpickler", "open"):
            self.found.note(self.source, f"{owner}.{name}: what the data makes it run", node.lineno)
        elif (name in TEXTS and self.is_builtin(node)) or self.starts_elsewhere(node, name, owner):
            self.found.note(self.source, f"{name}: what it runs", node.lineno)

    def starts_elsewhere(self, node: ast.Attribute | ast.Name, name: str, owner: str) -> bool:
        """Whether a function that starts programs or tests is passed on, or takes words that are not read."""
        if isinstance(node, ast.Name):
            return node.id in self.started and (name in STARTS or name.startswith("spawn"))
        if owner in ("pytest", "unittest"):
            return name == "main"
        return owner in {*self.starters, "pty"} and (name in STARTS or name.startswith("spawn"))

    def path_of_package(self, node: ast.Attribute | ast.Name) -> None:
        if "extend_path" not in {self.called_as(one.func) for one in self.nodes.of(ast.Call)}:
            self.found.note(self.source, "__path__: where modules of the package are looked for", node.lineno)

    def is_kept(self, node: ast.expr) -> bool:
        """Whether sys.path is given another name, or passed to a function."""
        return any(one.value is node for one in self.nodes.of(ast.Assign)) or any(
            node in one.args for one in self.nodes.of(ast.Call) if name_of(one.func) not in ("len", "print", "list")
        )

    def loading(self) -> None:
        """Variables that make a program which the code starts load other code."""
        named = [
            *((one.slice, one) for one in self.nodes.of(ast.Subscript) if isinstance(one.ctx, ast.Store)),
            *((key, one) for one in self.nodes.of(ast.Dict) for key in one.keys if key),
            *((one.args[0], one) for one in self.nodes.of(ast.Call) if name_of(one.func) == "putenv" and one.args),
        ]
        names = [(key.value, one.lineno) for key, one in named if isinstance(key, ast.Constant)]
        names += [(word.arg, one.lineno) for one in self.nodes.of(ast.Call) for word in one.keywords if word.arg]
        for name, line in names:
            if isinstance(name, str) and LOADING.fullmatch(name):
                self.found.note(self.source, f"{name}: what it makes programs load", line)


def find_call_argument(node: ast.Call, place: int, *names: str) -> ast.expr | None:
    """An argument by its position or by its name."""
    if len(node.args) > place:
        return node.args[place]
    return next((one.value for one in node.keywords if one.arg in names), None)


def libraries(folder: str, name: str) -> Iterator[str]:
    """Compiled modules: each Python has its own suffix for them."""
    try:
        entries = os.listdir(folder)
    except OSError:
        return
    for entry in entries:
        if entry.endswith(NATIVE) and entry.partition(".")[0] == name:
            yield os.path.join(folder, entry)
