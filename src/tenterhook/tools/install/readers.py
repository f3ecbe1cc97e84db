"""Which agents read the file of another one: they share its entries, or the user is told of their calls."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator

from msgspec import Struct, field

from tenterhook.dialects.schema.vocabulary import covers
from tenterhook.tools.install.door_line import calls_door, why_no_door
from tenterhook.tools.install.editing.record import load_record
from tenterhook.tools.install.target import Target, installable, target

WITHOUT = "if you use it here, install without --http"


class Sharing(Struct):
    """The agents of an install that get entries, those that share the entries of another one, and what to say."""

    kept: list[Target] = field(default_factory=list)
    joined: list[Target] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def join_shared(targets: list[Target], *, door: bool = False) -> Sharing:
    """An agent that reads another one's file of this install, or of one before, shares its entries, else its hooks
    would run twice. Entries for the HTTP door are for one agent.
    """
    found = Sharing()
    named = {one.record for one in targets}
    for one in targets:
        others = [two for two in targets if two is not one and reads(one, two) and not reads(two, one)]
        others = [two for two in others if not door or why_no_door(two.dialect)]
        others += [two for two in found.kept if two.whole == one.whole]
        if not load_record(one.record):
            others += [two for two in find_connected(one) if reads(one, two) and two.record not in named]
        if not others:
            found.kept.append(one)
            continue
        found.joined.append(one)
        found.notes.append(
            f"{one.dialect.title} reads {others[0].shown}, too: the entries for {others[0].dialect.title} answer it in "
            "its own form"
        )
    return found


def find_connected(one: Target) -> list[Target]:
    """The agents with a file of their own that an install before has connected, by commands."""
    every = [] if one.managed else [target(name, one.hooks.project, user=one.user) for name in installable()]
    every = [other for other in every if other.whole != one.whole and os.path.exists(other.whole)]
    return [other for other in every if (record := load_record(other.record)) and not calls_door(record)]


def reads(one: Target, other: Target) -> bool:
    """Whether an agent reads the file that is written for another one."""
    return any(covers(file.path, other.pattern) for file in one.dialect.config.files)


def other_readers(one: Target, named: Collection[str], *, door: bool = False) -> Iterator[str]:
    """The agents that read this file, too, and are not named in this install; for the HTTP door the named ones, too."""
    if one.managed:
        return
    if door:
        yield from readers_of_door(one)
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


def readers_of_door(one: Target) -> Iterator[str]:
    """Which agents read entries that call the HTTP door, and are not made for it."""
    for name in installable():
        other = target(name, one.hooks.project, user=one.user)
        if name != one.dialect.name and reads(other, one):
            yield f"{other.dialect.title} reads this file, too, and its http hooks cannot be made to refuse: {WITHOUT}"
    for who in one.install.read_by:
        yield f"{who} reads this file, too, and what it does with http hooks is not known: {WITHOUT}"
