"""What a warm interpreter has loaded, where a script would look for it, and whether it is still what is installed."""

from __future__ import annotations

import os
import sys
from importlib.machinery import all_suffixes

from tenterhook.support.fingerprint import SETTLED, is_stamp_reliable, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tenterhook.support.fingerprint import Stamp

# Looked for by every interpreter that starts.
CUSTOM = {"sitecustomize", "usercustomize"}
# The fingerprint of a missing file.
NEVER = (0, 0, 0, 0, 0)
# What the name of a module ends with; a folder has none.
SUFFIXES = frozenset(("", *all_suffixes()))
INSTALLED = ("/site-packages", "/dist-packages")


def load(one: tuple[str, tuple[str, ...]], path: list[str]) -> bool:
    """Import a module and the names wanted of it, from these folders alone. False if other folders would be used."""
    module, names = one
    path_before, finders = sys.path[:], sys.meta_path[:]
    usual = [finder for finder in finders if getattr(finder, "__module__", "").startswith("_frozen_importlib")]
    sys.path[:], sys.meta_path[:] = path, usual
    try:
        __import__(module, {}, {}, names, 0)
        return sys.path == path and sys.meta_path == usual
    finally:
        sys.path[:], sys.meta_path[:] = path_before, finders


def first_folder(script: str) -> list[str]:
    """Where a script's own modules are looked for first, unless its interpreter has an option against that."""
    if sys.flags.isolated or getattr(sys.flags, "safe_path", False):
        return []
    return [os.path.dirname(os.path.realpath(script))]


class LoadedModules:
    """`bare` are the modules that every interpreter has before it runs a script."""

    def __init__(self, bare: Iterable[str]) -> None:
        # Built-in modules are found before any file, too.
        self.bare = {name.partition(".")[0] for name in bare} | {*sys.builtin_module_names}
        self.names: set[str] = set()
        self.files: dict[str, Stamp] = {}
        # Folders in which no file shadows a loaded module.
        self.clear: dict[str, Stamp] = {}
        places = [one for one in sys.path if is_installed(one)]
        # By its path too, which may be a symlink: a new target is a change like any other.
        self.watch(sys.executable, os.path.realpath(sys.executable), os.path.join(sys.prefix, "pyvenv.cfg"), *places)
        for place in places:
            names = os.listdir(place) if os.path.isdir(place) else []
            self.watch(*(os.path.join(place, name) for name in names if name.endswith(".pth")))
        self.note()

    def note(self, since: int = 1 << 63) -> None:
        """Record what was imported. Files that changed after `when` are noticed, too."""
        self.names = ({name for name in sys.modules if "." not in name} | CUSTOM) - self.bare
        self.clear.clear()
        library = os.path.dirname(os.path.abspath(os.__file__)) + "/"
        files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
        new = {file for file in files if file and (is_installed(file) or not file.startswith(library))} - {*self.files}
        self.watch(*new)
        for file in new:
            now = self.files[file]
            if now and max(now[3:]) >= since - SETTLED:
                self.files[file] = NEVER

    def watch(self, *files: str) -> None:
        for file in files:
            self.files.setdefault(file, stamp(file))

    @property
    def changed(self) -> bool:
        return any(stamp(file) != known for file, known in self.files.items())

    def find_shadowing_file(self, folders: Iterable[str]) -> str:
        """A file by which a new interpreter would find another module than the one that is loaded."""
        for folder in folders:
            now = stamp(folder)
            if not now or self.clear.get(folder) == now:
                continue
            for name in os.listdir(folder):
                module, dot, rest = name.partition(".")
                if module in self.names and (dot + rest) in SUFFIXES:
                    return os.path.join(folder, name)
            if is_stamp_reliable(now):
                self.clear[folder] = now
        return ""


def is_installed(path: str) -> bool:
    return any(part in path for part in INSTALLED)
