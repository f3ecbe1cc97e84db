"""What the kit must know of a client: how it is started offline, where its hooks are written, what it obeys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from clients.models.provider_apis import KEY, Protocol

from .pins import Package
from .scene import Answer, Entries, Entry, Scene

PROMPT = "please run the tool"
# For hooks that are to be late, in seconds; each client has it in its own unit.
TIMEOUT = 5


class Client(NamedTuple):
    """`events` are its names for our kinds; deny, rewrite and context are the answers that it is known to obey.

    `configure` writes hooks for these events into the scene, `argv` and `environ` start it on one prompt.
    """

    name: str
    dialect: str
    needs: tuple[Package, ...]
    protocol: Protocol
    tool: str
    call: Callable[[str], dict[str, Any]]
    events: Mapping[str, str]
    configure: Callable[[Scene, Entries], None]
    argv: Callable[[Scene], list[str]]
    environ: Callable[[Scene, str], dict[str, str]]
    deny: Callable[[str], Answer]
    rewrite: Callable[[dict[str, Any]], Answer]
    context: Callable[[str, str], Answer]
    # What its hooks are told that the shell gave back, for this text.
    output: Callable[[str], Any] = str
    # What its hooks call the tool, where the model calls it otherwise.
    target: str = ""

    @property
    def missing(self) -> str:
        """What of it was not fetched."""
        return ", ".join(f"{one.name} {one.version}" for one in self.needs if one.path is None)

    @property
    def version(self) -> str:
        return self.needs[0].version


def path_of(package: Package) -> str:
    """Where it was fetched to; asked only for clients that miss nothing."""
    assert package.path is not None, f"{package.name} is not fetched: run make clients"
    return str(package.path)


def says(value: Any) -> Answer:
    return Answer(stdout=json.dumps(value))


def grouped(scene: Scene, entries: Entries, timeout: float) -> dict[str, Any]:
    """Events with groups with hooks, as most clients have it."""
    hook = {"type": "command", "timeout": timeout}
    return {
        event: [
            {**matched(one), "hooks": [{**hook, "command": one.command or scene.command(event, one.place)}]}
            for one in found
        ]
        for event, found in entries.items()
    }


def matched(entry: Entry) -> dict[str, str]:
    return {} if entry.matcher is None else {"matcher": entry.matcher}


def about(event: str, **fields: Any) -> Answer:
    """An answer in the form that Claude Code has brought up."""
    return says({"hookSpecificOutput": {"hookEventName": event, **fields}})


CLAUDE_EVENTS = {
    "session.start": "SessionStart",
    "prompt.submit": "UserPromptSubmit",
    "tool.before": "PreToolUse",
    "tool.after": "PostToolUse",
    "turn.stop": "Stop",
}

__all__ = ["CLAUDE_EVENTS", "KEY", "PROMPT", "TIMEOUT", "Client", "about", "grouped", "matched", "path_of", "says"]
