"""How each hook is confined: what its dialect says, what its entry asks for, what user and system settle for all."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from tenterhook import handlers
from tenterhook.config.locations import resolve_config_path
from tenterhook.runtime.sandbox import places
from tenterhook.runtime.sandbox.layout import prefixes, within
from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.support.paths import hide_server_folders, state_folder
from tenterhook.types import Sandbox

if TYPE_CHECKING:
    from tenterhook.engine.hookset import HookSet
    from tenterhook.types import Hook

Confined = tuple[Profile | None, bool]
# Where a user's own folders are elsewhere than usual.
MOVED = {".config/": "XDG_CONFIG_HOME", ".local/share/": "XDG_DATA_HOME", ".local/state/": "XDG_STATE_HOME"}
MOVED[".cache/"] = "XDG_CACHE_HOME"
# Holds our hooks and much else.
SHARED = "pyproject.toml"
FREE: Confined = (None, False)
# Steps of a path, links followed: they may lead in a circle.
LONGEST_WAY = 400


class Confinement:
    """One engine's. Profiles are made once: the places are looked at when the first hook needs them."""

    def __init__(self, owner: HookSet) -> None:
        self.owner = owner
        self.made: dict[Sandbox | None, Confined] = {}

    def of(self, hook: Hook) -> Confined:
        """The profile of a hook's process, and whether it may not run without; None where nothing confines it."""
        if not handlers.starts_child(hook.handler):
            return FREE
        found = self.made.get(hook.sandbox)
        if found is None:
            found = self.made[hook.sandbox] = self.make(hook.sandbox)
        return found

    def make(self, asked: Sandbox | None) -> Confined:
        said = self.owner.settings.sandbox
        if said == "off" or (asked and asked.off and said != "require"):
            return FREE
        # A strict engine would run no hook at all where there is no sandbox yet; who requires one wants just that.
        strict = self.owner.mode == "strict" and sys.platform == "linux"
        return self.profile(asked or Sandbox()), said == "require" or strict

    def words(self, hook: Hook) -> str:
        """For people; empty where there is no process to speak of."""
        if hook.handler == "python":
            return "not confined: it runs in the host's own process"
        if not handlers.starts_child(hook.handler):
            return ""
        asked = hook.sandbox or Sandbox()
        profile, required = self.of(hook)
        if profile is None:
            return f"not confined: {'it says so itself' if asked.off else 'the settings say so'}"
        said = [f"confined: network {profile.network}"]
        said += [f"reads {', '.join(asked.read)}"] if asked.read else []
        said += [f"writes {', '.join(asked.write)}"] if asked.write else []
        return ", ".join([*said, "refused where that cannot be had" if required else "else with a warning"])

    def profile(self, asked: Sandbox) -> Profile:
        """Explicit paths open what is protected or secret only where they name it, or something in it."""
        usual = self.owner.dialect.sandbox.default
        read = [*self.expand_paths(usual.read), *self.expand_paths(asked.read)]
        write = [*self.expand_paths(usual.write), *self.expand_paths(asked.write)]
        real = Real()
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
        """Where each really leads; ~ is the user's home, and the rest counts from the project."""
        return [os.path.realpath(os.path.join(self.owner.project, self.from_home(path))) for path in paths]

    def from_home(self, path: str) -> str:
        return self.owner.home + path[1:] if path == "~" or path.startswith("~/") else path

    @cached_property
    def homes(self) -> list[str]:
        """The engine's, and the one that the system knows: HOME may say anything."""
        return [*dict.fromkeys([self.owner.home, known_home()])]

    @cached_property
    def moved(self) -> list[tuple[str, str]]:
        found = [(start, self.owner.environ.get(variable, "")) for start, variable in MOVED.items()]
        return [(start, folder) for start, folder in found if os.path.isabs(folder)]

    def at_home(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            yield from (os.path.join(home, name) for home in self.homes)
            for start, folder in self.moved:
                if name.startswith(start):
                    yield os.path.join(folder, name[len(start) :])

    def secret(self) -> Iterator[str]:
        for pattern in (*places.SECRETS, *places.AGENT_SECRETS):
            yield from self.at_home((pattern,))
        for pattern in (*places.SYSTEM_SECRETS, *places.SOCKETS):
            yield from expand_path_pattern(pattern.format(uid=os.getuid()))
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
        """The files of the dialect in force, which may be one that nobody else knows."""
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
        """A folder that a variable names; not one that holds a home, and with it everything."""
        if not os.path.isabs(folder):
            return []
        real = os.path.realpath(folder)
        return [] if any(within(os.path.realpath(home), real) for home in self.homes) else [folder]

    def outside(self, folders: Iterable[str], guarded: Iterable[str]) -> list[str]:
        """Not what lies in a guarded place of a home: a hook that may write /tmp can make a link of a folder there."""
        homes = prefixes(real for home in self.homes if (real := os.path.realpath(home)) != "/")
        ours = prefixes(place for place in guarded if f"{place}/".startswith(homes))
        return [folder for folder in folders if not f"{folder}/".startswith(ours)]

    def ledgers(self) -> list[str]:
        """Where `tenter hook`, which is a hook itself, keeps what its checks came to."""
        folder = os.path.join(state_folder(self.owner.environ, self.owner.home), "actions")
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
        except OSError:
            return []
        return [os.path.realpath(folder)]

    def keep_our_own(self, writable: list[str]) -> None:
        """What we may write ourselves while a hook runs must be there before, or it would be taken for the hook's."""
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


class Real:
    """Where paths really lead, quickly: most have the same few folders around them, and most are not there."""

    def __init__(self) -> None:
        self.folders: dict[str, tuple[str, frozenset[str] | None]] = {}

    def folder(self, folder: str) -> tuple[str, frozenset[str] | None]:
        """Where it really is, with a slash behind it, and what is in it; None where we may not know."""
        real = os.path.realpath(folder)
        inside = None
        try:
            inside = frozenset(os.listdir(real))
        except (FileNotFoundError, NotADirectoryError):
            inside = frozenset()
        except OSError:
            pass
        return real.rstrip("/") + "/", inside

    def both(self, paths: Iterable[str]) -> Iterator[str]:
        """Each place as it is named, below the real folder that holds it; where links lead; and the links."""
        for path in paths:
            folder, _, name = path.rpartition("/")
            known = self.folders.get(folder)
            if known is None:
                known = self.folders[folder] = self.folder(folder or "/")
                yield from links_to(folder)
            path = known[0] + name
            yield path
            if (known[1] is None or name in known[1]) and os.path.islink(path):
                yield from links_to(path)
                yield os.path.realpath(path)


def links_to(path: str) -> Iterator[str]:
    """The links that a path leads over, each below the real folder that holds it: who replaces one moves the rest."""
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
    """The path or paths that a pattern means: those that are there, and those that it usually means."""
    path = pattern.removesuffix("/**")
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
    """The shared file where it holds hooks of ours; any other is the project's own affair."""
    path = os.path.join(project, SHARED)
    try:
        with open(path, "rb") as file:
            if b"tool.tenterhook" in file.read(1 << 20):
                yield path
    except OSError:
        return


def git(project: str) -> Iterator[str]:
    """What git runs, in the project's own folder and, where that is a pointer, in the one it points to."""
    own = os.path.join(project, ".git")
    folders = [own, *around_project(project), *submodules(os.path.join(own, "modules"))]
    yield from (os.path.join(folder, name) for folder in folders for name in places.GIT)
    if not os.path.isdir(own):
        # What would make a repository of the project: a pointer to anywhere, or the folder itself.
        yield own
        yield os.path.join(project, "HEAD")
    if os.path.isfile(own):
        pointed = os.path.join(project, text_of(own).removeprefix("gitdir:").strip())
        common = os.path.join(pointed, text_of(os.path.join(pointed, "commondir")).strip())
        yield from (os.path.join(one, name) for one in (pointed, common) for name in places.GIT)
    worktrees = os.path.join(own, "worktrees")
    if os.path.isdir(worktrees):
        # Their pointers stay as they are: who removes a worktree removes them.
        names = [name for name in places.GIT if name != "commondir"]
        yield from (os.path.join(worktrees, one, name) for one in sorted(os.listdir(worktrees)) for name in names)
    yield from pointed_to(project, own)


def around_project(project: str) -> Iterator[str]:
    """Those of the repositories that the project is a folder of: they can be written where it lies in /tmp."""
    while project != "/":
        project = os.path.dirname(project)
        own = os.path.join(project, ".git")
        if os.path.isdir(own):
            yield own


def submodules(folder: str) -> Iterator[str]:
    """Git's folders below one, which are named as the modules are, slashes included; each may have modules itself."""
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
    """Where the repository says that its hooks are, and more of its config."""
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
