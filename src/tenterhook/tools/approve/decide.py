"""The user's decisions about a project's hooks: approve, deny, revoke."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct

from tenterhook.config.file_trust import owner_of
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.approve.survey import survey
from tenterhook.trust import approval_book
from tenterhook.trust.approval_book import ApprovalBook, ItemHistory
from tenterhook.trust.approvals import ItemState, by_name, missing_approvals, standings
from tenterhook.trust.item import Item


class ProjectReview(Struct):
    """The items of a project, their states, and the approved ones that are gone.

    Items of a file that cannot be read (`unread`) are neither listed nor gone.
    """

    project: str
    home: str
    environ: Mapping[str, str]
    standings: list[ItemState]
    gone: list[ItemHistory]
    problems: list[str]
    unread: set[str]


def look(project: str | os.PathLike[str], *, agents: Sequence[str] = (), **options: Any) -> ProjectReview:
    """Read, never run. Without names, of all agents; `home` and `environ` as for an engine."""
    hooks = HookSet(EngineOptions(project, **options))
    seen = survey(hooks.project, agents=agents, **options)
    book, problem = approval_book.load_book(hooks.project, hooks.home, hooks.environ)
    found = standings(seen.items, book)
    unread = {os.path.realpath(file) for file in seen.unread}
    lost = [history for history in missing_approvals(book, found) if not agents or history.last.dialect in agents]
    lost = [history for history in lost if history.last.file not in unread]
    strange = {file: owner for file in {item.file for item in seen.items} if (owner := owner_of(file))}
    found = [ItemState(one.item, "untrusted") if one.item.file in strange else one for one in found]
    problems = [*seen.problems, *([problem] if problem else [])]
    problems += [f"{file}: belongs to {owner}, so nothing in it is trusted" for file, owner in sorted(strange.items())]
    return ProjectReview(hooks.project, hooks.home, hooks.environ, found, lost, problems, unread)


def approvable(found: Iterable[ItemState]) -> list[ItemState]:
    """The items that an approval would change: a denial must be revoked first."""
    return [one for one in found if one.state in ("untrusted", "modified") and not owner_of(one.item.file)]


def approve(found: ProjectReview, wanted: Sequence[ItemState], lost: Sequence[ItemHistory] = ()) -> str:
    """Approve the version that was shown, not what the files hold by now. Returns the path of the store."""

    def note(book: ApprovalBook) -> None:
        known = {bond for history in book.lines for bond in history.bonds}
        for one in wanted:
            if one.item.bond in known:
                continue
            known.add(one.item.bond)
            before = one.history and next((history for history in book.lines if history.last == one.history.last), None)
            if before is not None:
                before.versions.append(one.item)
            else:
                book.lines.append(ItemHistory([one.item]))
        back = {one.item.bond for one in wanted}
        for history in book.lines:
            history.gone = any(history.last == one.last for one in lost) or (
                history.gone and back.isdisjoint(history.bonds)
            )

    return approval_book.change(found.project, found.home, found.environ, note)


def deny(found: ProjectReview, wanted: Sequence[ItemState] | None) -> str:
    """Deny these items, even if they change; with None everything of the project, now and later."""

    def note(book: ApprovalBook) -> None:
        book.denied = book.denied or wanted is None
        for one in wanted or ():
            book.lines = [history for history in book.lines if by_name(history.last) != by_name(one.item)]
            book.lines.append(ItemHistory([one.item], "denied"))

    return approval_book.change(found.project, found.home, found.environ, note)


def revoke(found: ProjectReview, names: Sequence[str] | None) -> str:
    """Forget approvals and denials of the items of those names; with None of the whole project."""

    def note(book: ApprovalBook) -> None:
        book.denied = book.denied and names is not None
        book.lines = [history for history in book.lines if names is not None and not fits_any(history.last, names)]

    return approval_book.change(found.project, found.home, found.environ, note)


def fits_any(item: Item, names: Iterable[str]) -> bool:
    return any(item.name == name or fnmatchcase(item.name, name) for name in names)
