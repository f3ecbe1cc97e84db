"""The approvals of one project: every version of every item that the user approved, and what was denied."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager

import msgspec
from msgspec import Struct, field

from tenterhook.trust import store
from tenterhook.trust.item import Item

VERSION = 1


class ItemHistory(Struct, omit_defaults=True):
    """The history of one item: its approved versions, the latest last. Switching branches needs no new approval.

    `gone`: the user has confirmed that it no longer exists.
    """

    versions: list[Item]
    state: str = "approved"
    gone: bool = False

    @property
    def last(self) -> Item:
        return self.versions[-1]

    @property
    def bonds(self) -> set[Hashable]:
        return {one.bond for one in self.versions}


class ApprovalBook(Struct):
    """The store's file. It is ignored if it was made for another user, machine, project or path."""

    project: str
    user: int
    machine: str
    place: str
    version: int = VERSION
    denied: bool = False
    lines: list[ItemHistory] = field(default_factory=list)


def load_book(project: str, home: str, environ: Mapping[str, str]) -> tuple[ApprovalBook | None, str]:
    """The approvals of a project, None if there are none; and what is wrong with the file."""
    data, problem = store.read(project, home, environ)
    if not data:
        return None, problem
    file = store.place(project, home, environ)
    try:
        book = msgspec.json.decode(data, type=ApprovalBook)
    except (msgspec.MsgspecError, RecursionError) as exc:
        return None, f"{file}: is broken ({exc}), so nothing is approved; tenter trust writes it again"
    if book.version != VERSION:
        return None, f"{file}: was written by another version of tenterhook, so nothing is approved"
    bond = store.bond(file, project)
    strange = [name for name, value in bond.items() if getattr(book, name) != value]
    if strange:
        what = {"project": "project", "user": "user", "machine": "machine", "place": "place"}[strange[0]]
        return None, f"{file}: was made for another {what}, so nothing is approved"
    book.lines = [history for history in book.lines if history.versions]
    return book, ""


def change(project: str, home: str, environ: Mapping[str, str], do: Callable[[ApprovalBook], None]) -> str:
    """Change the file under a lock, and return its path. A broken file is started again."""
    file = store.place(project, home, environ)
    try:
        with lock_book(file, project):
            book = load_book(project, home, environ)[0]
            if book is None:
                bond = store.bond(file, project)
                book = msgspec.convert(bond, ApprovalBook)
            do(book)
            store.write(file, project, msgspec.json.format(msgspec.json.encode(book, enc_hook=str), indent=1))
    except UnicodeEncodeError:
        raise store.StoreError(f"{project}: approvals cannot be kept for a path that is not UTF-8") from None
    except OSError as exc:
        raise store.StoreError(f"{os.path.dirname(file)}: approvals cannot be kept: {exc.strerror or exc}") from None
    return file


@contextmanager
def lock_book(file: str, project: str) -> Iterator[None]:
    """Lock the book: with two writers at once, one approval would be lost."""
    store.prepare(file, project)
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    descriptor = os.open(os.path.join(os.path.dirname(file), "lock"), flags, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
