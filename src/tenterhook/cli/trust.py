"""`tenter trust`: what a project brings along and would run, and the user's word on it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Any

from msgspec import Struct

from tenterhook.cli.items import described, headline
from tenterhook.cli.options import DIALECT, JSON, PROJECT, Option, Usage
from tenterhook.cli.project import print_json, warn
from tenterhook.errors import UsageError, nearest
from tenterhook.hookset import HookSet
from tenterhook.terminal import colourful, counted, near, one_line, painter
from tenterhook.trust import book, changes
from tenterhook.trust.approvals import Standing, gone, standings
from tenterhook.trust.book import Book, Line
from tenterhook.trust.item import Item
from tenterhook.trust.standing import owner_of
from tenterhook.trust.survey import survey

USAGE = Usage(
    "trust",
    "Show everything that a project brings along and that would run or decide something, and approve it. An approval\n"
    "holds for exactly what is shown: any change in it asks again. HOOK is a name from the list, * and ? allowed;\n"
    "without one everything is meant.",
    ("[HOOK...]",),
    (
        DIALECT,
        PROJECT,
        Option("yes", "approve without asking"),
        Option("deny", "never run them, whatever they become; without HOOK nothing of this project"),
        Option("revoke", "forget what was said about them"),
        JSON,
    ),
    "tenter trust --project ~/work/shop",
    "exit codes: 0 all that was meant is approved (or done: --deny, --revoke), 1 it is not",
)
ALWAYS = "What scripts and programs read, import or start themselves is not part of an approval."


class Found(Struct):
    """What there is, what the user said about it, and what was approved and is gone."""

    hooks: HookSet
    kept: Book | None
    standings: list[Standing]
    gone: list[Line]
    problems: list[str]


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    if len({"yes", "deny", "revoke"} & options.keys()) > 1:
        raise USAGE.error("--yes, --deny or --revoke, one of them")
    found = looked_up(options)
    names = options["HOOK"].split("\0") if "HOOK" in options else []
    meant = chosen(found, names)
    if "deny" in options or "revoke" in options:
        return denied_or_revoked(found, meant, names, options)
    open_ones = [one for one in meant if one.state != "trusted"]
    lost = [line for line in found.gone if not names or any(fits(line.last, name) for name in names)]
    show(found, meant, lost, options)
    wanting = [one for one in open_ones if one.state != "denied" and not owner_of(one.item.file)]
    if not wanting and not lost:
        return 1 if open_ones else 0
    if "yes" not in options and not asked(found, len(wanting), len(lost), options):
        return 1
    return approve(found, wanting, lost, options)


def looked_up(options: dict[str, str]) -> Found:
    hooks = HookSet(options.get("project", "."))
    seen = survey(hooks.project, dialect=options.get("dialect", ""))
    kept, problem = book.opened(hooks.project, hooks.home, hooks.environ)
    found = standings(seen.items, kept)
    of_dialect = options.get("dialect", "")
    lost = [line for line in gone(kept, found) if not of_dialect or line.last.dialect == of_dialect]
    return Found(hooks, kept, found, lost, [*seen.problems, *([problem] if problem else [])])


def fits(item: Item, name: str) -> bool:
    return item.name == name or fnmatchcase(item.name, name)


def chosen(found: Found, names: Sequence[str]) -> list[Standing]:
    items = [*(one.item for one in found.standings), *(line.last for line in found.gone)]
    for name in names:
        if not any(fits(item, name) for item in items):
            raise UsageError(f"no hook {name!r} here{nearest(name, [item.name for item in items])}; see tenter trust")
    return [one for one in found.standings if not names or any(fits(one.item, name) for name in names)]


def show(found: Found, meant: Sequence[Standing], lost: Sequence[Line], options: dict[str, str]) -> None:
    warn(found.problems)
    if "json" in options:
        print_json({"project": found.hooks.project, "items": [as_data(one) for one in meant], "gone": [*lost]})
        return
    paint = painter(colourful())
    print(headline(found.hooks.project, meant))
    for one in meant:
        print()
        print("\n".join(described(one, found.hooks.project, paint)))
    for line in lost:
        print(f"\n{paint('yellow', 'gone')}  {one_line(line.last.name)}: was approved and is not there any more")
    if meant:
        print(f"\n{ALWAYS}")


def as_data(one: Standing) -> dict[str, Any]:
    item = one.item
    return {
        "state": one.state,
        "kind": item.kind,
        "dialect": item.dialect,
        "file": item.file,
        "event": item.event,
        "agent": item.agent,
        "name": item.name,
        "entry": item.entry,
        "files": [
            {"path": p.path, "real": p.real, "bound": p.how, "digest": p.digest, "size": p.size} for p in item.parts
        ],
        "unbound": item.unbound,
        "changes": list(changes.diff(one.line.last, item)) if one.state == "modified" and one.line else [],
    }


def asked(found: Found, number: int, lost: int, options: dict[str, str]) -> bool:
    """Nobody is asked where nobody sits; and without a clear yes it is no."""
    if "json" in options or not sys.stdin.isatty() or not sys.stdout.isatty():
        print("tenter: nothing was approved: nobody can be asked here; --yes approves what is shown", file=sys.stderr)
        return False
    what = [f"approve {counted(number, 'item')}"] if number else []
    what += [f"confirm that {counted(lost, 'item')} {'is' if lost == 1 else 'are'} gone"] if lost else []
    try:
        answer = input(f"\n{' and '.join(what).capitalize()}? [y/N] ")
    except EOFError:
        answer = ""
    return answer.strip().lower() in ("y", "yes")


def approve(found: Found, wanting: Sequence[Standing], lost: Sequence[Line], options: dict[str, str]) -> int:
    """What was shown, not what stands in the files by now."""

    def note(kept: Book) -> None:
        lines = [standings([one.item], kept)[0].line for one in wanting]
        for one, line in zip(wanting, lines, strict=True):
            before = one.line and next((old for old in kept.lines if old.last == one.line.last), None)
            if line is not None and line.holds(one.item):
                line.gone = False
            elif before is not None:
                before.versions.append(one.item)
                before.gone = False
            else:
                kept.lines.append(Line([one.item]))
        for line in kept.lines:
            line.gone = line.gone or any(line.last == one.last for one in lost)

    file = changed(found.hooks, note)
    if "json" not in options:
        print(f"{counted(len(wanting), 'item')} approved, kept in {near(file)}")
    return 0


def denied_or_revoked(found: Found, meant: Sequence[Standing], names: list[str], options: dict[str, str]) -> int:
    def deny(kept: Book) -> None:
        kept.denied = kept.denied or not names
        for one in meant if names else ():
            kept.lines = [line for line in kept.lines if not same_place(line, one.item)]
            kept.lines.append(Line([one.item], "denied"))

    def revoke(kept: Book) -> None:
        kept.denied = kept.denied and bool(names)
        kept.lines = [line for line in kept.lines if names and not any(fits(line.last, name) for name in names)]

    changed(found.hooks, deny if "deny" in options else revoke)
    whole = "everything of this project" if not names else counted(len(meant), "item")
    if "json" not in options:
        said = "denied" if "deny" in options else "forgotten"
        print(f"{whole}: {said}")
    return 0


def same_place(line: Line, item: Item) -> bool:
    return line.last.slot == item.slot and line.last.name == item.name


def changed(hooks: HookSet, do: Callable[[Book], None]) -> str:
    return book.change(hooks.project, hooks.home, hooks.environ, do)
