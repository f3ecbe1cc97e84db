"""Lines -> entries, for reading the journal. Writing uses entry.py, without these records."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from tenterhook.journal.entry import SCHEMA
from tenterhook.types import Skipped, Usage


class HookRun(Struct):
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


class HookText(Struct):
    """A message of a hook: its beginning, and its full length."""

    to: str
    kind: str
    size: int
    hook: str = ""
    text: str = ""


class JournalEntry(Struct, kw_only=True):
    """One line. Empty fields are left out.

    `count` is above one if the same outcome, without a decision, message or change, came that often between `time` and
    `until`. `unlisted` is how many skipped hooks and attempts were too many to be recorded.
    """

    schema: int
    time: str
    pid: int
    id: str
    project: str
    session: str
    dialect: str
    mode: str
    event: str
    kind: str
    decision: str
    blocked: bool
    success: bool
    agent: str = ""
    target: str = ""
    input: Any = None
    sizes: dict[str, int] = {}
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
    count: int = 1
    until: str = ""


decoder = msgspec.json.Decoder(JournalEntry)


def read(line: bytes) -> JournalEntry | None:
    """The line's entry; None if the line is incomplete or of a later version."""
    try:
        entry = decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return entry if entry.schema <= SCHEMA else None
