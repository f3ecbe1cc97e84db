"""Entries that call the HTTP door in place of a command, for agents whose http hooks can be made to fail closed.

An event at which a hook may block and the agent would not refuse without the server keeps its command; so does one that
takes no http hooks, or whose answers need an exit code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tenterhook.author import callers
from tenterhook.author.forms import REFUSED
from tenterhook.author.registered import GUARDED
from tenterhook.config.entry_keys import key_of
from tenterhook.dialects.schema.dialect import Dialect, EventRule, Install, Type
from tenterhook.dialects.schema.kinds import START
from tenterhook.engine.simulate import Did
from tenterhook.support.http_door import HOST, PORT, VARIABLE, agent_in_url, door_url
from tenterhook.tools.install.command_line import CommandLine, EntryCall, Word
from tenterhook.tools.install.editing.record import Record
from tenterhook.tools.install.limits import CLOSED, passes

OPENING, DETACH = ("serve", "--http"), "--detach"
# How a type writes what it calls, if that is a URL.
URL = "url"
# Where a process tells a text; an HTTP response is an object alone.
OF_A_PROCESS = ("stdout", "stderr")


class DoorCall(Struct, frozen=True):
    """One event's call of the door."""

    url: str

    def kind(self, dialect: Dialect) -> Type:
        return url_type(dialect)

    def entry(self, dialect: Dialect, install: Install) -> dict[str, Any]:
        keys, kind = dialect.config.form.keys, url_type(dialect)
        return {
            key_of(keys, "type"): kind.name,
            kind.key: self.url,
            key_of(keys, "spec_texts"): {"Authorization": f"Bearer ${VARIABLE}"},
            key_of(keys, "env"): [VARIABLE],
        }

    def text(self) -> str:
        return self.url


class DoorLine(Struct, frozen=True):
    """What the entries of an agent call: the door where that is safe, else the command; and at a session's start the
    command that opens the door.
    """

    command: CommandLine
    agent: str
    port: int
    hooks_of: str = ""

    @property
    def fixed(self) -> bool:
        return self.command.fixed

    def at(self, dialect: Dialect, rule: EventRule) -> EntryCall:
        own = self.command.at(dialect, rule)
        if not takes_door(dialect, rule):
            return own
        event = rule.name if own != self.command else ""  # the agent does not name it in the event
        return DoorCall(door_url(self.agent, self.port, event=event, hooks_of=self.hooks_of))

    def entries_at(self, dialect: Dialect, rule: EventRule) -> list[EntryCall]:
        """At a session's start, also the command that opens the door, if it is not open."""
        return [self.at(dialect, rule), *([self.opening()] if rule.kind == START else [])]

    def opening(self) -> CommandLine:
        return CommandLine(self.command.program, tuple(opening_command(self.port).split()[1:]))

    def text(self) -> str:
        return f"{door_url(self.agent, self.port, hooks_of=self.hooks_of)}, and {self.command.text()}"


def is_opening(words: Sequence[Word]) -> bool:
    """Whether these words after the program open the door, as install writes it."""
    own = [word for word in words if isinstance(word, str)]
    port = own[len(OPENING) : -1]
    return (
        len(own) == len(words)
        and tuple(own[: len(OPENING)]) == OPENING
        and own[-1:] == [DETACH]
        and (not port or (len(port) == 1 and port[0].isdecimal()))
    )


def calls_door(record: Record) -> bool:
    """Whether an install on record wrote entries that call the door."""
    edits = [edit for config in record.configs.values() for edit in config.edits]
    return any(agent_in_url(edit.addition.says) for edit in edits)


def url_type(dialect: Dialect) -> Type:
    return next(kind for kind in dialect.config.types if kind.form == URL)


def why_no_door(dialect: Dialect) -> str:
    """Why an agent cannot use the door; empty if it can."""
    install = dialect.install
    assert install is not None
    if install.closed and install.variables:
        return ""
    if install.no_door:
        return install.no_door
    if not any(kind.form == URL for kind in dialect.config.types):
        return "it has no http hooks"
    return "nothing makes its http hooks refuse where the server is away"


def takes_door(dialect: Dialect, rule: EventRule) -> bool:
    """Whether an event may call the door: nothing must get past a hook because no server answers."""
    types = rule.overrides.types
    if types and url_type(dialect).name not in types:
        return False
    return says_all_in_an_object(dialect, rule) and (not rule.can.block or refuses_without_server(dialect, rule))


def refuses_without_server(dialect: Dialect, rule: EventRule) -> bool:
    """An agent takes the failure of an entry that fails closed for the exit code that refuses."""
    failed, refused = Did(exit_code=None, error="network"), Did(exit_code=REFUSED, stderr="no server")
    return rule.kind in GUARDED and not (passes(dialect, rule, failed, CLOSED) or passes(dialect, rule, refused, {}))


def says_all_in_an_object(dialect: Dialect, rule: EventRule) -> bool:
    forms = callers.load(dialect.name)["events"][rule.name]["says"].values()
    return not any(form.get("exit") or form.get("text") in OF_A_PROCESS or "out" in form for form in forms)


def describe_absence(dialect: Dialect, rules: Sequence[EventRule], port: int) -> str:
    """What happens where no server answers."""
    called = [rule for rule in rules if takes_door(dialect, rule)]
    closed = [rule.name for rule in called if refuses_without_server(dialect, rule)]
    others = [rule.name for rule in called if rule.name not in closed]
    parts = [f"{', '.join(closed)}: each call is refused"] if closed else []
    parts += [f"{', '.join(others)}: no hook hears of it, and the agent goes on"] if others else []
    starts = any(rule.kind == START for rule in rules)
    how = "a session's start opens it again, and so does" if starts else "it is opened by"
    return f"while no server answers at {HOST}:{port}: {'; '.join(parts)}; {how} {opening_command(port)}"


def opening_command(port: int) -> str:
    return " ".join(["tenter", *OPENING, *([] if port == PORT else [str(port)]), DETACH])
