"""Decide how each hook is confined: by its dialect, by its entry, and by the settings of user and system for all."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from tenterhook import handlers
from tenterhook.config.locations import resolve_config_path
from tenterhook.runtime.sandbox import places
from tenterhook.runtime.sandbox.layout import kind_of, prefixes
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.support.paths import hide_server_folders, state_folder, within
from tenterhook.types import Sandbox

if TYPE_CHECKING:
    from tenterhook.engine.hookset import HookSet
    from tenterhook.types import Hook

Confined = tuple[Profile | None, bool]
# Variables that move a user's folders elsewhere.
MOVED = {".config/": "XDG_CONFIG_HOME", ".local/share/": "XDG_DATA_HOME", ".local/state/": "XDG_STATE_HOME"}
MOVED[".cache/"] = "XDG_CACHE_HOME"
# A file that holds our hooks and much else.
SHARED = "pyproject.toml"
FREE: Confined = (None, False)
# The most steps of a path when links are followed: they may form a cycle.
LONGEST_WAY = 400


class Confinement:
    """The confinement of one engine's hooks. Profiles are made once, when the first hook needs one."""

    def __init__(self, owner: HookSet) -> None:
        self.owner = owner
        self.made: dict[Sandbox | None, Confined] = {}

    def of(self, hook: Hook) -> Confined:
        """The profile of a hook's process, None if not confined; and whether the hook must not run without it."""
        if not handlers.starts_child(hook.handler):
            return FREE
        found = self.made.get(hook.sandbox)
        if found is None:
            found = self.made[hook.sandbox] = self.make(hook.sandbox)
        return found

    def knows(self, hook: Hook) -> bool:
        """Whether the profile is ready, so that `of` does not have to look at the disk."""
        return hook.sandbox in self.made

    def make(self, asked: Sandbox | None) -> Confined:
        setting = self.owner.settings.sandbox
        if setting == "off" or (asked and asked.off and setting != "require"):
            return FREE
        # In strict mode a sandbox is required on Linux only: elsewhere none exists yet, and no hook could run.
        # `require` wants that.
        strict = self.owner.mode == "strict" and sys.platform == "linux"
        return self.profile(asked or Sandbox()), setting == "require" or strict

    def words(self, hook: Hook) -> str:
        """A description for people; empty if the hook is not a process."""
        if handlers.runs_in_host(hook.handler):
            return "not confined: it runs in the host's own process"
        if not handlers.starts_child(hook.handler):
            return ""
        asked = hook.sandbox or Sandbox()
        profile, required = self.of(hook)
        if profile is None:
            return f"not confined: {'it says so itself' if asked.off else 'the settings say so'}"
        texts = [f"confined: network {profile.network}"]
        texts += [f"reads {', '.join(asked.read)}"] if asked.read else []
        texts += [f"writes {', '.join(asked.write)}"] if asked.write else []
        return ", ".join([*texts, "refused where that cannot be had" if required else "else with a warning"])

    def profile(self, asked: Sandbox) -> Profile:
        """Build a profile. Explicit paths open protected or secret places only if they name them or a part of them."""
        usual = self.owner.dialect.sandbox.default
        read = [*self.expand_paths(usual.read), *self.expand_paths(asked.read)]
        write = [*self.expand_paths(usual.write), *self.expand_paths(asked.write)]
        real = RealPaths()
        closed = {path for path in real.both(self.protected()) if path not in write}
        hidden = {*real.both(self.secret())} - {*read, *write}
        usual_places = self.outside((*self.temporary(), *self.caches()), closed | hidden)
        writable = [os.path.realpath(self.owner.project), *usual_places, *write]
        self.keep_our_own(writable)
        writable += self.ledgers()
        below = prefixes(writable)
        return Profile(
            asked.network or usual.network,
            tuple(sorted({*writable})),
            tuple(sorted(path for path in closed if path in writable or path.startswith(below))),
            tuple(sorted(hidden)),
            tuple(sorted({*read})),
        )

    def expand_paths(self, paths: Iterable[str]) -> list[str]:
        """The real path of each; ~ is the user's home, and relative paths count from the project."""
        return [os.path.realpath(os.path.join(self.owner.project, self.from_home(path))) for path in paths]

    def from_home(self, path: str) -> str:
        return self.owner.home + path[1:] if path == "~" or path.startswith("~/") else path

    @cached_property
    def homes(self) -> list[str]:
        """The engine's home, and the one in the system's user database: HOME may be set to anything."""
        return [*dict.fromkeys([self.owner.home, known_home()])]

    @cached_property
    def moved(self) -> list[tuple[str, str]]:
        found = [(start, self.owner.environ.get(variable, "")) for start, variable in MOVED.items()]
        return [(start, folder) for start, folder in found if os.path.isabs(folder)]

    def at_home(self, names: Iterable[str]) -> Iterator[str]:
        homes = prefixes(self.homes)
        for name in names:
            for home in homes:
                yield home + name
            for start, folder in self.moved:
                if name.startswith(start):
                    yield os.path.join(folder, name[len(start) :])

    def secret(self) -> Iterator[str]:
        yield from self.at_home((*places.SECRETS, *places.AGENT_SECRETS))
        for pattern in (*places.SYSTEM_SECRETS, *places.SOCKETS):
            yield from expand_path_pattern(pattern.format(uid=user_number()))
        for variable in places.SOCKET_VARIABLES:
            value = self.owner.environ.get(variable, "").partition(",")[0]
            path = value[value.find("/") :].replace("//", "/", 1) if "/" in value else ""
            if path and path.count("/") > 1:
                yield path

        yield from hide_server_folders(self.owner.environ, self.owner.home)

    def protected(self) -> Iterator[str]:
        project = os.path.realpath(self.owner.project)
        for pattern in (*places.SETTINGS, *places.CONFIG, *places.MORE_CONFIG):
            yield from expand_path_pattern(os.path.join(project, pattern))
        yield from self.of_dialect()
        yield from own_config(project)
        yield from git(project)
        for pattern in self.at_home((*places.STARTUP, *places.MORE_STARTUP, *places.AGENTS, *places.OURS)):
            yield from expand_path_pattern(pattern)
        yield from places.SYSTEM

    def of_dialect(self) -> Iterator[str]:
        """The config files of the dialect in use, which other packages may not know."""
        owner = self.owner
        files = (file.path for file in owner.dialect.config.files)
        for path in (*files, *owner.dialect.tools.mcp_files, *([owner.config] if owner.config else ())):
            found = resolve_config_path(path.partition("*")[0].rstrip("/"), owner.project, owner.home, owner.environ)
            if os.path.basename(found) != SHARED:
                yield os.path.abspath(found)

    def temporary(self) -> list[str]:
        given = self.owner.environ.get("TMPDIR", "")
        return [os.path.realpath(path) for path in (*places.TEMPORARY, *self.sane(given))]

    def caches(self) -> list[str]:
        given = self.sane(self.owner.environ.get("XDG_CACHE_HOME", ""))
        return [os.path.realpath(path) for path in (*self.at_home(places.CACHES), *given) if os.path.isdir(path)]

    def sane(self, folder: str) -> list[str]:
        """The folder that a variable names, unless it contains a home and so everything."""
        if not os.path.isabs(folder):
            return []
        real = os.path.realpath(folder)
        return [] if any(within(os.path.realpath(home), real) for home in self.homes) else [folder]

    def outside(self, folders: Iterable[str], guarded: Iterable[str]) -> list[str]:
        """Drop folders in a guarded place of a home: a hook that may write /tmp can turn one into a link."""
        homes = prefixes(real for home in self.homes if (real := os.path.realpath(home)) != "/")
        ours = prefixes(place for place in guarded if f"{place}/".startswith(homes))
        return [folder for folder in folders if not f"{folder}/".startswith(ours)]

    def ledgers(self) -> list[str]:
        """The folder in which `tenter hook`, which is a hook itself, keeps the results of its checks."""
        folder = os.path.join(state_folder(self.owner.environ, self.owner.home), "actions")
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError:
            return []
        return [os.path.realpath(folder)]

    def keep_our_own(self, writable: list[str]) -> None:
        """Create the folders that we write while a hook runs: later they would count as the hook's."""
        for path in self.at_home((".local/state/tenterhook",)):
            real = os.path.realpath(path)
            if any(within(real, one) for one in writable):
                with contextlib.suppress(OSError):
                    os.makedirs(real, mode=0o700, exist_ok=True)


