"""`tenter log`: show what was decided, by which hooks, and why; the newest last."""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Iterator
from datetime import datetime

import msgspec

from tenterhook.cli.journal_filters import (
    OPTIONS,
    folder,
    nothing_there,
    number,
    parse_filter_options,
    tell,
    tell_damage,
    took,
)
from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.errors import UsageError
from tenterhook.journal.index import Index
from tenterhook.journal.query import EntryFilter, lines, newest
from tenterhook.journal.read import JournalEntry, decoder
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.support.terminal.table import line, width
from tenterhook.support.terminal.text import Paint, as_json, colourful, columns, near, one_line, painter, shorten
from tenterhook.tools.report import DECISION_STYLE, report
from tenterhook.types import Attempt, Message, Outcome

USAGE = CommandUsage(
    "log",
    "Show the journal: what hooks decided, did and failed at. One entry per line, the newest last.",
    (),
    (
        *OPTIONS,
        Option("limit", "show at most this many, the newest (default: 50)", "N"),
        Option("id", "all about this one entry", "ID"),
        Option("follow", "keep printing new entries until Ctrl-C"),
        JSON,
    ),
    "tenter log --decision deny --since 2h",
    "exit codes: 0 shown, 1 could not run: bad call, a journal that cannot be read",
)
USUAL = 50
HEADS = ["TIME", "ID", "PROJECT", "EVENT", "ABOUT", "DECISION", "TOOK", "HOOKS"]
# Longer cells would push the hooks off the screen; --json and --id have them in full.
PROJECT_WIDTH = 28
# Seconds between two looks at a followed journal.
PAUSE = 0.3


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if "follow" in options and "id" in options:
        raise USAGE.error("--follow and --id cannot be used together")
    asked, limit = parse_filter_options(options, USAGE), number(options, "limit", USUAL, USAGE)
    where = folder(options)
    with Index(where) as index:
        if "id" in options:
            return show(index, asked, as_lines="json" in options)
        shown = Listing(painter(colourful()), as_lines="json" in options)
        seen = newest(index)
        shown.add(one for _, one in lines(index, asked, limit))
        tell_damage(index)
        if "follow" in options:
            return follow(index, asked, shown, seen)
        if not shown.rows:
            tell(nothing_there(index, asked))
    return 0


def follow(index: Index, asked: EntryFilter, shown: Listing, seen: int) -> int:
    """Print new entries, whichever file they are in, until Ctrl-C or until our reader has gone."""
    try:
        while not unread():
            index.extend()
            now = newest(index)
            if now > seen:
                shown.add(one for _, one in lines(index, asked, now - seen, seen))
                seen = now
            elif now < seen:  # the index was rebuilt
                seen = now
    except KeyboardInterrupt:
        pass
    return 0


