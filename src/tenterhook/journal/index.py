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

from tenterhook.journal.files import names
from tenterhook.journal.read import JournalEntry, read
from tenterhook.pipeline.judge import IN_BACKGROUND

FILE, VERSION = "index.sqlite", 1
# Seconds: another process may be building it now.
PATIENCE = 20.0
TABLES = """
CREATE TABLE files (name TEXT PRIMARY KEY, inode INTEGER, offset INTEGER, damaged INTEGER);
CREATE TABLE events (
    number INTEGER PRIMARY KEY AUTOINCREMENT, file TEXT, start INTEGER, size INTEGER, time TEXT, id TEXT, event TEXT,
    kind TEXT, session TEXT, project TEXT, decision TEXT, count INTEGER
);
CREATE TABLE attempts (
    event INTEGER, hook TEXT, type TEXT, micros INTEGER, failed INTEGER, timeout INTEGER, denied INTEGER, cost REAL
);
CREATE TABLE skipped (event INTEGER, hook TEXT, why TEXT);
CREATE INDEX events_file ON events (file);
CREATE INDEX events_time ON events (time);
CREATE INDEX attempts_event ON attempts (event);
CREATE INDEX skipped_event ON skipped (event);
"""


class Index:
    """The tables of one folder, in its file or in memory. Close it, or use it in a `with`."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.base = self.open_index()

    def open_index(self) -> sqlite3.Connection:
        """The file as it is; a new one if that is unusable; else one in memory."""
        path = os.path.join(self.folder, FILE)
        for _ in range(2 if names(self.folder) else 0):  # for an empty journal nothing is written
            try:
                os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600))
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
        self.base = open_index_database(":memory:")
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
        for table in ("attempts", "skipped"):
            self.base.execute(f"DELETE FROM {table} WHERE event IN (SELECT number FROM events WHERE file = ?)", (name,))
        self.base.execute("DELETE FROM events WHERE file = ?", (name,))
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
        entry = read(line)
        if entry is None:
            return False
        said = (
            entry.time,
            entry.id,
            entry.event,
            entry.kind,
            entry.session,
            entry.project,
            entry.decision,
            entry.count,
        )
        marks = ", ".join("?" * 11)
        number = self.base.execute(
            "INSERT INTO events (file, start, size, time, id, event, kind, session, project, decision, count)"
            f" VALUES ({marks})",
            (name, start, len(line), *said),
        ).lastrowid
        self.base.executemany("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", attempts(number, entry))
        rows = [(number, one.hook, one.why) for one in entry.skipped]
        self.base.executemany("INSERT INTO skipped VALUES (?, ?, ?)", rows)
        return True

    def line(self, file: str, start: int, size: int) -> bytes:
        """A line from its file; empty if that is gone meanwhile."""
        with suppress(OSError), open(os.path.join(self.folder, file), "rb") as opened:
            opened.seek(start)
            return opened.read(size)
        return b""

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
        facts = (one.failed or one.error is not None, one.error == "timeout", one.decision == "deny", cost)
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
