"""Check cheaply whether the files that an engine was made from are unchanged, without ever missing a change."""

from __future__ import annotations

import errno
import os
import stat
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from tenterhook.author.loading import LIBRARY
from tenterhook.cli.server.missing_files import MissingFiles
from tenterhook.config.locations import places, resolve_config_path
from tenterhook.config.settings import USER
from tenterhook.support import project_imports
from tenterhook.trust import store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.engine.engine import Engine

Stamp = tuple[int, ...]
# Nanoseconds within which a file may change twice and keep the same fingerprint: a younger file is not trusted.
YOUNG = 100_000_000
ABSENT = (errno.ENOENT,)
# The form of an entry that names a file of hooks.
USE = "use"
# Where a fingerprint has the time of the last change.
CHANGED = 4


def stamp(path: str) -> Stamp:
    """The stat fingerprint of a path and of its symlink's target; the errno if it cannot be read."""
    try:
        found = os.lstat(path)
    except OSError as exc:
        return (exc.errno or 0,)
    own = facts(found)
    if stat.S_ISLNK(found.st_mode):
        try:
            return (*own, *facts(os.stat(path)))
        except OSError as exc:
            return (*own, exc.errno or 0)
    return own


def facts(found: os.stat_result) -> Stamp:
    return (
        *(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns),
        *(found.st_mode, found.st_uid),
    )


def young(one: Stamp, since: int) -> bool:
    """Whether it changed so close to that moment that another change could leave the same fingerprint."""
    times = (one[CHANGED::7]) if len(one) > CHANGED else ()
    return any(at > since - YOUNG for at in times)


class FileFingerprints:
    """The config files of one engine, missing ones included."""

    def __init__(self, engine: Engine) -> None:
        self.began = time.time_ns()
        found = {path: stamp(path) for path in config_source_paths(engine)}
        # Most candidate files do not exist: they are checked together.
        self.missing = MissingFiles(path for path, one in found.items() if one == ABSENT)
        self.found = {path: one for path, one in found.items() if one != ABSENT or path in self.missing.others}
        # For a folder only its identity counts: other files in it do not affect the config.
        self.project = engine.project, folder(engine.project)

    @property
    def sure(self) -> bool:
        """Whether no file changed while it was read, or just before."""
        return self.same and not any(young(one, self.began) for one in self.found.values())

    @property
    def same(self) -> bool:
        for path, known in self.found.items():
            if stamp(path) != known:
                return False
        return folder(self.project[0]) == self.project[1] and self.missing.same


def folder(path: str) -> Stamp:
    try:
        found = os.stat(path)
    except OSError as exc:
        return (exc.errno or 0,)
    return found.st_dev, found.st_ino


def config_source_paths(engine: Engine) -> Iterator[str]:
    """Every path that affects the engine's hooks and settings."""
    where = engine.project, engine.home, engine.environ
    yield from (place.path for place in places(engine.dialect, *where, engine.hookset.config, engine.options.system))
    for file in () if engine.hookset.config else engine.dialect.config.files:
        fixed, star, _ = file.path.partition("*")
        if star:
            yield from folders(resolve_config_path(fixed, *where))
    yield from (
        resolve_config_path(USER, "", *where[1:]),
        engine.options.system,
        os.path.dirname(engine.options.system),
    )
    kept = store.place(*where)
    yield from (kept, os.path.dirname(kept))
    # The hooks of these files were read from their text. What an approval is bound to is compared with that.
    named = {str(hook.spec["main"]) for hook in engine.hooks() if hook.spec["form"] == USE and hook.seal is None}
    yield from (
        os.path.join(engine.project, os.path.expanduser(name)) for name in named if not name.startswith(LIBRARY)
    )


def folders(root: str) -> Iterator[str]:
    """A folder that is searched, with all folders below it: a new file changes its folder's fingerprint."""
    yield root
    yield from (folder for folder, _, _ in os.walk(root) if folder != root)


class Modules:
    """The modules that Python hooks were imported from; they cannot be imported again in the same process."""

    def __init__(self) -> None:
        self.known: dict[str, Stamp] = {}
        self.count = 0, 0
        self.looked = time.time_ns()
        self.lock = threading.Lock()

    @property
    def current(self) -> bool:
        """Whether a new process would import the same modules."""
        return self.learn() and all(stamp(path) == known for path, known in self.known.items())

    def learn(self) -> bool:
        """Record what was imported since the last call; False if a file is so young that its state is uncertain."""
        with self.lock:
            since, self.looked = self.looked, time.time_ns()
            count = len(project_imports.known), len(sys.modules)  # a Python hook may import when it is called
            if self.count == count:
                return True
            self.count = count
            fresh = {path: stamp(path) for path in files() if path not in self.known}
            self.known = {**self.known, **fresh}
            return not any(young(one, since) for one in fresh.values())


def files() -> set[str]:
    """The files of all project modules and hook packages, and paths that would be imported before them."""
    modules: list[Any] = [module for own in project_imports.owned.values() for module in list(own.values())]
    packages = {
        str(getattr(function, "__module__", "")).partition(".")[0] for function in list(project_imports.known.values())
    }
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] in packages or (project_imports.owned and project_imports.home_of(module)):
            modules.append(module)
    found = [file for module in modules if isinstance(file := getattr(module, "__file__", None), str)]
    # A folder `guard` is imported before a `guard.py`.
    return {*found, *(os.path.splitext(file)[0] for file in found)}