def unread() -> bool:
    """Whether the reader of our output has gone; waits a little to find out."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(PAUSE * 1000))
    except (AttributeError, OSError, ValueError):  # no poll here, or no descriptor behind it
        time.sleep(PAUSE)
        return False


class Listing:
    """Prints entries as a table whose columns are as wide as the widest cell so far."""

    def __init__(self, paint: Paint, *, as_lines: bool) -> None:
        self.paint, self.as_lines, self.rows = paint, as_lines, 0
        self.widths = [0] * len(HEADS)

    def add(self, found: Iterator[bytes]) -> None:
        if self.as_lines:
            for one in found:
                self.rows += 1
                sys.stdout.buffer.write(one)
        else:
            self.table([row(decoder.decode(one), self.paint) for one in found])
        sys.stdout.flush()

    def table(self, rows: list[list[str]]) -> None:
        if not rows:
            return
        if not self.rows:
            rows = [[self.paint("dim", head) for head in HEADS], *rows]
        self.rows += len(rows)
        self.widths = [max(have, *(width(cells[n]) for cells in rows)) for n, have in enumerate(self.widths)]
        room = max(20, columns() - sum(self.widths[:-1]) - 2 * len(self.widths))
        for *cells, last in rows:
            if sys.stdout.isatty() and width(last) > room:  # on its own line there is room for more of it
                print(line(cells, self.widths))
                print(f"    {shorten(last, columns() - 4)}")
            else:
                print(line([*cells, last], self.widths))


def row(entry: JournalEntry, paint: Paint) -> list[str]:
    word = "failed" if not entry.success and entry.decision in ("none", "allow") else entry.decision
    many = f" x{entry.count}" if entry.count > 1 else ""
    seconds = sum(one.seconds for one in entry.attempts) / entry.count
    return [
        local(entry.time),
        paint("dim", one_line(entry.id)),
        shorten(near(entry.project), PROJECT_WIDTH),
        one_line(entry.event),
        shorten(entry.target, 24),
        paint(DECISION_STYLE.get(word, "dim"), f"{word}{many}"),
        took(seconds) if entry.attempts else "",
        hooks(entry),
    ]


def hooks(entry: JournalEntry) -> str:
    """Which hooks ran, with the reason and the failures; or why none ran."""
    names = ", ".join(one_line(one.hook) for one in entry.attempts)
    reason = entry.stop_reason if entry.stop else entry.reason
    if names:
        said = [one_line(text) for text in (reason, *failures(entry)) if text]
        return f"{names}: {'; '.join(said)}" if said else names
    whys = dict.fromkeys(one.why for one in entry.skipped)
    return f"none ran: {', '.join(one_line(why) for why in whys)}" if whys else "none ran"


def failures(entry: JournalEntry) -> Iterator[str]:
    """Why hooks failed, except those whose failure or exit code refused: that is already the reason."""
    for one in entry.attempts:
        if one.failed and one.decision in ("none", "allow"):
            yield (
                f"failed: {describe_attempt_failure(one)}"
                if len(entry.attempts) == 1
                else f"{one.hook} failed: {describe_attempt_failure(one)}"
            )


def local(stamp: str) -> str:
    """The journal's time in the user's time zone."""
    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return one_line(stamp)


def show(index: Index, asked: EntryFilter, *, as_lines: bool) -> int:
    """Show everything that was recorded of one entry."""
    found = [one for _, one in lines(index, asked, 2)]
    if not found:
        raise UsageError(f"no entry {asked.id!r} in the journal in {index.folder}; tenter log lists them")
    for one in found:
        if as_lines:
            sys.stdout.buffer.write(one)
        else:
            print("\n".join(whole(decoder.decode(one), painter(colourful()))))
    sys.stdout.flush()
    return 0


def whole(entry: JournalEntry, paint: Paint) -> Iterator[str]:
    """The entry's circumstances, then the report that firing the event would print."""
    facts = {
        "entry": entry.id,
        "time": f"{local(entry.time)}" + (f" to {local(entry.until)}, {entry.count} alike" if entry.until else ""),
        "project": near(entry.project),
        "session": entry.session,
        "agent": entry.agent,
        "process": str(entry.pid),
        "about": entry.target,
        "input": "" if entry.input is None else as_json(entry.input),
        "sizes": ", ".join(f"{name} {size:,} characters" for name, size in entry.sizes.items()),
    }
    for name, text in facts.items():
        if text:
            yield f"{paint('dim', f'{name:<8}')}  {one_line(text)}"
    for name, paths in entry.changes.items():
        yield f"{paint('dim', 'changed ')}  {one_line(', '.join(paths))} by {one_line(name)}"
    if entry.unlisted:
        yield f"{paint('dim', 'unlisted')}  {entry.unlisted} more hooks"
    yield ""
    yield report(outcome(entry), colour=colourful())


def outcome(entry: JournalEntry) -> Outcome:
    """Rebuild an outcome from the entry, as far as it was recorded."""
    plain = msgspec.to_builtins(entry)
    attempts = [{**one, "changed": entry.changes.get(one["hook"], ())} for one in plain.get("attempts", ())]
    return Outcome(
        decision=entry.decision,
        blocked=entry.blocked,
        reason=entry.reason,
        stop=entry.stop,
        stop_reason=entry.stop_reason,
        suppress=entry.suppress,
        messages=tuple(Message(one.to, one.kind, one.text, one.hook) for one in entry.messages),
        success=entry.success,
        attempts=tuple(msgspec.convert(attempts, list[Attempt])),
        skipped=tuple(entry.skipped),
        warnings=tuple(entry.warnings),
        event=entry.event,
        dialect=entry.dialect,
        mode=entry.mode,
        id=entry.id,
    )
