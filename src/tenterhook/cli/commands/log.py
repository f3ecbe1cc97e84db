"""`tenter log`: show what was decided, by which hooks, and why; the newest last."""

from __future__ import annotations

import re
import select
import sys
import time
from collections.abc import Iterator, Sequence
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
)
from tenterhook.cli.journal_rows import (
    COLUMNS,
    about_tool,
    as_cells,
    as_object,
    deciders,
    decision_word,
    milliseconds,
    reasons,
    subject,
)
from tenterhook.cli.options import JSON, CommandUsage, Option
from tenterhook.errors import UsageError
from tenterhook.journal.index import Index
from tenterhook.journal.query import EntryFilter, entries, newest
from tenterhook.journal.read import JournalEntry
from tenterhook.support.terminal.table import line, width
from tenterhook.support.terminal.text import (
    Paint,
    as_json,
    colourful,
    columns,
    near,
    one_line,
    painter,
    pluralise_count,
    shorten,
)
from tenterhook.tools.report import DECISION_STYLE, report
from tenterhook.types import Attempt, Message, Outcome

FORMATS = ("text", "json", "csv")
USAGE = CommandUsage(
    "log",
    "Show the journal: what hooks decided, did and failed at. One entry per line, the newest last.",
    (),
    (
        *OPTIONS,
        Option("limit", "show at most this many, the newest (default: 50)", "N"),
        Option("id", "all about this one entry", "ID"),
        Option("follow", "keep printing new entries until Ctrl-C"),
        Option("format", "a table (text), an object of JSON for each entry, or CSV", "FORM", FORMATS),
        JSON,
        Option("verify", "instead of entries: is every line as it was written, and none missing?"),
        Option("head", "with --verify: the hash that it printed earlier; that line must still be there", "HASH"),
    ),
    "tenter log --decision deny --since 2h",
    "exit codes: 0 shown, 1 could not run: bad call, a journal that cannot be read; or --verify found something wrong",
)
USUAL = 50
HEADS = ["TIME", "ID", "AGENT", "TOOL", "WHAT", "DECISION", "REASON"]
# Longer cells would leave no room for the reason; --format and --id have them in full.
AGENT_WIDTH, TOOL_WIDTH, SUBJECT_WIDTH, REASON_WIDTH = 10, 14, 24, 16
# What the agent does with a decision, by the words of `tenter matrix`; `refused` is the gate's own.
OBEYED = {
    "enforced": "the agent does what was decided",
    "advisory": "the agent is told and may go on all the same",
    "refused": "the agent cannot do this; the operation is refused instead",
    "impossible": "the agent has no way to obey this",
}
# Seconds between two looks at a followed journal.
PAUSE = 0.3


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    check_together(options)
    form = "json" if "json" in options else options.get("format", "text")
    asked, limit = parse_filter_options(options, USAGE), number(options, "limit", USUAL, USAGE)
    where = folder(options)
    if "verify" in options:
        from tenterhook.cli.journal_check import check

        return check(where, options.get("head", ""))
    with Index(where) as index:
        if "id" in options:
            return show(index, asked, form)
        shown = Listing(painter(colourful()), form)
        seen = newest(index)
        shown.add(entries(index, asked, limit))
        tell_damage(index)
        if "follow" in options:
            return follow(index, asked, shown, seen)
        if not shown.rows:
            tell(nothing_there(index, asked))
    return 0


def check_together(options: dict[str, str]) -> None:
    """Raise if options exclude each other."""
    if "follow" in options and "id" in options:
        raise USAGE.error("--follow and --id cannot be used together")
    if "json" in options and options.get("format", "json") != "json":
        raise USAGE.error(f"--json and --format {options['format']} cannot be used together")
    if "head" in options and "verify" not in options:
        raise USAGE.error("--head needs --verify")
    if "verify" in options and (others := [name for name in options if name not in ("verify", "head", "journal")]):
        raise USAGE.error(f"--verify reads every line: --{others[0]} cannot be used with it")
    if "head" in options and not re.fullmatch("[0-9a-f]{64}", options["head"]):
        raise USAGE.error(f"--head must be the 64 digits that --verify printed, not {options['head']!r}")


