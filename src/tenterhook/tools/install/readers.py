"""Which agents read the file of another one: they share its entries, or the user is told of their calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tenterhook.dialects.schema.vocabulary import covers
from tenterhook.tools.install.editing.record import load_record
from tenterhook.tools.install.target import Target, installable, target


def join_shared(targets: list[Target]) -> tuple[list[Target], list[str]]:
    """Without the agents that read another one's file of this install, or of one before, else their hooks would run
    twice; and what to say of them.
    """
    kept: list[Target] = []
    notes: list[str] = []
    for one in targets:
        others = [two for two in targets if two is not one and reads(one, two) and not reads(two, one)]
        others += [two for two in kept if two.whole == one.whole]
        others += [] if load_record(one.record) else [two for two in find_connected(one) if reads(one, two)]
        other = others[0] if others else None
        if other is None:
            kept.append(one)
        else:
            notes.append(
                f"{one.dialect.title} reads {other.shown}, too: the entries for {other.dialect.title} answer it in "
                "its own form"
            )
    return kept, notes


def find_connected(one: Target) -> list[Target]:
    """The agents with a file of their own that an install before has connected."""
    if one.managed:
        return []
    every = (target(name, one.hooks.project, user=one.user) for name in installable())
    return [other for other in every if other.whole != one.whole and load_record(other.record)]


def reads(one: Target, other: Target) -> bool:
    """Whether an agent reads the file that is written for another one."""
    return any(covers(file.path, other.pattern) for file in one.dialect.config.files)


def other_readers(one: Target, named: Collection[str]) -> Iterator[str]:
    """The agents that read this file, too, and are not named in this install."""
    if one.managed:
        return
    twice = {other.dialect.name for other in find_connected(one)}
    for name in installable():
        other = target(name, one.hooks.project, user=one.user)
        if name in named or other.whole == one.whole or not reads(other, one):
            continue
        said = f"{other.dialect.title} reads this file, too: "
        if name in twice:
            yield f"{said}it has entries of its own, and calls twice; take those out: tenter uninstall --agent {name}"
        else:
            yield f"{said}it is answered in its own form"
    yield from (f"{who} reads this file, too: {what}" for who, what in one.install.read_by.items())
