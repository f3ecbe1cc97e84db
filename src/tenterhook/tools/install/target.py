"""Which file an install changes, and where the original is recorded: in the user's folder, not in the project; for an
administrator's file in the system's.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable

from msgspec import Struct

from tenterhook import dialects
from tenterhook.config.locations import moved_home, resolve_config_path
from tenterhook.config.settings import is_roots
from tenterhook.dialects.schema.dialect import Dialect, File, Install, Managed
from tenterhook.dialects.schema.vocabulary import covers
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.errors import UsageError
from tenterhook.support.paths import state_folder, within

FOLDER = "installs"
# Where records of administrators' files are.
SYSTEM_STATE = "/var/lib/tenterhook"


class Target(Struct, frozen=True):
    """One agent's file: `path` is relative to `root`: the project, the user's home, or `/` for a `managed` file."""

    hooks: HookSet
    install: Install
    file: File
    root: str
    path: str
    user: bool
    record: str
    managed: bool = False

    @property
    def dialect(self) -> Dialect:
        return self.hooks.dialect

    @property
    def whole(self) -> str:
        return os.path.join(self.root, self.path)

    @property
    def shown(self) -> str:
        """The file as people write it."""
        if self.managed:
            return self.whole
        if not self.user:
            return self.path
        return f"~/{self.path}" if self.root == self.hooks.home else self.whole

    @property
    def pattern(self) -> str:
        """The path as dialects write it."""
        return f"/{self.path}" if self.managed else self.install.user if self.user else self.install.project


def target(agent: str, project: str, *, user: bool, managed: bool = False) -> Target:
    install = dialects.get(agent).install
    if managed:
        return build_managed_target(agent, install)
    if install is None:
        known = ", ".join(installable())
        title = dialects.get(agent).title
        raise UsageError(f"the config of {title} is not known to take such hooks; there are: {known}")
    return build_target(agent, install, project, user=user)


def build_managed_target(agent: str, install: Install | None, system: str = sys.platform) -> Target:
    """The administrator's file on this system or another one; its path is the same for all projects and users."""
    hooks = HookSet(EngineOptions("/", dialect=agent, trust="all", on_config_error="warn"))
    whole = path_on(install.managed, system) if install and install.managed else ""
    if not install or not whole:
        known = ", ".join(installable(managed=True))
        raise UsageError(f"no administrators' file of {hooks.dialect.title} is known; there are: {known}")
    path, record = whole.lstrip("/"), record_in(SYSTEM_STATE, hooks, "/", whole.lstrip("/"))
    return Target(hooks, install, file_of(hooks.dialect, whole), "/", path, False, record, managed=True)


def check_roots(paths: Iterable[str]) -> None:
    """Refuse to write where others than root could change an administrator's file afterwards."""
    for path in paths:
        there = path
        while not os.path.lexists(there):
            there = os.path.dirname(there)
        if not is_roots(there):
            raise UsageError(
                f"{there} or its folder can be changed by others than root, so users could take your hooks out; "
                "nothing was written: make root the owner of both, with chown and chmod go-w, and install again"
            )


def path_on(managed: Managed, system: str) -> str:
    """`system` is a name of `sys.platform`."""
    return managed.macos if system == "darwin" else managed.linux


def build_target(agent: str, install: Install, project: str, *, user: bool) -> Target:
    hooks = HookSet(EngineOptions(project, dialect=agent, trust="all", on_config_error="warn"))
    check_home(hooks.home)
    if not user and os.path.realpath(hooks.project) == os.path.realpath(hooks.home):
        raise UsageError(f"{hooks.project} is your home, not a project; --user installs for all your projects")
    pattern = install.user if user else install.project
    whole = resolve_config_path(
        moved_home(pattern, hooks.dialect, hooks.environ), hooks.project, hooks.home, hooks.environ
    )
    root = hooks.project if not user else hooks.home if within(whole, hooks.home) else "/"
    path = os.path.relpath(whole, root)
    return Target(hooks, install, file_of(hooks.dialect, pattern), root, path, user, record_of(hooks, root, path))


def check_home(home: str) -> None:
    """A relative home would put the records into the current folder, where they would not be found again."""
    if not os.path.isabs(home):
        raise UsageError(f"your home folder is given as {home!r}, which is not an absolute path; set HOME to one")


def file_of(dialect: Dialect, path: str) -> File:
    return next(file for file in dialect.config.files if covers(file.path, path))


def record_of(hooks: HookSet, root: str, path: str) -> str:
    """One file for each agent, of any version, and config, by its real path."""
    return record_in(state_folder(hooks.environ, hooks.home), hooks, root, path)


def record_in(folder: str, hooks: HookSet, root: str, path: str) -> str:
    plain = hooks.dialect.name.partition("@")[0]
    where = os.path.join(os.path.realpath(root), path)
    digest = hashlib.sha256(where.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return os.path.join(folder, FOLDER, f"{plain}-{digest}.json")


def installable(*, managed: bool = False) -> list[str]:
    """The agents with a file for install; with `managed` those with one for administrators."""
    found = ((name, dialects.get(name).install) for name in dialects.names())
    return [name for name, install in found if install and (not managed or install.managed)]
