"""Outcomes -> lines: one each, or one for several equal outcomes; shortened and redacted.

What many lines have in common is a part, which is written once a file: the context (who, where, by which rules) and the
plan (which hooks did not run, and why). A line names its parts, and readers join them.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping
from time import monotonic, time
from typing import Any

from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.journal.caller import CALLER, Caller
from tenterhook.journal.chain import sha256
from tenterhook.journal.entry import (
    SCHEMA,
    WORDS,
    Line,
    drop_empty_fields,
    encode_json_line,
    entry,
    limit_skipped,
    summarise_event_data,
)
from tenterhook.journal.pending import RepeatedOutcome, Waiting, drain_grouped, text
from tenterhook.support.clock import stamp
from tenterhook.support.secrets.redact import Redactor
from tenterhook.types import Event, Outcome, Skipped

# An event that no hook ran for, its outcome, who asked, when, and how many seconds it took.
HeardCall = tuple[Event, Outcome, Caller, float, float]
# A secret that a cut would split is recognised only as a whole: so many more characters are checked.
MARGIN = 4_000
# The most names that are remembered, and the most parts.
MOST, PARTS = 1_000, 200
NO_CALLER = Caller("")


class LineWriter:
    """Encodes one engine's outcomes as lines. `parts` takes up the parts that a line names."""

    def __init__(self, dialect: Dialect, common: Mapping[str, str], files: Iterable[str], environ: Mapping[str, str]):
        self.redactor = Redactor(environ)
        self.rules = {rule.name: rule for rule in dialect.events}
        self.agent = dialect.name.partition("@")[0]
        self.common = {**common, "user": user_name(), "host": host_name(), "policy": policy_version(files)}
        # The field in which the agent tells its own version, if it does.
        told = (field.name for field in dialect.payload.base)
        self.version_field = next((name for name in told if name.endswith("_version")), "")
        # Names and sources of hooks without a secret: checked once, not with every line.
        self.harmless: set[tuple[str, str]] = set()
        self.contexts: dict[tuple[str, str], tuple[str, bytes]] = {}
        self.plans: dict[tuple[Skipped, ...], tuple[str, bytes]] = {}
        # The same by identity, and referenced, so that the id cannot be reused: comparing a hundred hooks takes longer.
        self.same_plans: dict[int, tuple[tuple[Skipped, ...], tuple[str, bytes]]] = {}

    def context(self, caller: Caller | None, version: str) -> tuple[str, bytes]:
        """The part that says who asked, where, and by which rules, with its name."""
        caller = caller or NO_CALLER
        key = (caller.agent or self.agent, caller.version or version)
        made = self.contexts.get(key)
        if made is None:
            forget_many(self.contexts)
            made = self.contexts[key] = self.made_part({**self.common, "agent": key[0], "version": key[1]})
        return made

    def plan(self, skipped: tuple[Skipped, ...]) -> tuple[str, bytes]:
        """The part that says which hooks did not run, with its name."""
        same = self.same_plans.get(id(skipped))
        if same:
            return same[1]
        made = self.plans.get(skipped)
        if made is None:
            forget_many(self.plans)
            made = self.plans[skipped] = self.made_part({"skipped": limit_skipped(skipped)})
        forget_many(self.same_plans)
        self.same_plans[id(skipped)] = skipped, made
        return made

    def made_part(self, said: Line) -> tuple[str, bytes]:
        line = self.encode_redacted([drop_empty_fields(said)])
        name = sha256(line).hexdigest()[:16]
        return name, b'{"schema":%d,"part":"%s",' % (SCHEMA, name.encode()) + line[1:]

    def head(self, outcome: Outcome, caller: Caller | None, version: str, time: float, parts: dict[str, bytes]) -> Line:
        """The beginning of a line; `chain.parts_named` knows its order."""
        name, line = self.context(caller, version)
        parts[name] = line
        head: Line = {"schema": SCHEMA, "context": name}
        if outcome.skipped:
            name, line = self.plan(outcome.skipped)
            parts[name] = line
            head["plan"] = name
        head["time"] = format_timestamp(time)
        return head

    def facts(self, event: str, session: object, agent: str, target: object) -> Line:
        """What is recorded of an event besides its data."""
        kind = self.rules[event].kind
        said = {"session": text(session), "kind": kind, "subagent": agent, "target": self.cut(text(target), WORDS)}
        return drop_empty_fields({"pid": os.getpid(), **said})

    def about(self, event: Event) -> bytes:
        """What is recorded of an event whatever its outcome, as the second part of the line."""
        target = event.data.get(self.rules[event.name].target.field)
        facts = self.facts(event.name, event.session, event.agent, target)
        return self.encode_redacted([{**facts, **summarise_event_data(event.data, self.cut)}])

    def whole(self, event: Event, outcome: Outcome, about: bytes, parts: dict[str, bytes]) -> bytes:
        """The whole line of one outcome and its event."""
        return self.join_halves(event, outcome, CALLER.get(), time(), monotonic() - event.begun, about, parts)

    def of_call(self, call: HeardCall, parts: dict[str, bytes]) -> bytes:
        """The whole line of a call that was queued."""
        return self.join_halves(*call, self.about(call[0]), parts)

    def join_halves(
        self,
        event: Event,
        outcome: Outcome,
        caller: Caller | None,
        moment: float,
        seconds: float,
        about: bytes,
        parts: dict[str, bytes],
    ) -> bytes:
        """The outcome's part of a line and the event's. Neither is empty, so that a comma joins them."""
        version = text(event.data.get(self.version_field)) if self.version_field else ""
        made = entry(outcome, self.head(outcome, caller, version, moment, parts), self.cut)
        made["ms"] = round(seconds * 1000, 3)
        if obeys := self.obeys(outcome, caller):
            made["obeys"] = obeys
        line = encode_json_line(made)
        return (line if self.is_plain(outcome) else self.redactor.data(line))[:-2] + b"," + about[1:]

    def obeys(self, outcome: Outcome, caller: Caller | None) -> str:
        """What the agent does with this outcome, in the words of `tenter matrix`; empty if it need not do anything."""
        effect = strongest_effect(outcome)
        if not effect:
            return ""
        if caller:
            return caller.obeys.get(effect, "impossible")
        can = self.rules[outcome.event].can
        weaker = {"deny": can.block or "advisory", "allow": can.grant or "advisory", "ask": can.ask or "impossible"}
        said = weaker.get(effect, effect == "stop")
        return said if isinstance(said, str) else "enforced" if said else ""

    def is_plain(self, outcome: Outcome) -> bool:
        """Whether it cannot hold a secret: no hook answered, and the hooks' names are known to hold none."""
        if outcome.reason or outcome.stop_reason or outcome.messages or outcome.warnings:
            return False
        for one in outcome.attempts:
            if one.stdout or one.stderr or one.detail or one.reason or one.notes or one.usage or one.changed:
                return False
            if (one.hook, one.source) not in self.harmless and not self.learn(one.hook, one.source):
                return False
        return True

    def learn(self, hook: str, source: str) -> bool:
        if self.encode_redacted([{hook: source}]) != encode_json_line({hook: source}):
            return False
        if len(self.harmless) >= MOST:
            self.harmless.clear()
        self.harmless.add((hook, source))
        return True

    def lines_of_waiting(self, waiting: deque[Waiting], since: float, parts: dict[str, bytes]) -> list[bytes]:
        """Lines for queued outcomes without an answer; all of them came after this time."""
        return [self.encode_redacted([self.together(like, since, parts)]) for like in drain_grouped(waiting)]

    def together(self, like: RepeatedOutcome, since: float, parts: dict[str, bytes]) -> Line:
        session, agents, target, outcome, caller = like.first
        facts = self.facts(outcome.event, session, agents[0] if agents else "", target)
        made = {**entry(outcome, self.head(outcome, caller, "", since, parts), self.cut), **facts}
        if like.count > 1:
            made |= {"count": like.count, "until": format_timestamp(time())}
            for one, runs in zip(made.get("attempts", ()), like.seconds, strict=False):
                one |= {"seconds": round(sum(runs), 6), "each": [round(run * 1e6) for run in runs]}
        return made

    def cut(self, whole: str, most: int) -> str:
        """Shorten a text. It is redacted first: the rest of a secret that was cut would not be recognised."""
        if len(whole) <= most:
            return whole
        return f"{self.redactor.text(whole[: most + MARGIN])[:most]}... ({len(whole):,} characters)"

    def encode_redacted(self, entries: Iterable[Line]) -> bytes:
        return self.redactor.data(b"".join(map(encode_json_line, entries)))


