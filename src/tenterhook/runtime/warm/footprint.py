"""What the imports of one script could leave behind for another: compared before and after them."""

from __future__ import annotations

import _locale
import _signal as signal  # type: ignore[import-not-found]
import _socket
import _warnings
import atexit
import builtins
import ctypes
import gc
import itertools
import os
import sys
from _frozen_importlib_external import SourceFileLoader
from types import BuiltinFunctionType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType
    from typing import Any

    from tenterhook.runtime.warm.imports import Roots

# How much more memory an interpreter may take for what it has loaded.
LARGEST = 256 << 20
HOOKS = ("excepthook", "displayhook", "unraisablehook", "breakpointhook", "__stdout__", "stdin", "stdout", "stderr")
LISTS = ("meta_path", "path_hooks", "path", "warnoptions", "argv")
CODE = (FunctionType, BuiltinFunctionType, type)


def footprint() -> dict[str, Any]:
    """By description, everything that a script does not expect another script's imports to have changed."""
    return {
        "start threads": len(os.listdir("/proc/self/task")),
        "open files or connections": open_files(),
        "start processes": children(),
        "set signal handlers": [signal.getsignal(number) for number in sorted(signal.valid_signals())],
        "set timers": [signal.getitimer(which)[0] > 0 for which in range(3)],
        "change the working directory": os.getcwd(),
        "change the umask": status("Umask"),
        "change the environment": (dict(os.environ), variables()),
        "replace parts of the interpreter": [getattr(sys, name, None) for name in HOOKS],
        "change lists of the interpreter": [list(getattr(sys, name)) for name in LISTS],
        "trace or profile": (sys.gettrace(), sys.getprofile()),
        "set limits of the interpreter": (sys.getrecursionlimit(), sys.getswitchinterval(), sys.dont_write_bytecode),
        "change the filters of warnings": list(_warnings.filters),
        "set the locale": _locale.setlocale(_locale.LC_ALL, None),
        "set up logging": logs(),
        "set up the garbage collector": (gc.isenabled(), gc.get_threshold(), gc.get_debug(), list(gc.callbacks)),
        "change the builtins": {name: id(value) for name, value in vars(builtins).items()},
        "set a time-out for all sockets": _socket.getdefaulttimeout(),
    }


def variables() -> list[bytes]:
    """As the C library has them, which a module may change without Python: readline sets COLUMNS and LINES."""
    places = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    found = itertools.takewhile(bool, map(places.__getitem__, itertools.count())) if places else ()
    return sorted(found)


def open_files() -> list[tuple[int, str]]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append((int(name), os.readlink(f"/proc/self/fd/{name}")))
        except OSError:  # the descriptor of this listing
            continue
    return sorted(found)


def children() -> str:
    found = ""
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/children") as file:
            found += file.read()
    return found


def status(name: str) -> str:
    with open("/proc/self/status") as file:
        return next((line for line in file if line.startswith(name + ":")), "")


def logs() -> tuple[Any, ...]:
    logging = sys.modules.get("logging")
    if logging is None:
        return [], 30, 0, True
    return list(logging.root.handlers), logging.root.level, logging.root.manager.disable, logging.raiseExceptions


def memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class ImportWatch:
    """Watches imports, in a throwaway process."""

    def __init__(self, roots: Roots) -> None:
        self.roots = roots
        self.atexit: list[str] = []
        self.register, atexit.register = atexit.register, self.registering  # type: ignore[assignment]
        self.parts = {id(module): parts(module) for module in list(sys.modules.values())}
        SourceFileLoader.exec_module = self.loading(SourceFileLoader.exec_module)  # type: ignore[method-assign]
        self.before = footprint()

    def loading(self, load: Any) -> Any:
        """Record each module of the standard library as it is right after it was loaded, whatever imports it."""

        def exec_module(loader: Any, module: ModuleType) -> None:
            load(loader, module)
            if self.roots.in_library(str(getattr(module, "__file__", ""))):
                self.parts[id(module)] = parts(module)

        return exec_module

    def registering(self, function: Any, *args: Any, **options: Any) -> Any:
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        if code is not None and not self.roots.in_library(code.co_filename):
            self.atexit.append(code.co_qualname if hasattr(code, "co_qualname") else code.co_name)
        return self.register(function, *args, **options)

    def find_changes(self) -> str:
        """What the imports did besides importing; empty if nothing."""
        atexit.register = self.register
        del SourceFileLoader.exec_module  # it has inherited its own
        now = footprint()
        for what, value in self.before.items():
            if now[what] != value:
                return what
        if self.atexit:
            return f"register {self.atexit[0]} to be called at the end"
        for module in list(sys.modules.values()):
            if replaced := self.find_replaced(module):
                return f"replace {replaced}"
        return ""

    def find_replaced(self, module: ModuleType) -> str:
        """A function or class of the standard library that was replaced."""
        name = getattr(module, "__name__", "")
        known = self.parts.get(id(module), {})
        for path, value in parts(module).items():
            if path in known and known[path] is not value and not is_tolerated(value):
                return f"{name}.{path}"
        spec = getattr(module, "__spec__", None)
        if spec is None or not self.roots.in_library(str(getattr(spec, "origin", ""))):
            return ""
        return next((f"{name}.{path}" for path, value in parts(module).items() if self.is_foreign(value)), "")

    def is_foreign(self, value: Any) -> bool:
        if is_tolerated(value):
            return False
        if isinstance(value, FunctionType):
            file = value.__code__.co_filename
            return os.path.isabs(file) and not self.roots.in_library(file)
        if isinstance(value, type):
            file = getattr(sys.modules.get(str(value.__module__)), "__file__", None) or ""
            return bool(file) and not self.roots.in_library(file)
        return False


def is_tolerated(value: Any) -> bool:
    """Half of all packages import it, and its replacements in `typing` do the same and a little more."""
    return isinstance(value, FunctionType) and os.path.basename(value.__code__.co_filename) == "typing_extensions.py"


def parts(module: Any) -> dict[str, Any]:
    """The functions and classes of a module, and the functions of its own classes, by name."""
    return dict(each(module))


def each(module: Any) -> Iterator[tuple[str, Any]]:
    own = getattr(module, "__name__", "")
    for name, value in list(getattr(module, "__dict__", {}).items()):
        if not isinstance(value, CODE):
            continue
        yield name, value
        if isinstance(value, type) and value.__module__ == own:
            for part, function in list(vars(value).items()):
                if isinstance(function, FunctionType):
                    yield f"{name}.{part}", function
