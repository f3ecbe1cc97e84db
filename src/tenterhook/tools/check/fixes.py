"""Mend findings that have one right answer, in the files themselves: comments and layout stay."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.config.entries import Problem
from tenterhook.config.load import Loaded
from tenterhook.config.timeouts import unit_of
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.errors import TenterhookError
from tenterhook.support.paths import within
from tenterhook.support.readers import Document
from tenterhook.support.terminal.text import near
from tenterhook.tools.agents import dig_path
from tenterhook.tools.check import CheckFinding, Fix
from tenterhook.tools.install.editing.change import change_value, rename_key, wrap_keys
from tenterhook.tools.install.editing.edit import EditRefused
from tenterhook.tools.install.editing.file_changes import unified_diff_text
from tenterhook.tools.install.editing.writing import Change, commit, content, mode_of

RUN_BITS = 0o111
# What is done first: each step finds what the ones before it left.
ORDER = ("value", "key", "wrap", "run-bit")
# Rules whose fix is right for every agent.
FOR_ALL = ("not-executable", "unquoted-variable", "missing-wrapper")


class Mended(Struct):
    """What was done, or would be: the findings, why others could not be mended, and the changes of files."""

    findings: list[CheckFinding] = field(default_factory=list)
    refused: list[tuple[CheckFinding, str]] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    diff: str = ""


def with_fix(problem: Problem, dialect: Dialect, documents: dict[str, Document], loaded: Loaded) -> CheckFinding:
    """A problem of loading as a finding, with its fix where there is one right answer."""
    found = CheckFinding(
        problem.level, problem.file, problem.line, problem.column, problem.text, problem.rule, problem.path
    )
    document = documents.get(problem.file)
    if document is None:
        return found
    if problem.rule == "time-unit":
        return replace(found, fix=in_right_unit(found, dialect, document))
    if problem.rule == "unknown-event":
        return with_right_event(found, dialect, document)
    return found


def in_right_unit(found: CheckFinding, dialect: Dialect, document: Document) -> Fix | None:
    value = dig_path(document.data, found.path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    entry = dig_path(document.data, found.path[:-1])
    named = entry.get("type") if isinstance(entry, dict) else None
    unit = next((kind.unit for kind in dialect.config.types if kind.name == named and kind.unit), dialect.config.unit)
    right = value * 1000 if unit_of(value, unit) == "milliseconds" else value / 1000
    if unit == "whole-seconds" and right != int(right):
        return None
    return Fix("value", found.file, found.path, int(right) if right == int(right) else right)


def with_right_event(found: CheckFinding, dialect: Dialect, document: Document) -> CheckFinding:
    """The agent's own name for an event that is spelled otherwise, or as another agent calls it."""
    value = dig_path(document.data, found.path)
    listed = dialect.config.form.entries
    names = (value if isinstance(value, list) else [value]) if listed else [found.path[-1]]
    name = next((str(one) for one in names if f"{str(one)!r}" in found.text), "")
    right = right_event(name, dialect)
    if not right:
        return found
    text = found.text if repr(right) in found.text else f"{found.text}; it is called {right!r} here"
    if listed:
        better = [right if one == name else one for one in value] if isinstance(value, list) else right
        fix = Fix("value", found.file, found.path, better)
    else:
        fix = Fix("key", found.file, found.path, right)
    return replace(found, text=text, fix=fix)


def right_event(name: str, dialect: Dialect) -> str:
    """Empty unless there is exactly one that can be meant."""
    plain = fold(name)
    same = [rule.name for rule in dialect.events if fold(rule.name) == plain]
    if same or not name:
        return same[0] if len(same) == 1 else ""
    every = (rule for other in dialects.names() for rule in dialects.get(other).events)
    kinds = {name} | {rule.kind for rule in every if rule.name == name and not rule.firing.tools}
    found = [rule.name for rule in dialect.events if rule.kind in kinds]
    return found[0] if len(found) == 1 else ""


def fold(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def mend(
    findings: Sequence[CheckFinding], formats: Mapping[str, str], project: str, agents: Mapping[str, tuple[str, ...]]
) -> Mended:
    """What all fixes together do to each file. Nothing is written. `agents`: who reads each file."""
    made = Mended()
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    for finding, fix in in_order(findings):
        try:
            refuse_others(finding, fix, project, agents)
            path = os.path.realpath(fix.file)
            if path not in before:
                before[path] = after[path] = content(path) or b""
            if fix.do == "run-bit":
                change = run_bit(path, before[path])
                if change not in made.changes:
                    made.changes.append(change)
                    made.diff += f"run bit of {near(path)}\n"
            else:
                after[path] = apply_fix(after[path], fix, formats[fix.file])
            made.findings.append(finding)
        except (TenterhookError, EditRefused) as exc:
            made.refused.append((finding, str(exc)))
    for path, text in after.items():
        if text != before[path]:
            made.changes.append(Change(path, before[path], text))
            made.diff += unified_diff_text(near(path), before[path], text)
    return made


def refuse_others(finding: CheckFinding, fix: Fix, project: str, agents: Mapping[str, tuple[str, ...]]) -> None:
    """Files outside of the project are their owner's; and what helps one agent must not harm another."""
    root = os.path.realpath(project)
    if not within(os.path.realpath(fix.file), root):
        raise EditRefused(f"it is not in the project {near(root)}: name its folder with --project")
    others = [title for title in agents.get(finding.file, ()) if title not in finding.agents]
    if others and finding.rule not in FOR_ALL:
        raise EditRefused(f"{' and '.join(others)} reads this file, too, and it is right there")


def run_bit(path: str, text: bytes) -> Change:
    mode = mode_of(path)
    if mode is None:
        raise EditRefused("it is not there any more")
    return Change(path, text, text, mode | RUN_BITS & (mode >> 2 | 0o100))


def in_order(findings: Sequence[CheckFinding]) -> list[tuple[CheckFinding, Fix]]:
    """Values before keys, and inner ones before those around them: a renamed key would hide what is below it."""
    fixable = [(one, one.fix) for one in findings if one.fix]
    return sorted(fixable, key=lambda pair: (ORDER.index(pair[1].do), -len(pair[1].path)))


def apply_fix(text: bytes, fix: Fix, format: str) -> bytes:
    if fix.do == "value":
        return change_value(text, fix.file, format, fix.path, fix.value)
    if fix.do == "key":
        return rename_key(text, fix.file, format, fix.path, fix.value)
    return wrap_keys(text, fix.file, format, fix.value, str(fix.path[0]))


def write(mended: Mended) -> None:
    commit(mended.changes)
