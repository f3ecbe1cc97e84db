"""The environment of hooks: what they get of the host's variables, and the variables about the event."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tenterhook.support.secrets.names import kept_back, without_secrets
from tenterhook.types import Event, Hook

if TYPE_CHECKING:
    from tenterhook.pipeline.payload import Shape

DEPTH = "TENTERHOOK_DEPTH"
# The host's variables that a hook of a strict engine sees, in addition to the dialect's own.
ALLOWED = {
    *("PATH", "HOME", "LANG", "LANGUAGE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME", "SHELL", "PWD"),
    *("SYSTEMROOT", "COMSPEC", "TEMP", "TMP", "VIRTUAL_ENV"),
}
# One variable may hold 128 kB on Linux; beyond it no process starts at all.
LONGEST = 30_000
ALLOWED_PREFIXES = ("LC_", "XDG_")


class Inherited:
    """The part of the host's environment that hooks get. The last one is cached: it hardly changes between events."""

    __slots__ = ("last", "strict", "strip", "without")

    def __init__(self, *, strict: bool, strip: bool, without: tuple[str, ...] = ()) -> None:
        self.strict, self.strip, self.without = strict, strip, without
        self.last: tuple[Mapping[Any, Any], dict[str, str]] | None = None

    def __call__(self, environ: Mapping[str, str]) -> dict[str, str]:
        """A new mapping, which the caller may change."""
        # os.environ decodes each variable on every access; comparing its raw content takes a 60th of the time.
        held = environ._data if environ.__class__ is os._Environ else environ  # type: ignore[attr-defined]
        last = self.last
        if last is None or last[0] != held:
            seen = dict(held)
            plain = {os.fsdecode(name): os.fsdecode(value) for name, value in seen.items()}
            last = self.last = seen, self.made(plain)
        return last[1].copy()

    def made(self, environ: dict[str, str]) -> dict[str, str]:
        env = filter_allowed_variables(environ) if self.strict else environ.copy()
        if self.without:
            env = {name: value for name, value in env.items() if not name.startswith(self.without)}
        if self.strip:
            env = without_secrets(env)
        env[DEPTH] = str(depth(environ) + 1)
        return env


def environment(event: Event, shape: Shape) -> dict[str, str]:
    """The hooks' environment; values reach a command through it only, never by substitution in its text."""
    env = shape.inherited(event.environ)
    for name, get, optional in shape.env:
        value = fit(str(get(event) or ""))
        if value or not optional:
            env[name] = value
    return env


def fit(value: str) -> str:
    """A value as an environment can hold it: a tool's odd name must not keep its guard from starting."""
    if value.isascii() and len(value) <= LONGEST and "\0" not in value:
        return value
    value = value[:LONGEST].replace("\0", "")
    try:
        os.fsencode(value)  # a folder's name may hold bytes that are not text
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace").decode()
    return value


def withheld(event: Event, shape: Shape, hook: Hook) -> list[str]:
    """The variables that hold secrets and that this hook does not get, whatever the mode."""
    if not shape.strip:
        return []
    return [name for name in kept_back(event.environ) if name not in hook.env]


def filter_allowed_variables(environ: Mapping[str, str]) -> dict[str, str]:
    return {k: v for k, v in environ.items() if k in ALLOWED or k.startswith(ALLOWED_PREFIXES)}


def depth(environ: Mapping[str, str]) -> int:
    """How many hooks deep this process is: 0 in an agent, 1 in a hook of an agent."""
    value = environ.get(DEPTH, "")
    return int(value) if value.isdecimal() else 0
