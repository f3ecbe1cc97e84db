"""Render items to approve: everything they run and ask for, with control characters escaped."""

from __future__ import annotations

import os
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from tenterhook import handlers
from tenterhook.author.process import parse_argv
from tenterhook.config.file_trust import owner_of
from tenterhook.support.command_line import simple_words
from tenterhook.support.terminal.text import Paint, near, one_line, pluralise_count
from tenterhook.tools.install.command_line import PROGRAMS
from tenterhook.trust import changes
from tenterhook.trust.approvals import ItemState
from tenterhook.trust.item import KINDS, Item
from tenterhook.trust.parts import BoundFile

STYLES = {"trusted": "green", "modified": "red", "untrusted": "yellow", "denied": "red"}
INDENT = "    "
DIFF_LINES = 200
# Keys of an entry that are shown on a line of their own.
APART = ("name", "handler", "spec", "matcher", "env", "sandbox")
HOW = {"path": "a program of the system", "stamp": "by size and times", "absent": "not there"}


def headline(project: str, found: Sequence[ItemState]) -> str:
    if not found:
        return f"nothing in {near(project)} needs to be approved"
    states = Counter(one.state for one in found)
    each = ", ".join(f"{number} {state}" for state, number in states.items())
    return f"{pluralise_count(len(found), 'item')} in {near(project)}: {each}"


def group_items(found: Sequence[ItemState]) -> list[list[ItemState]]:
    """What one file says, and several agents read, together: it is shown once."""
    groups: dict[tuple[object, ...], list[ItemState]] = {}
    for one in found:
        item = one.item
        order = item.order if item.kind == "hook" else 0
        key = (one.state, item.kind, item.file, item.event, item.agent, order, item.name)
        groups.setdefault(key, []).append(one)
    return list(groups.values())


def render_item_lines(group: Sequence[ItemState], project: str, paint: Paint) -> Iterator[str]:
    """An item as its first agent has it; what differs for another is said with that agent's name."""
    one, *others = group
    item = one.item
    where = inside(item.file, project)
    state, name = paint(STYLES[one.state], one.state), paint("bold", one_line(item.name))
    yield f"{state}  {name}  {paint('dim', about(group, where))}"
    lines = list(facts(item, project))
    yield from (f"{INDENT}{line}" for line in lines)
    for other in others:
        more = [line for line in facts(other.item, project) if line not in lines]
        yield from (f"{INDENT}{line} ({other.item.dialect})" for line in more)
    owner = owner_of(item.file)
    if owner:
        yield paint("red", f"{INDENT}{where} belongs to {owner}: it cannot be approved")
    if one.state == "modified" and one.history:
        yield f"{INDENT}{paint('red', 'changed')}: {one_line(changes.summary(one.history.last, item))}"
        lines = list(changes.diff(one.history.last, item))
        yield from (f"{INDENT}  {colour_diff_line(line, paint)}" for line in lines[:DIFF_LINES])
        if len(lines) > DIFF_LINES:
            yield f"{INDENT}  ... {len(lines) - DIFF_LINES} more lines"


def split_own_calls(found: Sequence[ItemState]) -> tuple[list[ItemState], dict[tuple[str, str, str], list[ItemState]]]:
    """The items that say something of their own; and, by command, file and state, the entries by which agents call
    this program: the hooks behind them are items themselves.
    """
    rest: list[ItemState] = []
    calls: dict[tuple[str, str, str], list[ItemState]] = {}
    for one in found:
        if one.state != "modified" and not one.item.unbound and calls_ourselves(one.item):
            calls.setdefault((one.item.name, one.item.file, one.state), []).append(one)
        else:
            rest.append(one)
    return rest, calls