def follow(index: Index, asked: EntryFilter, shown: Listing, seen: int) -> int:
    """Print new entries, whichever file they are in, until Ctrl-C or until our reader has gone."""
    try:
        while not unread():
            index.extend()
            now = newest(index)
            if now > seen:
                shown.add(entries(index, asked, now - seen, seen))
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
    """Prints entries: as a table whose columns are as wide as the widest cell so far, as JSON, or as CSV."""

    def __init__(self, paint: Paint, form: str) -> None:
        self.paint, self.form, self.rows = paint, form, 0
        self.widths = [0] * len(HEADS)

    def add(self, found: Iterator[JournalEntry]) -> None:
        if self.form == "text":
            self.table([row(one, self.paint) for one in found])
        for one in found:
            if self.form == "csv" and not self.rows:
                print(csv_line(COLUMNS))
            self.rows += 1
            print(as_json(as_object(one)) if self.form == "json" else csv_line(as_cells(one)))
        sys.stdout.flush()

    def table(self, rows: list[list[str]]) -> None:
        """A reason that has no room beside the rest stands below it, where there is room for more of it."""
        if not rows:
            return
        if not self.rows:
            rows = [[self.paint("dim", head) for head in HEADS], *rows]
        self.rows += len(rows)
        self.widths = [max(have, *(width(cells[n]) for cells in rows)) for n, have in enumerate(self.widths)]
        self.widths[-1] = 0
        room = max(REASON_WIDTH, columns() - sum(self.widths) - 2 * (len(self.widths) - 1))
        for *cells, last in rows:
            if width(last) > room:
                print(line(cells, self.widths))
                print(f"    {shorten(last, columns() - 4)}")
            else:
                print(line(cells, self.widths) + ("  " + last if last else ""))


def csv_line(cells: Sequence[str]) -> str:
    import csv
    from io import StringIO

    text = StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def row(entry: JournalEntry, paint: Paint) -> list[str]:
    word, tool = decision_word(entry), entry.target if about_tool(entry) else ""
    many = f" x{entry.count}" if entry.count > 1 else ""
    return [
        local(entry.time)[5:],
        paint("dim", one_line(entry.id)),
        shorten(entry.agent or entry.dialect, AGENT_WIDTH),
        shorten(tool or entry.event, TOOL_WIDTH),
        shorten(subject(entry), SUBJECT_WIDTH),
        paint(DECISION_STYLE.get(word, "dim"), f"{word}{many}"),
        one_line(reasons(entry)),
    ]


def local(stamp: str) -> str:
    """The journal's time in the user's time zone."""
    try:
        return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return one_line(stamp)


def show(index: Index, asked: EntryFilter, form: str) -> int:
    """Show everything that was recorded of one entry."""
    found = list(entries(index, asked, 2))
    if not found:
        raise UsageError(f"no entry {asked.id!r} in the journal in {index.folder}; tenter log lists them")
    if form != "text":
        Listing(painter(False), form).add(iter(found))
        return 0
    for one in found:
        print("\n".join(whole(one, painter(colourful()))))
    return 0


def whole(entry: JournalEntry, paint: Paint) -> Iterator[str]:
    """The entry's circumstances, the report that firing the event would print, and each hook that did not run."""
    facts = {
        "entry": entry.id,
        "time": f"{local(entry.time)}" + (f" to {local(entry.until)}, {entry.count} alike" if entry.until else ""),
        "took": f"{milliseconds(entry):,.1f} ms",
        "project": near(entry.project),
        "session": entry.session,
        "agent": f"{entry.agent or entry.dialect} {entry.version}".strip(),
        "subagent": entry.subagent,
        "user": f"{entry.user} on {entry.host}" if entry.host else entry.user,
        "process": str(entry.pid),
        "rules": f"{entry.dialect}, {entry.mode}" + (f", config files {entry.policy}" if entry.policy else ""),
        "about": entry.target,
        "input": "" if entry.input is None else as_json(entry.input),
        "sizes": ", ".join(f"{name} {size:,} characters" for name, size in entry.sizes.items()),
        "decided": ", ".join(deciders(entry)),
        "obeyed": OBEYED.get(entry.obeys, entry.obeys),
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
    if entry.skipped:
        number = pluralise_count(len(entry.skipped), "hook")
        yield f"\n{paint('bold', f'did not run: {number}')}"
        yield from (f"  {one_line(one.hook)}: {one_line(one.why)} ({near(one.source)})" for one in entry.skipped)


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
        warnings=tuple(entry.warnings),
        event=entry.event,
        dialect=entry.dialect,
        mode=entry.mode,
        id=entry.id,
    )
