"""Same answer, different fate: an answer in each row, and what each client did when a hook answered so.

The words are those of fates.py, in the order of COLUMNS. They are what runs of the real clients showed.
"""

from __future__ import annotations

import signal
from typing import NamedTuple

from .answers import (
    ALLOW,
    ALWAYS,
    BLOCK,
    DENY,
    FLAT_CONTEXT,
    HALT,
    LATE,
    OFTEN,
    REFUSE,
    WHY,
    Made,
    also,
    claudes,
    exits,
    inner_context,
    line_first,
    line_last,
    on_stderr,
    own_deny,
    own_deny_at,
    own_rewrite,
    refused,
    undecided,
)
from .programs.client import Client, says
from .programs.scene import Answer

COLUMNS = ("claude", "codex", "gemini", "qwen", "copilot", "copilot-pascal")


class Probe(NamedTuple):
    """One row: an answer to one kind of event. `waits` are the clients that then wait for a user who is not there."""

    name: str
    kind: str
    answer: Answer | Made
    fates: str
    waits: tuple[str, ...] = ()

    def given(self, client: Client) -> Answer:
        return self.answer if isinstance(self.answer, Answer) else self.answer(client, client.events[self.kind])

    def fate(self, client: str) -> str:
        return self.fates.split()[COLUMNS.index(client)]


def rows(kind: str, *found: tuple[str, Answer | Made, str]) -> list[Probe]:
    return [Probe(name, kind, answer, fates) for name, answer, fates in found]