def known_home() -> str:
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return os.path.expanduser("~")


def user_number() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


class RealPaths:
    """Resolve paths quickly: most are in the same few folders, and most do not exist."""

    def __init__(self) -> None:
        self.folders: dict[str, tuple[str, frozenset[str] | None]] = {}
        self.real: dict[str, str] = {"/": "/"}
        self.missing: set[str] = set()

    def folder(self, folder: str) -> tuple[str, frozenset[str] | None]:
        """The folder's real path with a slash at its end, and its entries, None if they cannot be read."""
        real = self.resolve(folder)
        inside: frozenset[str] | None = frozenset()
        if real not in self.missing:
            try:
                inside = frozenset(os.listdir(real))
            except OSError as exc:
                inside = frozenset() if isinstance(exc, (FileNotFoundError, NotADirectoryError)) else None
        return real.rstrip("/") + "/", inside

    def resolve(self, folder: str) -> str:
        """What `os.path.realpath` returns, with one look at each folder on the ways of all."""
        found = self.real.get(folder)
        if found is None:
            holder, _, name = folder.rpartition("/")
            if folder.startswith("//") or os.path.abspath(folder) != folder:
                found = os.path.realpath(folder)
            else:
                above = self.resolve(holder or "/")
                found = f"{above.rstrip('/')}/{name}"
                kind = 0 if above in self.missing else kind_of(found)
                if kind == stat.S_IFLNK:
                    found = os.path.realpath(found)
                elif kind == 0:
                    self.missing.add(found)
            self.real[folder] = found
        return found

    def both(self, paths: Iterable[str]) -> Iterator[str]:
        """Each path below the real folder that holds it, the links on the way, and the target of a link."""
        for path in paths:
            folder, _, name = path.rpartition("/")
            known = self.folders.get(folder)
            if known is None:
                known = self.folders[folder] = self.folder(folder or "/")
                if known[0] != f"{folder}/":
                    yield from links_to(folder)
            path = known[0] + name
            yield path
            if (known[1] is None or name in known[1]) and os.path.islink(path):
                yield from links_to(path)
                yield os.path.realpath(path)


