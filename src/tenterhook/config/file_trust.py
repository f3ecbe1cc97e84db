"""Whether a config file, and each hook in it, is trusted: by its scope, its owner and the user's approvals."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from tenterhook.config.entries import Problem
from tenterhook.config.settings import Settings, is_roots
from tenterhook.support.off_switch import OFF
from tenterhook.support.scopes import OWN_SCOPES
from tenterhook.trust import is_trusted_scope

if TYPE_CHECKING:
    from tenterhook.config.load import Directives, Loaded
    from tenterhook.config.locations import ConfigLocation
    from tenterhook.dialects.schema.dialect import Dialect
    from tenterhook.trust.approvals import Approvals
    from tenterhook.types import Hook

RELAXED = ("loopback", "private")


def is_managed(hook: Hook) -> bool:
    return hook.source.scope == "managed"


class FileTrust:
    """Decides what counts. An unapproved part decides nothing, least of all about trust."""

    def __init__(
        self,
        dialect: Dialect,
        project: str,
        home: str,
        environ: Mapping[str, str],
        trust: str,
        settings: Settings,
        loaded: Loaded,
    ) -> None:
        self.dialect, self.project, self.home, self.environ = dialect, project, home, environ
        self.trust, self.settings, self.loaded = trust, settings, loaded
        self.made: Approvals | None = None
        self.kept: bool | None = None
        self.foreign: set[str] = set()

    def approvals(self) -> Approvals:
        """Read on first use; `remembers` says whether there are any."""
        if self.made is None:
            from tenterhook.trust.approvals import Approvals

            self.made = Approvals(self.dialect, self.project, self.home, self.environ)
            if self.made.problem:
                file, _, why = self.made.problem.partition(": ")
                self.warn(file, why)
        return self.made

    def own(self, place: ConfigLocation) -> bool:
        return is_trusted_scope(place.file.scope, self.trust)

    def readable(self, place: ConfigLocation) -> bool:
        """A system file counts only if root alone could have written it."""
        if place.file.scope == "managed" and not is_roots(place.path):
            self.warn(place.path, "can be written by users other than root, so it is not read")
            return False
        return True

    def counts(self, place: ConfigLocation) -> bool:
        """Whether a broken file must be reported: it is the user's own, or something in it was approved."""
        return self.own(place) or (self.asks(place) and self.remembers() and self.approvals().knows(place.path))

    def asks(self, place: ConfigLocation) -> bool:
        """Whether approvals apply: not if project files do not count at all, nor for another user's file."""
        if self.trust != "ask" or place.path in self.foreign:
            return False
        owner = owner_of(place.path)
        if owner:
            self.foreign.add(place.path)
            self.warn(place.path, f"belongs to {owner}, so nothing in it is trusted")
        return not owner

    def hooks(self, hooks: list[Hook], *, complete: bool) -> list[Hook]:
        """The hooks with their states. `complete`: all files were read, so that what is missing is gone."""
        if self.settings.only_managed:
            return [
                hook if self.of_system(hook) else replace(hook, state="forbidden") for hook in map(steadfast, hooks)
            ]
        hooks = [steadfast(hook) for hook in hooks]
        if self.trust == "all":
            return self.but_denied(hooks) if self.remembers() else hooks
        theirs = [hook for hook in hooks if not is_trusted_scope(hook.source.scope, self.trust)]
        judged = dict(zip(map(id, theirs), self.apply_approvals(theirs, complete=complete), strict=True))
        return [judged.get(id(hook), hook) for hook in hooks]

    def but_denied(self, hooks: list[Hook]) -> list[Hook]:
        """Remove denied hooks: trusting everything does not override the user's denials."""
        theirs = [hook for hook in hooks if hook.source.scope not in OWN_SCOPES]
        found, _ = self.approvals().hooks(theirs)
        denied = {id(hook) for hook, one in zip(theirs, found, strict=True) if one.state == "denied"}
        return [replace(hook, state="denied") if id(hook) in denied else hook for hook in hooks]

    def of_system(self, hook: Hook) -> bool:
        scope = hook.source.scope
        return scope == "managed" or (scope in ("system", "defaults") and is_roots(hook.source.file))

    def apply_approvals(self, hooks: Sequence[Hook], *, complete: bool) -> list[Hook]:
        """A project's hooks, as far as the user approved them."""
        asked = {place.path for place in self.loaded.places if place.found and not self.own(place) and self.asks(place)}
        known = [hook for hook in hooks if hook.source.file in asked]
        if self.trust != "ask" or not (asked or complete) or not self.remembers():
            return [replace(hook, state="untrusted") for hook in hooks]
        found, gone = self.approvals().hooks(known)
        read = {os.path.realpath(place.path) for place in self.loaded.places}
        for line in gone if complete else ():
            item = line.last
            # A file that a command line names is not read here; of a foreign one a warning says that it is not trusted.
            if item.file not in read or item.file in map(os.path.realpath, self.foreign):
                continue
            text = f"the hook {item.name!r} for {item.event} was approved and no longer exists"
            self.warn(item.file, f"{text}; tenter trust confirms that")
        states = {id(hook): self.limit_hosts(one) for hook, one in zip(known, found, strict=True)}
        return [states.get(id(hook)) or replace(hook, state="untrusted") for hook in hooks]

    def remembers(self) -> bool:
        """Whether anything was ever approved here. Most projects have nothing, and `tenter fire` must be fast."""
        if self.kept is None:
            from tenterhook.trust.store import place

            self.kept = os.path.lexists(place(self.project, self.home, self.environ))
        return self.kept

    def limit_hosts(self, hook: Hook) -> Hook:
        """A project's hook may reach loopback and private addresses only at hosts that the user has listed."""
        asked = [name for name in RELAXED if hook.spec.get(name)]
        if not asked or hook.state not in ("trusted", "modified") or self.is_listed(str(hook.spec["main"])):
            return hook
        line, column = hook.source.where(hook.source.path) if hook.source.where else (0, 0)
        what = " and ".join(asked)
        text = (
            f"{what} of a project's hook count only for hosts that the user lists in settings.hosts; they are ignored"
        )
        self.loaded.problems.append(Problem("warning", hook.source.file, line, column, text, "not-trusted"))
        return replace(hook, spec={key: value for key, value in hook.spec.items() if key not in RELAXED})

    def is_listed(self, url: str) -> bool:
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(url)
            host, port = (
                (parts.hostname or "").removesuffix("."),
                parts.port or (443 if parts.scheme == "https" else 80),
            )
        except ValueError:
            return False
        listed = {one.lower().strip("[]") if one.count(":") != 1 else one.lower() for one in self.settings.hosts}
        return bool(host) and (host in listed or f"{host}:{port}" in listed or f"[{host}]:{port}" in listed)

    def words(self, place: ConfigLocation, words: Directives | None) -> Directives:
        """A file's directives about other hooks, as far as they count."""
        from tenterhook.config.load import Directives

        if words is None:
            return Directives()
        if self.own(place):
            return Directives() if self.settings.only_managed and place.file.scope != "managed" else words
        if self.settings.only_managed or not self.asks(place):
            return Directives()
        directives = words.as_approval()
        if not directives and not (self.remembers() and self.approvals().knows(place.path)):
            return Directives()
        found, state = self.approvals().words(place.path, directives) if self.remembers() else ({}, "untrusted")
        if found != directives:
            now = "what was approved stays in force" if state == "modified" else "it is ignored"
            self.warn(place.path, f"says something about other hooks that is not approved: {now}; see tenter trust")
        return msgspec.convert(found, Directives)

    def warn(self, file: str, text: str) -> None:
        self.loaded.problems.append(Problem("warning", file, 0, 0, text, "not-trusted"))


def judge_named(
    hooks: list[Hook],
    dialect: Dialect,
    project: str,
    home: str,
    environ: Mapping[str, str],
    trust: str,
    settings: Settings,
) -> list[Hook]:
    """The states of hooks whose file is named on a command line. What was approved is the file itself."""
    from tenterhook.config.load import Loaded
    from tenterhook.config.locations import ConfigLocation
    from tenterhook.dialects.schema.files import File

    sources = {hook.source.file: hook.source.scope for hook in hooks}
    places = [ConfigLocation(path, File(path=path, scope=scope, format=""), True) for path, scope in sources.items()]
    return FileTrust(dialect, project, home, environ, trust, settings, Loaded(places=places)).hooks(
        hooks, complete=False
    )


def owner_of(path: str) -> str:
    """The owner of a file if it is neither us nor root; empty otherwise."""
    try:
        owner = os.stat(path).st_uid
    except OSError:
        return ""
    return f"another user ({owner})" if hasattr(os, "geteuid") and owner not in (0, os.geteuid()) else ""


def steadfast(hook: Hook) -> Hook:
    """Managed hooks run even if the user sets TENTERHOOK_OFF: clear it in their environment."""
    return replace(hook, env={**hook.env, OFF: ""}) if is_managed(hook) else hook
