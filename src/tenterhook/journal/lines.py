"""Outcomes -> lines: each its own, or those that are alike together; cut and redacted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping
from time import time

from tenterhook.dialect import EventRule
from tenterhook.journal.entry import Entry, Facts, encoded, entry, given, stamp
from tenterhook.journal.waiting import Alike, Waiting, gathered, text
from tenterhook.redact import Redactor
from tenterhook.types import Event, Outcome

# A secret that a cut would split is known by its whole: so much more is looked at.
MARGIN = 4_000


class Lines:
    """How one engine's outcomes are written down."""

    def __init__(self, project: str, environ: Mapping[str, str], events: Iterable[EventRule]) -> None:
        self.project, self.redactor = project, Redactor(environ)
        self.rules = {rule.name: rule for rule in events}

    def whole(self, event: Event, outcome: Outcome) -> Entry:
        """Everything that is kept of one outcome."""
        target = event.data.get(self.rules[event.name].target)
        facts = Facts(time(), event.kind, event.name, text(event.session), event.agent, text(target))
        return given(entry(facts, outcome, self.project, os.getpid(), self.cut), event, self.cut)

    def waited(self, waiting: deque[Waiting], since: float) -> list[Entry]:
        """What is kept of outcomes in which nothing was said; all of them came after this time."""
        return [self.together(like, since) for like in gathered(waiting)]

    def together(self, like: Alike, since: float) -> Entry:
        session, agents, target, outcome = like.first
        kind = self.rules[outcome.event].kind
        facts = Facts(since, kind, outcome.event, text(session), agents[0] if agents else "", target)
        made = entry(facts, outcome, self.project, os.getpid(), self.cut)
        if like.count > 1:
            made.count, made.until = like.count, stamp(time())
            for one, runs in zip(made.attempts, like.seconds, strict=False):
                one.seconds, one.each = round(sum(runs), 6), [round(run * 1e6) for run in runs]
        return made

    def cut(self, whole: str, most: int) -> str:
        """At most so much of a text. It is redacted first: of a secret that was cut, the rest would not be known."""
        if len(whole) <= most:
            return whole
        return f"{self.redactor.text(whole[: most + MARGIN])[:most]}... ({len(whole):,} characters)"

    def redacted(self, entries: Iterable[Entry]) -> bytes:
        return self.redactor.data(b"".join(map(encoded, entries)))
