"""Find everything that is wrong, or looks wrong, with the hooks of a project. Nothing is run and nothing imported.

Loading reports what cannot be used; the checks report what is valid but probably a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.config.entries import Problem
from tenterhook.config.locations import ConfigLocation
from tenterhook.config.unreadable import is_readable
from tenterhook.engine.hookset import HookSet
from tenterhook.pipeline.payload import Given, compile_shape
from tenterhook.support import readers
from tenterhook.support.readers import Document
from tenterhook.tools.agents import AgentHooks
from tenterhook.tools.check import CheckFinding, Hazard, HookInspection
from tenterhook.tools.check.answers import endless, misread
from tenterhook.tools.check.commands import (
    check_double_quoting,
    check_variable_quoting,
    needs_shell,
    relative,
    unset_variables,
    withheld,
)
from tenterhook.tools.check.conditions import conditions
from tenterhook.tools.check.event_fields import event_in_variable, input_at_the_top
from tenterhook.tools.check.files import (
    ConfigFiles,
    duplicates,
    missing_wrapper,
    nothing_there,
    status_lines,
    switched_off,
    unread,
)
from tenterhook.tools.check.fixes import with_fix
from tenterhook.tools.check.handlers import check_gate_timeout, no_function, no_handler, no_headers, no_model, no_url
from tenterhook.tools.check.matchers import matchers
from tenterhook.tools.check.rules import rule_of
from tenterhook.tools.check.scripts import (
    absent,
    arguments_not_given,
    exit_one,
    first_line,
    not_executable,
    unreadable,
)
from tenterhook.tools.check.several import of_older_version, runs_twice
from tenterhook.tools.check.tools import unknown_inputs
from tenterhook.types import Event, Hook

__all__ = ["FileReport", "Report", "check", "check_agents"]

OF_HOOKS: tuple[Hazard, ...] = (
    matchers,
    conditions,
    absent,
    not_executable,
    unreadable,
    first_line,
    exit_one,
    arguments_not_given,
    event_in_variable,
    input_at_the_top,
    misread,
    unknown_inputs,
    endless,
    relative,
    check_variable_quoting,
    check_double_quoting,
    unset_variables,
    needs_shell,
    withheld,
    no_handler,
    no_function,
    no_url,
    no_headers,
    no_model,
    check_gate_timeout,
)
OF_FILES: tuple[Callable[[ConfigFiles], Iterator[Problem]], ...] = (
    duplicates,
    missing_wrapper,
    switched_off,
    nothing_there,
    unread,
    status_lines,
)
# Loading goes on without such a hook and only warns; here it is an error.
LOST = re.compile(r"\b(?:never runs?|runs nothing)$")


class FileReport(Struct, frozen=True):
    """One file: the agents that read it, by their titles, and how many hooks it has, for the agent that reads most."""

    path: str
    format: str
    agents: tuple[str, ...]
    hooks: int


class Report(Struct, frozen=True):
    """What was looked at, and its problems, by file and line. `agents`: their titles, those in use first."""

    hooks: int
    files: tuple[str, ...]
    looked: tuple[str, ...]
    problems: tuple[CheckFinding, ...]
    agents: tuple[str, ...] = ()
    reports: tuple[FileReport, ...] = ()

    def count(self, level: str) -> int:
        return sum(problem.level == level for problem in self.problems)

    def said_by_config(self) -> list[CheckFinding]:
        """Errors and warnings that do not depend on this machine."""
        return [one for one in self.problems if one.level != "note" and not rule_of(one.rule).here]

    def only(self, wanted: Callable[[CheckFinding], bool]) -> Report:
        return replace(self, problems=tuple(filter(wanted, self.problems)))


def check_agents(found: Sequence[AgentHooks]) -> Report:
    """Check the files of several agents; what several read is reported once, for all that it holds for."""
    reports = [check(one.hooks, older=True) for one in found]
    files: dict[str, FileReport] = {}
    for one in (file for report in reports for file in report.reports):
        before = files.get(one.path, replace(one, agents=()))
        files[one.path] = replace(one, agents=(*before.agents, *one.agents), hooks=max(one.hooks, before.hooks))
    merged = merge_findings([finding for report in reports for finding in report.problems])
    return Report(
        sum(file.hooks for file in files.values()),
        tuple(files),
        tuple(dict.fromkeys(place for report in reports for place in report.looked)),
        tuple(in_place(merged)),
        tuple(title for report in reports for title in report.agents),
        tuple(files.values()),
    )


def merge_findings(findings: Iterable[CheckFinding]) -> list[CheckFinding]:
    """The same finding of several agents as one; their names may be in its text."""
    merged: dict[tuple[object, ...], CheckFinding] = {}
    for finding in findings:
        text = finding.text
        for title in finding.agents:
            text = text.replace(title, "")
        key = (finding.file, finding.line, finding.column, finding.rule, text)
        before = merged.get(key)
        merged[key] = replace(before, agents=(*before.agents, *finding.agents)) if before else finding
    return list(merged.values())


def check(hooks: HookSet, *, older: bool = False) -> Report:
    """Check the config files of a set of hooks. `older`: also how older versions of the agent read them."""
    loaded = hooks.ready()
    title = hooks.dialect.title
    documents = {document.file: document for document in read_documents(loaded.places)}
    files = ConfigFiles(hooks.dialect, hooks.project, loaded, documents, searched=not hooks.config)
    found: list[Problem] = [
        with_fix(escalate_problem(problem), hooks.dialect, documents, loaded) for problem in loaded.problems
    ]
    for of_files in OF_FILES:
        found += of_files(files)
    read = [hook for hook in loaded.hooks if is_readable(hook)]
    wanted = [hook for hook in read if (hook.enabled or loaded.off) and not hook.overridden]
    looks = [look_again(hook, hooks, documents.get(hook.source.file)) for hook in wanted]
    found += [problem for look in looks for hazard in OF_HOOKS for problem in hazard(look)]
    found += runs_twice(looks)
    # A hook for several events is read once for each, and has the same problems each time.
    findings = list({key_of(problem): as_finding(problem, title) for problem in found}.values())
    wraps = {(one.file, key) for one in findings if one.rule == "missing-wrapper" and one.fix for key in one.fix.value}
    findings = [one for one in findings if one.rule != "unknown-key" or (one.file, *one.path[-1:]) not in wraps]
    if older:
        findings += older_findings(hooks, findings)
    counts = {path: sum(hook.source.file == path for hook in read) for path in documents}
    formats = {place.path: place.file.format for place in loaded.places}
    reports = tuple(FileReport(path, formats[path], (title,), counts[path]) for path in documents)
    looked = tuple(place.path for place in loaded.places)
    return Report(len(read), tuple(documents), looked, tuple(in_place(findings)), (title,), reports)


def older_findings(hooks: HookSet, newest: Sequence[CheckFinding]) -> list[CheckFinding]:
    """What an older version of the agent objects to, and the newest does not: notes, each of one version."""
    if "@" in hooks.dialect.name:
        return []
    known = {(one.file, one.line, one.column, one.rule) for one in newest}
    found = []
    for version in dialects.versions(hooks.dialect.name)[1:]:
        old = check(HookSet(replace(hooks.options, dialect=f"{hooks.dialect.name}@{version}")))
        for finding in old.problems:
            place = (finding.file, finding.line, finding.column, finding.rule)
            if place not in known and finding.level != "note":
                known.add(place)
                found.append(
                    replace(of_older_version(finding, hooks.dialect.title, version), agents=(hooks.dialect.title,))
                )
    return found


def in_place(findings: Iterable[CheckFinding]) -> list[CheckFinding]:
    return sorted(findings, key=lambda one: (one.file, one.line, one.column, one.level, one.text))


def key_of(problem: Problem) -> tuple[object, ...]:
    return problem.file, problem.line, problem.column, problem.level, problem.text


def as_finding(problem: Problem, title: str) -> CheckFinding:
    if isinstance(problem, CheckFinding):
        return replace(problem, agents=(title,))
    place = (problem.level, problem.file, problem.line, problem.column, problem.text)
    return CheckFinding(*place, problem.rule, problem.path, agents=(title,))


def escalate_problem(problem: Problem) -> Problem:
    return replace(problem, level="error") if LOST.search(problem.text) else problem


def read_documents(places: list[ConfigLocation]) -> Iterator[Document]:
    """Parse the files again, because loading keeps only hooks. Loading has reported those that cannot be read."""
    for place in places:
        if place.found and (document := readers.read_if_valid(place.path, place.file.format)):
            yield document


def look_again(hook: Hook, hooks: HookSet, document: Document | None) -> HookInspection:
    look = look_at(hook, hooks)
    return replace(look, data=document.data) if document else look


def look_at(hook: Hook, hooks: HookSet) -> HookInspection:
    dialect, project = hooks.dialect, hooks.project
    rule = hooks.rule(hook.event)
    strict = hooks.mode == "strict"
    event = Event(rule.kind, rule.name, {}, project, hooks.session_id, environ=hooks.environ)
    strip = hooks.settings.secrets == "strip"
    env = Given(event, compile_shape(dialect, rule, strict=strict, strip=strip)).env(hook)
    return HookInspection(hook, rule, dialect, project, hooks.home, env, strict, strip)