def strongest_effect(outcome: Outcome) -> str:
    """What an outcome asks of the agent before all else, in the words of `tenter matrix`; empty if nothing."""
    if outcome.stop:
        return "stop"
    if outcome.decision != "none":
        return outcome.decision
    if outcome.changes:
        return "rewrite"
    return "context" if any(one.to == "model" for one in outcome.messages) else ""


def forget_many(known: dict[Any, Any]) -> None:
    """Keep a cache from growing without end."""
    if len(known) >= PARTS:
        known.clear()


def user_name() -> str:
    """Who runs this process, whatever its variables say."""
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_name
    except ImportError:  # pragma: no cover - no such system
        return os.environ.get("USERNAME", "")
    except KeyError:  # a user without a name
        return str(os.getuid())


def host_name() -> str:
    return os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "")


def policy_version(files: Iterable[str]) -> str:
    """A fingerprint of the config files in force; empty if there are none."""
    found = sha256()
    read = False
    for path in files:
        try:
            with open(path, "rb") as opened:
                content = opened.read()
        except OSError:  # gone meanwhile
            continue
        found.update(b"%d %s\n%d\n" % (len(path), os.fsencode(path), len(content)) + content)
        read = True
    return found.hexdigest()[:16] if read else ""


def format_timestamp(seconds: float) -> str:
    return stamp(int(seconds * 1000))