def calls_ourselves(item: Item) -> bool:
    """Whether a hook is `tenter run` of this very installation, with nothing that an entry could do besides."""
    entry = item.entry
    main = entry.get("spec", {}).get("main")
    if item.kind != "hook" or entry.get("env") or entry.get("sandbox") or not isinstance(main, str):
        return False
    words = simple_words(main, {}) or ("",)
    program = shutil.which(words[0]) if tuple(words[1:2]) == ("run",) else None
    own = os.path.dirname(os.path.realpath(sys.executable)), os.path.dirname(sys.executable)
    return bool(
        program
        and os.path.basename(program) in PROGRAMS
        and os.path.dirname(os.path.realpath(program)) in own
        and not parse_argv(list(words[2:])).command
    )


def render_own_calls(name: str, file: str, calls: Sequence[ItemState], project: str, paint: Paint) -> Iterator[str]:
    state, events = calls[0].state, list(dict.fromkeys(one.item.event for one in calls))
    number = "1 entry" if len(calls) == 1 else f"{len(calls)} entries"
    where = paint("dim", f"{number}, {inside(file, project)}")
    yield f"{paint(STYLES[state], state)}  {paint('bold', one_line(name))}  {where}"
    yield f"{INDENT}agents call this program there, which runs hooks that are listed by themselves"
    yield f"{INDENT}at {one_line(', '.join(events))}"


def about(group: Sequence[ItemState], where: str) -> str:
    item = group[0].item
    agents = " and ".join(dict.fromkeys(one.item.dialect for one in group if one.item.dialect))
    kind = "" if item.name == KINDS[item.kind] else KINDS[item.kind]
    words = [item.event or kind, f"for agent {item.agent}" if item.agent else "", agents, where]
    return one_line(", ".join(filter(None, words)))


def facts(item: Item, project: str) -> Iterator[str]:
    """What it runs, on which events, with which rights."""
    entry = item.entry
    spec = dict(entry.get("spec", {}))
    if item.kind == "hook":
        yield f"{entry.get('handler', '')}: {format_item_value(spec.pop('main', ''))}"
        spec.pop("form", None)
        spec = {key: value for key, value in spec.items() if value != entry["spec"]["main"]}
    rest = {key: value for key, value in entry.items() if key not in APART} if item.kind == "hook" else entry
    if entry.get("matcher") is not None:
        yield f"matches {format_item_value(entry['matcher'])}"
    yield from (f"{one_line(key)}: {format_item_value(value)}" for key, value in {**spec, **rest}.items())
    if env := entry.get("env"):
        asks = [name if value is None else f"{name}={value}" for name, value in env.items()]
        yield f"environment: {one_line(', '.join(asks))}"
    if sandbox := entry.get("sandbox"):
        yield f"sandbox: {format_item_value({key: value for key, value in sandbox.items() if value} or 'as usual')}"
    # For a function, an absent part is a module that would be found before its own.
    in_host = handlers.runs_in_host(entry.get("handler", ""))
    parts = [part for part in item.parts if part.how != "absent" or not in_host]
    yield from (f"bound to {format_bound_file(part, project)}" for part in parts if part.how != "names")
    folders = [inside(part.path, project) for part in parts if part.how == "names"]
    if folders:
        yield f"bound to no other file of a name that it loads in {one_line(', '.join(folders))}"
    yield from (f"not bound: {one_line(text)}" for text in item.unbound)


def format_bound_file(part: BoundFile, project: str) -> str:
    how = HOW.get(part.how) or f"{part.size:,} bytes, {part.digest[:16]}"
    named = os.path.join(os.path.realpath(os.path.dirname(part.path)), os.path.basename(part.path))
    there = f" -> {part.real}" if named != part.real else ""
    return one_line(f"{inside(part.path, project)}{there} ({how})")


def inside(path: str, project: str) -> str:
    root = os.path.realpath(project)
    for one in (project, root):
        if path.startswith(one + os.sep):
            return one_line(os.path.relpath(path, one))
    return one_line(near(path))


def format_item_value(value: Any) -> str:
    from tenterhook.support.terminal.text import as_json

    return one_line(value if isinstance(value, str) else as_json(value))


def colour_diff_line(line: str, paint: Paint) -> str:
    text = one_line(line) if line.strip() else line
    style = {"+": "green", "-": "red"}.get(line[:1])
    return paint(style, text) if style else text
