"""Lines -> entries, for reading the journal. Writing uses entry.py, without these records.

A line may be a part, which other lines of its file name: what they have in common. An entry is a line with its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.journal.entry import SCHEMA
from tenterhook.types import Skipped, Usage

# The fields of a line that name its parts.
PARTS = ("context", "plan")


class HookRun(Struct, omit_defaults=True):
    """What one hook did. If the entry stands for many outcomes, `each` has the microseconds of every run."""

    hook: str
    type: str
    source: str
    seconds: float = 0.0
    exit_code: int | None = None
    signal: str | None = None
    error: str | None = None
    detail: str = ""
    decision: str = "none"
    reason: str = ""
    failed: bool = False
    truncated: bool = False
    sandbox: str = ""
    warm: bool = False
    notes: tuple[str, ...] = ()
    usage: Usage | None = None
    stdout: str = ""
    stderr: str = ""
    each: list[int] = []


class HookText(Struct, omit_defaults=True):
    """A message of a hook: its beginning, and its full length."""

    to: str
    kind: str
    size: int
    hook: str = ""
    text: str = ""


class JournalEntry(Struct, kw_only=True, omit_defaults=True):
    """One line and its parts. Empty fields are left out.

    `agent` is the program that asked, `subagent` the one of its agents that acted. `obeys` is what it does with the
    decision, and `ms` how long it waited for it. `count` is above one if the same outcome, without a decision, message
    or change, came that often between `time` and `until`. `unlisted` is how many skipped hooks and attempts were too
    many to be recorded.
    """

    schema: int
    time: str
    pid: int
    id: str
    session: str
    event: str
    kind: str
    decision: str
    blocked: bool
    success: bool
    agent: str = ""
    version: str = ""
    user: str = ""
    host: str = ""
    project: str = ""
    dialect: str = ""
    mode: str = ""
    policy: str = ""
    subagent: str = ""
    target: str = ""
    input: Any = None
    sizes: dict[str, int] = {}
    obeys: str = ""
    reason: str = ""
    stop: bool = False
    stop_reason: str = ""
    suppress: bool = False
    changes: dict[str, list[str]] = {}
    messages: list[HookText] = []
    attempts: list[HookRun] = []
    skipped: list[Skipped] = []
    unlisted: int = 0
    warnings: list[str] = []
    ms: float = 0.0
    count: int = 1
    until: str = ""

    @property
    def deciders(self) -> list[str]:
        """The hooks that decided what came of it; none if it was refused without asking one."""
        if self.decision == "none":
            return []
        return list(dict.fromkeys(one.hook for one in self.attempts if one.decision == self.decision))

    @property
    def informers(self) -> list[str]:
        """The hooks that told the model something."""
        return list(dict.fromkeys(one.hook for one in self.messages if one.to == "model"))

    @property
    def failed_open(self) -> list[str]:
        """The hooks that failed without keeping anything from going on."""
        return [one.hook for one in self.attempts if failed_open(one)]


def failed_open(attempt: HookRun) -> bool:
    return (attempt.failed or attempt.error is not None) and attempt.decision in ("none", "allow")


def decode_line(line: bytes) -> dict[str, Any] | None:
    """The object of a line; None if the line is incomplete or of a later version."""
    try:
        made = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    known = isinstance(made, dict) and isinstance(made.get("schema"), int) and made["schema"] <= SCHEMA
    return made if known else None


def join_parts(made: dict[str, Any], parts: Mapping[str, dict[str, Any]]) -> JournalEntry | None:
    """The entry of a line; None if it is not one. A part that is missing leaves its fields empty."""
    named = [parts.get(made[name], {}) for name in PARTS if isinstance(made.get(name), str)]
    whole: dict[str, Any] = {}
    for one in (*named, made):
        whole |= one
    try:
        return msgspec.convert(whole, JournalEntry)
    except msgspec.ValidationError:
        return None
