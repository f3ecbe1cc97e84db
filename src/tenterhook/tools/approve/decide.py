"""The user's word on what a project brings along: approve, deny, revoke."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct

from tenterhook.config.standing import owner_of
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.approve.survey import survey
from tenterhook.trust import book
from tenterhook.trust.approvals import Judged, by_name, missing_approved_lines, standings
from tenterhook.trust.book import Book, Line
from tenterhook.trust.item import Item


class Found(Struct):
    """What there is in a project, what the user said about it, and what was approved and is gone.

    What a file says that cannot be read (`unread`) is neither there nor gone.
    """

    project: str
    home: str
    environ: Mapping[str, str]
    standings: list[Judged]
    gone: list[Line]
    problems: list[str]
    unread: set[str]


def look(project: str | os.PathLike[str], *, dialect: str = "", **options: Any) -> Found:
    """Read, never run. Without a dialect, in all of them; `home` and `environ` as for an engine."""
    hooks = HookSet(EngineOptions(project, **options))
    seen = survey(hooks.project, dialect=dialect, **options)
    kept, problem = book.load_book(hooks.project, hooks.home, hooks.environ)
    found = standings(seen.items, kept)
    unread = {os.path.realpath(file) for file in seen.unread}
    lost = [line for line in missing_approved_lines(kept, found) if not dialect or line.last.dialect == dialect]
    lost = [line for line in lost if line.last.file not in unread]
    strange = {file: owner for file in {item.file for item in seen.items} if (owner := owner_of(file))}
    found = [Judged(one.item, "untrusted") if one.item.file in strange else one for one in found]
    problems = [*seen.problems, *([problem] if problem else [])]
    problems += [f"{file}: belongs to {owner}, so nothing in it is trusted" for file, owner in sorted(strange.items())]
    return Found(hooks.project, hooks.home, hooks.environ, found, lost, problems, unread)


def approvable(found: Iterable[Judged]) -> list[Judged]:
    """Those that an approval would change something about: a denial is taken back first, by revoking it."""
    return [one for one in found if one.state in ("untrusted", "modified") and not owner_of(one.item.file)]


def approve(found: Found, wanted: Sequence[Judged], lost: Sequence[Line] = ()) -> str:
    """What was looked at, not what stands in the files by now. Returns where it is kept."""

    def note(kept: Book) -> None:
        known = {bond for line in kept.lines for bond in line.bonds}
        for one in wanted:
            if one.item.bond in known:
                continue
            known.add(one.item.bond)
            before = one.line and next((line for line in kept.lines if line.last == one.line.last), None)
            if before is not None:
                before.versions.append(one.item)
            else:
                kept.lines.append(Line([one.item]))
        back = {one.item.bond for one in wanted}
        for line in kept.lines:
            line.gone = any(line.last == one.last for one in lost) or (line.gone and back.isdisjoint(line.bonds))

    return book.change(found.project, found.home, found.environ, note)


def deny(found: Found, wanted: Sequence[Judged] | None) -> str:
    """Those items, whatever they become; with None everything of the project, now and later."""

    def note(kept: Book) -> None:
        kept.denied = kept.denied or wanted is None
        for one in wanted or ():
            kept.lines = [line for line in kept.lines if by_name(line.last) != by_name(one.item)]
            kept.lines.append(Line([one.item], "denied"))

    return book.change(found.project, found.home, found.environ, note)


def revoke(found: Found, names: Sequence[str] | None) -> str:
    """Forget what was said about the items of those names; with None all that was ever said about the project."""

    def note(kept: Book) -> None:
        kept.denied = kept.denied and names is not None
        kept.lines = [line for line in kept.lines if names is not None and not fits_any(line.last, names)]

    return book.change(found.project, found.home, found.environ, note)


def fits_any(item: Item, names: Iterable[str]) -> bool:
    return any(item.name == name or fnmatchcase(item.name, name) for name in names)
