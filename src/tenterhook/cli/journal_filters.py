"""What `tenter log` and `tenter stats` share: where the journal is, and which entries to show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

from tenterhook.cli.options import CommandUsage, Option
from tenterhook.config.entries import kind_of
from tenterhook.config.settings import SYSTEM, TABLE, settings
from tenterhook.errors import UsageError
from tenterhook.journal.files import names, place
from tenterhook.journal.index import Index
from tenterhook.journal.query import EntryFilter
from tenterhook.support.terminal.text import near, one_line, pluralise_count

OPTIONS = (
    Option("event", "only this event, by any agent's name for it or by its kind; * stands for anything", "EVENT"),
    Option("hook", "only where this hook ran, or was set aside; * stands for anything", "NAME"),
    Option("decision", "only these outcomes", "WORD", ("allow", "ask", "deny", "none")),
    Option("session", "only this session; the beginning of its id is enough", "ID"),
    Option("project", "only this project", "DIR"),
    Option("tool", "only this tool; * stands for anything", "NAME"),
    Option("agent", "only what this agent asked; * stands for anything", "NAME"),
    Option("user", "only what this user's agents asked; * stands for anything", "NAME"),
    Option("since", "only what is not older: 30m, 2h, 7d, or a time such as 2026-11-16T09:00", "WHEN"),
    Option("until", "only what is not newer, said like --since", "WHEN"),
    Option("journal", "another journal than the user's own", "DIR"),
)
# Filters by a name, of which the journal has few; and how many of those are named.
NAMED, SHOWN = ("agent", "user", "event", "tool"), 12
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
AGO = re.compile(r"(\d{1,6})([smhdw])")


def parse_filter_options(options: dict[str, str], usage: CommandUsage) -> EntryFilter:
    for name in ("event", "hook", "session", "tool", "agent", "user", "id"):
        if options.get(name) == "":
            raise usage.error(f"--{name} is empty; leave it out for all")
    first, last = (moment(options, name, usage) for name in ("since", "until"))
    if first and last and first > last:
        raise usage.error(f"--since {options['since']} is later than --until {options['until']}: no entry can match")
    return EntryFilter(
        event=options.get("event", ""),
        kind=kind_of(options.get("event", "")),
        hook=options.get("hook", ""),
        decision=options.get("decision", ""),
        session=options.get("session", ""),
        project=os.path.abspath(options["project"]) if "project" in options else "",
        tool=options.get("tool", ""),
        agent=options.get("agent", ""),
        user=options.get("user", ""),
        since=first,
        until=last,
        id=options.get("id", ""),
    )


def moment(options: dict[str, str], name: str, usage: CommandUsage) -> str:
    """Convert to the journal's time format. A time without a zone is in the user's own; empty without that option."""
    if name not in options:
        return ""
    text = options[name]
    ago = AGO.fullmatch(text)
    try:
        if ago:
            when = datetime.now(UTC) - timedelta(**{UNITS[ago[2]]: int(ago[1])})
        else:
            when = datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        raise usage.error(f"--{name} must be 30m, 2h, 7d, or a time such as 2026-11-16T09:00, not {text!r}") from None
    return when.strftime("%Y-%m-%dT%H:%M:%S") + f".{when.microsecond // 1000:03}Z"


def number(options: dict[str, str], name: str, usual: int, usage: CommandUsage) -> int:
    return int(usage.number(options, name, usual, whole=True))


def folder(options: dict[str, str]) -> str:
    """The journal's folder. Warns if the journal is switched off; raises if it cannot be read."""
    home = os.environ.get("HOME") or os.path.expanduser("~")
    if "journal" in options:
        where = os.path.abspath(options["journal"])
        if not os.path.isdir(where):
            raise UsageError(f"--journal {options['journal']!r} is not a folder")
    else:
        where = place(home, os.environ)
        if os.path.islink(where) or (os.path.exists(where) and not os.path.isdir(where)):
            raise UsageError(f"the journal in {where} cannot be read: it is not a folder, so nothing is recorded")
        if not settings(home, os.environ, SYSTEM).journal:
            tell(f"the journal is switched off ({TABLE}.journal); nothing new is recorded")
    try:
        names(where)
    except OSError as exc:
        raise UsageError(f"the journal in {where} cannot be read: {exc.strerror}") from None
    return where


def tell_damage(index: Index) -> None:
    if damaged := index.damaged:
        tell(f"left out: {pluralise_count(damaged, 'line')} whose writer was killed, or found the disk full")


def nothing_there(index: Index, asked: EntryFilter) -> str:
    """Why nothing is shown."""
    if asked != EntryFilter() and index.ask("SELECT 1 FROM events LIMIT 1"):
        return "; ".join(("no entry of the journal matches", *unknown_names(index, asked)))
    return f"the journal in {near(index.folder)} is empty: no event with hooks was fired yet"


def unknown_names(index: Index, asked: EntryFilter) -> Iterator[str]:
    """For each filter whose value nothing in the journal has: what there is instead."""
    for name in NAMED:
        wanted = getattr(asked, name)
        known = known_values(index, name) if wanted else []
        if known and not any(fnmatchcase(value, wanted) or (name, value) == ("event", asked.kind) for value in known):
            more = f" and {len(known) - SHOWN} more" if len(known) > SHOWN else ""
            yield f"--{name} {wanted!r} is none of its {name}s: {', '.join(map(one_line, known[:SHOWN]))}{more}"


def known_values(index: Index, name: str) -> list[str]:
    """What the entries have there; an event also has the name of its kind."""
    columns = (name, "kind") if name == "event" else (name,)
    rows = [row for column in columns for row in index.ask(f"SELECT DISTINCT {column} FROM events")]
    return sorted({value for [value] in rows if value})


def tell(text: str) -> None:
    print(f"tenter: {text}", file=sys.stderr)


def ago(stamp: str) -> str:
    """How long ago a time of the journal was, in words."""
    seconds = max(0.0, (datetime.now(UTC) - datetime.fromisoformat(stamp)).total_seconds())
    for unit, length in (("day", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            number = int(seconds // length)
            return f"{pluralise_count(number, unit) if unit == 'day' else f'{number} {unit}'} ago"
    return "just now"


def took(seconds: float) -> str:
    """Format a duration: functions take microseconds, models take seconds."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:,.1f} s"
