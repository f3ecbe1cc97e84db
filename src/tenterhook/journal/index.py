"""An SQL index of the journal's lines. Built from the lines and extended by new ones.

It stores how far each file was read. If it is corrupt, of another version, or cannot be written, it is built again, in
memory if need be: it holds nothing that is not in the lines.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

from tenterhook.journal.files import names
from tenterhook.journal.read import PARTS, JournalEntry, decode_line, failed_open, join_parts
from tenterhook.pipeline.judge import IN_BACKGROUND
from tenterhook.types import Skipped

FILE, VERSION = "index.sqlite", 2
# Seconds: another process may be building it now.
PATIENCE = 20.0
# The fields of an entry that are columns, and those of a part that are not what it says.
FIELDS = ("time", "id", "event", "kind", "session", "project", "decision", "agent", "user", "count")
OF_LINES = ("prev", "after", "schema", "part")
TABLES = """
CREATE TABLE files (name TEXT PRIMARY KEY, inode INTEGER, offset INTEGER, damaged INTEGER);
CREATE TABLE parts (file TEXT, name TEXT, said TEXT, PRIMARY KEY (file, name));
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT, start INTEGER, size INTEGER, plan TEXT, time TEXT, id TEXT,
    event TEXT, kind TEXT, session TEXT, project TEXT, decision TEXT, agent TEXT, user TEXT, tool TEXT, count INTEGER
);
CREATE TABLE attempts (
    event INTEGER, hook TEXT, type TEXT, micros INTEGER, failed INTEGER, timeout INTEGER, denied INTEGER,
    opened INTEGER, cost REAL
);
CREATE TABLE skipped (file TEXT, plan TEXT, hook TEXT, why TEXT);
CREATE INDEX events_file ON events (file);
CREATE INDEX events_time ON events (time);
CREATE INDEX attempts_event ON attempts (event);
CREATE INDEX skipped_plan ON skipped (file, plan);
"""


class Index:
    """The tables of one folder, in its file or in memory. Close it, or use it in a `with`."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.parts: dict[str, dict[str, dict[str, Any]]] = {}
        self.base = self.open_index()

    def open_index(self) -> sqlite3.Connection:
        """The file as it is; a new one if that is unusable; else one in memory."""
        path = os.path.join(self.folder, FILE)
        for _ in range(2 if names(self.folder) else 0):  # for an empty journal nothing is written
            try:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600))
                return open_index_database(path)
            except (OSError, sqlite3.OperationalError):  # it cannot be written, or is locked for very long
                break
            except sqlite3.DatabaseError:
                with suppress(OSError):
                    os.unlink(path)
        return open_index_database(":memory:")

    def ask(self, question: str, values: Sequence[Any] = ()) -> list[Any]:
        """All rows of a query. An index that turns out to be corrupt is dropped, and the lines are read again."""
        try:
            return self.base.execute(question, values).fetchall()
        except sqlite3.DatabaseError as exc:
            self.in_memory(exc)
            return self.base.execute(question, values).fetchall()

    def extend(self) -> None:
        """Read what was written since."""
        try:
            if self.news():
                with immediate_transaction(self.base):
                    self.read()
        except sqlite3.DatabaseError as exc:  # corrupt, or no room, or not writable
            self.in_memory(exc)

    def in_memory(self, exc: sqlite3.DatabaseError) -> None:
        """Build it in memory. A corrupt file is deleted, so that the next process builds a new one."""
        self.close()
        if not isinstance(exc, sqlite3.OperationalError):
            with suppress(OSError):
                os.unlink(os.path.join(self.folder, FILE))
        self.base, self.parts = open_index_database(":memory:"), {}
        with immediate_transaction(self.base):
            self.read()

    def news(self) -> dict[str, tuple[int, bool]]:
        """The files that changed since they were read: their inodes, and whether to forget what was read."""
        rows = self.base.execute("SELECT name, inode, offset FROM files")
        known = {name: (inode, offset) for name, inode, offset in rows}
        found: dict[str, tuple[int, bool]] = {}
        for name in {**dict.fromkeys(names(self.folder)), **known}:
            inode, size = looked_at(os.path.join(self.folder, name))
            before, offset = known.get(name, (inode, 0))
            if inode != before or size < offset:
                found[name] = (inode, True)
            elif size > offset:
                found[name] = (inode, False)
        return found

    def read(self) -> None:
        for name, (inode, anew) in sorted(self.news().items()):
            if anew:
                self.forget(name)
            if inode:
                self.read_file(name, inode)

    def forget(self, name: str) -> None:
        """Remove a file that is gone or was replaced."""
        self.parts.pop(name, None)
        self.base.execute("DELETE FROM attempts WHERE event IN (SELECT number FROM events WHERE file = ?)", (name,))
        for table in ("events", "skipped", "parts"):
            self.base.execute(f"DELETE FROM {table} WHERE file = ?", (name,))
        self.base.execute("DELETE FROM files WHERE name = ?", (name,))

    def read_file(self, name: str, inode: int) -> None:
        """Read all complete lines after the last read; the last line may still be being written."""
        [offset, damaged] = self.base.execute(
            "SELECT coalesce(max(offset), 0), coalesce(max(damaged), 0) FROM files WHERE name = ?", (name,)
        ).fetchone()
        with suppress(OSError), open(os.path.join(self.folder, name), "rb") as opened:
            opened.seek(offset)
            for line in opened:
                if not line.endswith(b"\n"):
                    break
                damaged += not (line.isspace() or self.take(line, name, offset))
                offset += len(line)
        self.base.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", (name, inode, offset, damaged))

    def take(self, line: bytes, name: str, start: int) -> bool:
        """Insert one line into the tables; returns whether it was valid: an unfinished line is not."""
        made = decode_line(line)
        if made is None:
            return False
        if "part" in made:
            return self.take_part(made, name)
        entry = self.join_line(made, name)
        if entry is None:
            return False
        values = {
            "file": name,
            "start": start,
            "size": len(line),
            "plan": made.get("plan"),
            "tool": entry.target,
            **{field: getattr(entry, field) for field in FIELDS},
        }
        number = self.base.execute(
            f"INSERT INTO events ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", [*values.values()]
        ).lastrowid
        self.base.executemany("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", attempts(number, entry))
        return True

    def take_part(self, made: dict[str, Any], file: str) -> bool:
        """Keep what many lines of a file have in common; the same part may come twice."""
        part = str(made["part"])
        said = {key: value for key, value in made.items() if key not in OF_LINES}
        if part in self.parts_of(file):
            return True
        self.parts_of(file)[part] = said
        self.base.execute("INSERT INTO parts VALUES (?, ?, ?)", (file, part, msgspec.json.encode(said).decode()))
        try:
            skipped = msgspec.convert(said.get("skipped", []), list[Skipped])
        except msgspec.ValidationError:
            return False
        rows = [(file, part, one.hook, one.why) for one in skipped]
        self.base.executemany("INSERT INTO skipped VALUES (?, ?, ?, ?)", rows)
        return True

    def parts_of(self, file: str) -> dict[str, dict[str, Any]]:
        """The parts of a file, by their names."""
        if file not in self.parts:
            rows = self.base.execute("SELECT name, said FROM parts WHERE file = ?", (file,))
            self.parts[file] = {name: msgspec.json.decode(said) for name, said in rows}
        return self.parts[file]

    def join_line(self, made: dict[str, Any], file: str) -> JournalEntry | None:
        if any(made[name] not in self.parts_of(file) for name in PARTS if name in made):
            self.parts.pop(file)  # another process has read more of the file than this one
        return join_parts(made, self.parts_of(file))

    def entry(self, file: str, start: int, size: int) -> JournalEntry | None:
        """An entry from its file; None if that is gone meanwhile."""
        with suppress(OSError), open(os.path.join(self.folder, file), "rb") as opened:
            opened.seek(start)
            made = decode_line(opened.read(size))
            return self.join_line(made, file) if made else None
        return None

    @property
    def damaged(self) -> int:
        """How many lines could not be read."""
        return int(self.ask("SELECT coalesce(sum(damaged), 0) FROM files")[0][0])

    def close(self) -> None:
        with suppress(sqlite3.Error):
            self.base.close()

    def __enter__(self) -> Index:
        self.extend()
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def attempts(number: int | None, entry: JournalEntry) -> Iterator[tuple[Any, ...]]:
    """A row for each run of each hook; a background hook is recorded again when it has ended."""
    for one in entry.attempts:
        if one.detail == IN_BACKGROUND:
            continue
        cost = one.usage.cost if one.usage else None
        failed = one.failed or one.error is not None
        facts = (failed, one.error == "timeout", one.decision == "deny", failed_open(one), cost)
        for micros in one.each or [round(one.seconds * 1e6)]:
            yield (number, one.hook, one.type, micros, *facts)


def open_index_database(path: str) -> sqlite3.Connection:
    """Open the database; create the tables if there are none."""
    base = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        [version] = base.execute("PRAGMA user_version").fetchone()
        if version != VERSION:
            with immediate_transaction(base):
                make(base)
    except sqlite3.Error:
        base.close()
        raise
    return base


def make(base: sqlite3.Connection) -> None:
    """Create the tables, unless another process has while we waited."""
    [version] = base.execute("PRAGMA user_version").fetchone()
    if version == VERSION:
        return
    if version or base.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise sqlite3.DatabaseError(f"an index of version {version}")
    for statement in TABLES.split(";"):
        base.execute(statement)
    base.execute(f"PRAGMA user_version = {VERSION}")


@contextmanager
def immediate_transaction(base: sqlite3.Connection) -> Iterator[None]:
    """A transaction: everything or nothing."""
    base.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):
            base.execute("ROLLBACK")
        raise
    base.execute("COMMIT")


def looked_at(path: str) -> tuple[int, int]:
    """A file's inode and size; 0 if it is gone, or not a file."""
    with suppress(OSError):
        found = os.stat(path, follow_symlinks=False)
        return found.st_ino, found.st_size
    return 0, 0
