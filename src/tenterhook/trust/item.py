"""One thing to approve, and what of it an approval is bound to."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from tenterhook.trust.parts import BoundFile
from tenterhook.types import Hook

if TYPE_CHECKING:
    from tenterhook.dialects.schema.dialect import Dialect
    from tenterhook.trust.bind import Binding

# All parts of a hook's entry that decide when it runs, what it runs, and what its answer does.
FIELDS = (
    *("name", "handler", "spec", "matcher", "match_kind", "timeout", "enabled", "sequential", "priority", "once"),
    *("background", "leftovers", "condition", "on_failure", "env", "sandbox"),
)
# The version of the rules that find what a hook's files load. An approval by older rules is asked for again if the
# result differs.
FOLLOWED = 1
KINDS = {
    "hook": "hook",
    "words": "what the file says about hooks of others",
    "status": "status line",
    "server": "MCP server",
    "actions": "the table actions",
}


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hook, or another part of a project's file that counts only with the user's approval.

    `file` is the config file's real path, `order` the item's position among those of the same event. `followed` is the
    version of the rules by which the files that it loads were found; 0 if they were not.
    """

    kind: str
    file: str
    entry: dict[str, Any]
    dialect: str = ""
    name: str = ""
    event: str = ""
    agent: str | None = None
    order: int = 0
    parts: tuple[BoundFile, ...] = ()
    unbound: tuple[str, ...] = ()
    followed: int = 0

    @property
    def slot(self) -> tuple[str, str, str, str, str | None]:
        """Its position: a changed item keeps it."""
        return self.kind, self.dialect, self.file, self.event, self.agent

    @property
    def bond(self) -> Hashable:
        """What an approval is bound to: if two items have the same, an approval of one is an approval of the other."""
        return *self.identity, tuple(sorted(one.key for one in self.parts))

    @property
    def identity(self) -> tuple[Hashable, Hashable]:
        """Its position and its entry, without the files behind it."""
        return self.slot, hashable(self.entry)


def hook_item(hook: Hook, dialect: Dialect, order: int, bound: Binding) -> Item:
    return Item(
        kind="hook",
        dialect=dialect.name,
        file=os.path.realpath(hook.source.file),
        name=hook.name,
        event=hook.event,
        agent=hook.agent,
        order=order,
        entry=entry(hook, dialect),
        parts=tuple(part for part, _ in bound.parts.values()),
        unbound=tuple(bound.unbound),
        followed=FOLLOWED,
    )


def other_item(
    kind: str, file: str, content: dict[str, Any], *, dialect: str = "", name: str = "", bound: Any = None
) -> Item:
    return Item(
        kind=kind,
        dialect=dialect,
        file=os.path.realpath(file),
        name=name or KINDS[kind],
        entry=plain(content),
        parts=tuple(part for part, _ in bound.parts.values()) if bound else (),
        unbound=tuple(bound.unbound) if bound else (),
    )


def entry(hook: Hook, dialect: Dialect) -> dict[str, Any]:
    """The hook as its file has it, without defaults, so that new options in a later version change nothing."""
    bare = Hook(name="", event="", handler="", spec={}, source=hook.source, timeout=dialect.planning.timeout)
    found = {name: getattr(hook, name) for name in FIELDS}
    return dict(plain({name: value for name, value in found.items() if value != getattr(bare, name)}))


def plain(value: Any) -> Any:
    """As JSON would have it, so that a stored value compares with one that is read."""
    return tuples_to_lists(msgspec.to_builtins(value, str_keys=True, enc_hook=str))


def hashable(value: Any) -> Hashable:
    """Equal for two values exactly if they are equal, so that thousands of them can be looked up."""
    if isinstance(value, dict):
        return frozenset((key, hashable(one)) for key, one in value.items())
    return tuple(map(hashable, value)) if isinstance(value, list) else value


def tuples_to_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: tuples_to_lists(one) for key, one in value.items()}
    return [tuples_to_lists(one) for one in value] if isinstance(value, list | tuple) else value
