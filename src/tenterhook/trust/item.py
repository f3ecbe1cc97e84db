"""One thing to approve, and what of it an approval is bound to."""

from __future__ import annotations

import os
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from tenterhook.trust.parts import Part
from tenterhook.types import Hook

if TYPE_CHECKING:
    from tenterhook.dialects.schema.dialect import Dialect
    from tenterhook.trust.bind import Bound

# All of a hook's entry that decides when it runs, what it runs, and what comes of it.
FIELDS = (
    *("name", "handler", "spec", "matcher", "match_kind", "timeout", "enabled", "sequential", "priority", "once"),
    *("background", "leftovers", "condition", "on_failure", "env", "sandbox"),
)
# The rules by which it is found out what a hook's files load. An approval that was given by others is asked for again
# where something comes of it.
FOLLOWED = 1
KINDS = {
    "hook": "hook",
    "words": "what the file says about hooks of others",
    "status": "status line",
    "server": "MCP server",
    "actions": "the table actions",
}


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A hook, or something else that a project's file says and that counts only where the user agrees.

    `file` is the config file's real path, `order` the item's place among those of the same event. `followed` says by
    which rules it was found out what its files load; 0 where it was not.
    """

    kind: str
    file: str
    entry: dict[str, Any]
    dialect: str = ""
    name: str = ""
    event: str = ""
    agent: str | None = None
    order: int = 0
    parts: tuple[Part, ...] = ()
    unbound: tuple[str, ...] = ()
    followed: int = 0

    @property
    def slot(self) -> tuple[str, str, str, str, str | None]:
        """Where it stands: an item that was changed still stands there."""
        return self.kind, self.dialect, self.file, self.event, self.agent

    @property
    def bond(self) -> Hashable:
        """What an approval is bound to: where two items have the same, an approval of the one is one of the other."""
        return *self.said, tuple(sorted(one.key for one in self.parts))

    @property
    def said(self) -> tuple[Hashable, Hashable]:
        """Where it stands and what its entry says, without the files behind it."""
        return self.slot, hashable(self.entry)


def hook_item(hook: Hook, dialect: Dialect, order: int, bound: Bound) -> Item:
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
    kind: str, file: str, said: dict[str, Any], *, dialect: str = "", name: str = "", bound: Any = None
) -> Item:
    return Item(
        kind=kind,
        dialect=dialect,
        file=os.path.realpath(file),
        name=name or KINDS[kind],
        entry=plain(said),
        parts=tuple(part for part, _ in bound.parts.values()) if bound else (),
        unbound=tuple(bound.unbound) if bound else (),
    )


def entry(hook: Hook, dialect: Dialect) -> dict[str, Any]:
    """The hook as its file has it, without what is usual, so that a later version's new options change nothing."""
    bare = Hook(name="", event="", handler="", spec={}, source=hook.source, timeout=dialect.planning.timeout)
    found = {name: getattr(hook, name) for name in FIELDS}
    return dict(plain({name: value for name, value in found.items() if value != getattr(bare, name)}))


def plain(value: Any) -> Any:
    """As JSON would have it, so that what was kept compares with what is read."""
    return tuples_to_lists(msgspec.to_builtins(value, str_keys=True, enc_hook=str))


def hashable(value: Any) -> Hashable:
    """The same for two values exactly where they are equal, so that thousands of them can be looked up."""
    if isinstance(value, dict):
        return frozenset((key, hashable(one)) for key, one in value.items())
    return tuple(map(hashable, value)) if isinstance(value, list) else value


def tuples_to_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: tuples_to_lists(one) for key, one in value.items()}
    return [tuples_to_lists(one) for one in value] if isinstance(value, list | tuple) else value
