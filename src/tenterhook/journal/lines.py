"""Outcomes -> lines: each its own, or those that are alike together; cut and redacted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping
from time import time

from tenterhook.dialects.schema.dialect import EventRule
from tenterhook.journal.entry import WORDS, Line, drop_empty_fields, encode_json_line, entry, summarise_event_data
from tenterhook.journal.waiting import Alike, Waiting, drain_grouped, text
from tenterhook.support.clock import stamp
from tenterhook.support.secrets.redact import Redactor
from tenterhook.types import Event, Outcome

# A secret that a cut would split is known by its whole: so much more is looked at.
MARGIN = 4_000
# So many names are remembered.
MOST = 1_000


class Lines:
    """How one engine's outcomes are written down."""

    def __init__(self, project: str, environ: Mapping[str, str], events: Iterable[EventRule]) -> None:
        self.project, self.redactor = project, Redactor(environ)
        self.rules = {rule.name: rule for rule in events}
        # Names and sources of hooks in which there is nothing to redact: looked at once, not with every line.
        self.harmless: set[tuple[str, str]] = set()

    def facts(self, event: str, session: object, agent: str, target: object) -> Line:
        """What is kept of an event besides its data."""
        kind = self.rules[event].kind
        said = {"session": text(session), "kind": kind, "agent": agent, "target": self.cut(text(target), WORDS)}
        return drop_empty_fields({"pid": os.getpid(), "project": self.project, **said})

    def about(self, event: Event) -> bytes:
        """What is kept of an event whatever comes of it, as a line that ends the one of its outcome."""
        target = event.data.get(self.rules[event.name].target.field)
        facts = self.facts(event.name, event.session, event.agent, target)
        return self.encode_redacted([{**facts, **summarise_event_data(event.data, self.cut)}])

    def whole(self, outcome: Outcome, about: bytes) -> bytes:
        """Everything that is kept of one outcome and its event. Neither line is empty, so that a comma joins them."""
        line = encode_json_line(entry(outcome, {"time": format_timestamp(time())}, self.cut))
        return (line if self.is_plain(outcome) else self.redactor.data(line))[:-2] + b"," + about[1:]

    def is_plain(self, outcome: Outcome) -> bool:
        """Whether there can be no secret in it: nobody said anything, and the hooks' names are known to hold none."""
        if outcome.reason or outcome.stop_reason or outcome.messages or outcome.skipped or outcome.warnings:
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

    def lines_of_waiting(self, waiting: deque[Waiting], since: float) -> list[Line]:
        """What is kept of outcomes in which nothing was said; all of them came after this time."""
        return [self.together(like, since) for like in drain_grouped(waiting)]

    def together(self, like: Alike, since: float) -> Line:
        session, agents, target, outcome = like.first
        facts = self.facts(outcome.event, session, agents[0] if agents else "", target)
        made = entry(outcome, {"time": format_timestamp(since), **facts}, self.cut)
        if like.count > 1:
            made |= {"count": like.count, "until": format_timestamp(time())}
            for one, runs in zip(made.get("attempts", ()), like.seconds, strict=False):
                one |= {"seconds": round(sum(runs), 6), "each": [round(run * 1e6) for run in runs]}
        return made

    def cut(self, whole: str, most: int) -> str:
        """At most so much of a text. It is redacted first: of a secret that was cut, the rest would not be known."""
        if len(whole) <= most:
            return whole
        return f"{self.redactor.text(whole[: most + MARGIN])[:most]}... ({len(whole):,} characters)"

    def encode_redacted(self, entries: Iterable[Line]) -> bytes:
        return self.redactor.data(b"".join(map(encode_json_line, entries)))


def format_timestamp(seconds: float) -> str:
    return stamp(int(seconds * 1000))