def links_to(path: str) -> Iterator[str]:
    """The links on a path, each below the real folder that holds it: replacing one would move everything behind it."""
    if os.path.realpath(path) == path:
        return
    real, names = "/", path.split("/")[::-1]
    for _ in range(LONGEST_WAY):
        if not names:
            return
        name = names.pop()
        step = os.path.normpath(os.path.join(real, name))
        if name != ".." and os.path.islink(step):
            yield step
            target = os.readlink(step)
            real = "/" if target.startswith("/") else real
            names += target.split("/")[::-1]
        else:
            real = step


def expand_path_pattern(pattern: str) -> list[str]:
    """The paths that a pattern matches: those that exist, and those that it usually means."""
    path = pattern.removesuffix("/**")
    if "*" not in path:
        return [path]
    folder, name = os.path.split(path)
    before, star, after = name.partition("*")
    if not star:
        return [path]
    usual = ("json", "toml") if not after else ("", ".local")
    found = {os.path.join(folder, f"{before}{one}{after}") for one in usual}
    with contextlib.suppress(OSError):
        found |= {os.path.join(folder, one) for one in os.listdir(folder) if fits(one, before, after)}
    return sorted(found)


def fits(name: str, before: str, after: str) -> bool:
    return name.startswith(before) and name.endswith(after)


def own_config(project: str) -> Iterator[str]:
    """The shared file if it holds hooks of ours; any other belongs to the project alone."""
    path = os.path.join(project, SHARED)
    try:
        with open(path, "rb") as file:
            if b"tool.tenterhook" in file.read(1 << 20):
                yield path
    except OSError:
        return


def git(project: str) -> Iterator[str]:
    """The files that make git run something, in the project's .git folder and, if that is a pointer, in its target."""
    own = os.path.join(project, ".git")
    folders = [own, *around_project(project), *submodules(os.path.join(own, "modules"))]
    yield from (os.path.join(folder, name) for folder in folders for name in places.GIT)
    if not os.path.isdir(own):
        # Files that would turn the project into a repository: a pointer to anywhere, or the folder itself.
        yield own
        yield os.path.join(project, "HEAD")
    if os.path.isfile(own):
        pointed = os.path.join(project, text_of(own).removeprefix("gitdir:").strip())
        common = os.path.join(pointed, text_of(os.path.join(pointed, "commondir")).strip())
        yield from (os.path.join(one, name) for one in (pointed, common) for name in places.GIT)
    worktrees = os.path.join(own, "worktrees")
    if os.path.isdir(worktrees):
        # Their pointers stay writable: removing a worktree removes them.
        names = [name for name in places.GIT if name != "commondir"]
        yield from (os.path.join(worktrees, one, name) for one in sorted(os.listdir(worktrees)) for name in names)
    yield from pointed_to(project, own)


def around_project(project: str) -> Iterator[str]:
    """The .git folders of repositories around the project: hooks can write them if the project lies in /tmp."""
    while project != "/":
        project = os.path.dirname(project)
        own = os.path.join(project, ".git")
        if os.path.isdir(own):
            yield own


def submodules(folder: str) -> Iterator[str]:
    """Git's folders of submodules, named like the modules, slashes included; each may have modules itself."""
    try:
        with os.scandir(folder) as entries:
            inside = sorted(entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return
    for path in inside:
        is_git = any(os.path.isfile(os.path.join(path, name)) for name in ("HEAD", "config"))
        if is_git:
            yield path
        yield from submodules(os.path.join(path, "modules") if is_git else path)


def pointed_to(project: str, own: str) -> Iterator[str]:
    """The paths in the repository's config: of its hooks, and of further config files."""
    bases = {"hookspath": project, "path": own}
    for line in text_of(os.path.join(own, "config")).splitlines():
        key, equals, value = line.partition("=")
        base = bases.get(key.strip().lower())
        if equals and base and value.strip():
            yield os.path.join(base, os.path.expanduser(value.strip().strip('"')))


def text_of(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(65536)
    except (OSError, ValueError):
        return ""