EXITS = rows(
    "tool.before",
    ("exit 2 with stderr", Answer(2, stderr=WHY), "denied denied denied denied mute mute"),
    ("exit 2, silent", Answer(2), "mute ran ran ran mute mute"),
    ("exit 2, a blank line on stderr", Answer(2, stderr=" \n"), "mute ran ran ran mute mute"),
    ("exit 2 with stdout", Answer(2, WHY), "mute ran denied ran mute mute"),
    ("exit 1 with stderr", Answer(1, stderr=WHY), "ran ran ran ran mute mute"),
    ("exit 1, silent", Answer(1), "ran ran ran ran mute mute"),
    ("exit 3 with stderr", Answer(3, stderr=WHY), "ran ran denied ran mute mute"),
    ("exit 3, silent", Answer(3), "ran ran ran ran mute mute"),
    ("exit 127 with stderr", Answer(127, stderr=WHY), "ran ran denied ran mute mute"),
    ("ended by a signal", Answer(signal=signal.SIGKILL), "ran ran ran ran mute mute"),
    ("exit 0 with stderr", Answer(stderr=WHY), "ran ran ran ran ran ran"),
    ("plain stdout", Answer(stdout=WHY), "ran ran ran ran ran ran"),
    ("too late, then deny", LATE, "ran ran ran ran ran ran"),
)
CLAUDES = rows(
    "tool.before",
    ("Claude's deny", DENY, "denied denied ran denied ran denied"),
    ("Claude's deny, no reason", says(claudes(permissionDecisionReason=None)), "mute ran ran mute ran mute"),
    ("Claude's deny, empty reason", says(claudes(permissionDecisionReason="")), "mute ran ran mute ran mute"),
    ("Claude's deny, blank reason", says(claudes(permissionDecisionReason=" ")), "mute ran ran mute ran mute"),
    ("Claude's deny and an unknown key", also(colour="red"), "denied ran ran denied ran denied"),
    ("Claude's deny and an unknown inner key", says(claudes(colour="red")), "denied ran ran denied ran denied"),
    ("Claude's deny and suppressOutput", also(suppressOutput=True), "denied ran ran denied ran denied"),
    ("Claude's deny and systemMessage", also(systemMessage="hm"), "denied denied ran denied ran denied"),
    ("Claude's deny and continue true", also(**{"continue": True}), "denied denied ran denied ran denied"),
    ("Claude's deny, no hookEventName", says(claudes(hookEventName=None)), "ran ran ran denied ran denied"),
    ("Claude's deny, another hookEventName", says(claudes(hookEventName="Stop")), "ran denied ran denied ran denied"),
    ("Claude's ask", says(claudes("ask")), "denied ran ran denied ran denied"),
    ("an unknown permissionDecision", says(claudes("never")), "ran ran ran ran ran ran"),
    ("flat permissionDecision deny", says(claudes()["hookSpecificOutput"]), "ran ran ran ran denied denied"),
    ("flat permissionDecision ask", says(claudes("ask")["hookSpecificOutput"]), "ran ran ran ran denied denied"),
    ("exit 1 with Claude's deny", exits(1, DENY), "denied ran ran denied mute mute"),
    ("exit 2 with Claude's allow", exits(2, ALLOW), "mute ran ran ran mute mute"),
    ("exit 2 with Claude's allow and stderr", exits(2, ALLOW, stderr=WHY), "denied denied ran denied mute mute"),
)
BEFORE = [
    *EXITS,
    *CLAUDES,
    *rows(
        "tool.before",
        ("decision block", BLOCK, "denied denied denied denied ran ran"),
        ("decision block, no reason", says({"decision": "block"}), "mute ran mute mute ran ran"),
        ("decision deny", REFUSE, "ran ran denied denied ran ran"),
        ("decision deny, no reason", says({"decision": "deny"}), "ran ran mute mute ran ran"),
        ("exit 2 with decision allow", exits(2, says({"decision": "allow"})), "mute ran ran ran mute mute"),
        ("its own deny", own_deny, "denied denied denied denied denied denied"),
        ("a line, then its own deny", line_first, "ran ran ran ran ran ran"),
        ("its own deny, then a line", line_last, "ran ran ran ran ran ran"),
        ("its own deny on stderr", on_stderr, "ran ran denied denied ran ran"),
        ("exit 1 with its own deny", own_deny_at(1), "denied ran denied denied mute mute"),
        ("exit 2 with its own deny", own_deny_at(2), "denied ran denied ran denied mute"),
        ("exit 3 with its own deny", own_deny_at(3), "denied ran denied denied mute mute"),
        ("continue false", HALT, "ran-halted ran halted denied ran ran"),
        ("its own rewrite", own_rewrite, "changed changed changed ran changed changed"),
        ("its own rewrite, no decision", undecided, "changed ran changed ran changed changed"),
        ("its own rewrite and deny", refused, "denied ran denied denied denied denied"),
        ("context in hookSpecificOutput", inner_context, "told told ran ran ran told"),
        ("context at the top", FLAT_CONTEXT, "ran ran ran ran told told"),
        ("an array", says([claudes()]), "ran ran ran ran ran ran"),
        ("half an object", Answer(stdout='{"decision": "block", "rea'), "ran ran ran ran ran ran"),
    ),
    Probe(
        "decision ask",
        "tool.before",
        says({"decision": "ask", "reason": WHY}),
        "ran ran halted denied ran ran",
        waits=("gemini",),
    ),
]
AFTER = rows(
    "tool.after",
    ("exit 2 with stderr", Answer(2, stderr=WHY), "beside replaced replaced nothing nothing nothing"),
    ("exit 2, silent", Answer(2), "nothing nothing nothing nothing nothing nothing"),
    ("exit 1 with stderr", Answer(1, stderr=WHY), "nothing nothing nothing nothing nothing nothing"),
    ("exit 3 with stderr", Answer(3, stderr=WHY), "nothing nothing replaced nothing nothing nothing"),
    ("plain stdout", Answer(stdout=WHY), "nothing nothing nothing nothing nothing nothing"),
    ("decision block", BLOCK, "beside replaced replaced nothing replaced replaced"),
    ("decision block, no reason", says({"decision": "block"}), "nothing nothing lost nothing nothing nothing"),
    ("decision deny", REFUSE, "nothing nothing replaced nothing nothing nothing"),
    ("context in hookSpecificOutput", inner_context, "beside beside beside beside nothing nothing"),
    ("context at the top", FLAT_CONTEXT, "nothing nothing nothing nothing beside beside"),
    ("continue false", HALT, "halted replaced halted replaced nothing nothing"),
)
PROMPT = rows(
    "prompt.submit",
    ("exit 2 with stderr", Answer(2, stderr=WHY), "refused refused refused refused nothing nothing"),
    ("exit 2, silent", Answer(2), "refused nothing nothing nothing nothing nothing"),
    ("exit 1 with stderr", Answer(1, stderr=WHY), "nothing nothing nothing nothing nothing nothing"),
    ("plain stdout", Answer(stdout=WHY), "told told nothing told nothing nothing"),
    ("decision block", BLOCK, "refused refused refused refused refused refused"),
    ("decision deny", REFUSE, "nothing nothing refused refused nothing nothing"),
    ("context in hookSpecificOutput", inner_context, "told told told told nothing nothing"),
    ("context at the top", FLAT_CONTEXT, "nothing nothing nothing nothing told told"),
    ("continue false", HALT, "refused refused refused refused nothing nothing"),
)
SESSION = rows(
    "session.start",
    ("exit 2 with stderr", Answer(2, stderr=WHY), "nothing nothing nothing nothing nothing nothing"),
    ("plain stdout", Answer(stdout=WHY), "told told nothing told nothing nothing"),
    ("context in hookSpecificOutput", inner_context, "told told told told nothing nothing"),
    ("context at the top", FLAT_CONTEXT, "nothing nothing nothing nothing told told"),
    ("continue false", HALT, "nothing refused nothing nothing nothing nothing"),
)
STOP = rows(
    "turn.stop",
    ("decision block, always", ALWAYS, "8 12 12 7 8 8"),
    ("exit 2 with stderr, always", Answer(2, stderr=WHY, times=OFTEN), "8 12 12 7 0 0"),
    ("exit 2, silent, always", Answer(2, times=OFTEN), "8-mute 0 0 0 0 0"),
    ("continue false", HALT, "0 0 0 7 0 0"),
)
TABLES = {
    "tool.before": BEFORE,
    "tool.after": AFTER,
    "prompt.submit": PROMPT,
    "session.start": SESSION,
    "turn.stop": STOP,
}
EVERY = [probe for table in TABLES.values() for probe in table]
