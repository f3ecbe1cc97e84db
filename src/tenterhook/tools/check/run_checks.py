"""Find everything that is wrong, or looks wrong, with the hooks of a project. Nothing is run and nothing imported.

Loading reports what cannot be used; the checks report what is valid but probably a mistake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from tenterhook.config.entries import Problem
from tenterhook.config.locations import ConfigLocation
from tenterhook.engine.hookset import HookSet
from tenterhook.pipeline.payload import Given, compile_shape
from tenterhook.support import readers
from tenterhook.support.readers import Document
from tenterhook.tools.check import Hazard, HookInspection
from tenterhook.tools.check.answers import endless, misread
from tenterhook.tools.check.commands import check_variable_quoting, needs_shell, relative, withheld
from tenterhook.tools.check.files import ConfigFiles, duplicates, nothing_there, status_lines, switched_off, unread
from tenterhook.tools.check.handlers import check_gate_timeout, no_function, no_handler, no_headers, no_model, no_url
from tenterhook.tools.check.matchers import matchers
from tenterhook.tools.check.scripts import absent, exit_one, first_line, not_executable, unreadable
from tenterhook.types import Event, Hook

__all__ = ["Report", "check"]

OF_HOOKS: tuple[Hazard, ...] = (
    matchers,
    absent,
    not_executable,
    unreadable,
    first_line,
    exit_one,
    misread,
    endless,
    relative,
    check_variable_quoting,
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
    switched_off,
    nothing_there,
    unread,
    status_lines,
)
# Loading goes on without such a hook and only warns; here it is an error.
LOST = re.compile(r"\b(?:never runs?|runs nothing)$")


class Report(Struct, frozen=True):
    """What was looked at, and its problems, by file and line."""

    hooks: int
    files: tuple[str, ...]
    looked: tuple[str, ...]
    problems: tuple[Problem, ...]

    def count(self, level: str) -> int:
        return sum(problem.level == level for problem in self.problems)


def check(hooks: HookSet) -> Report:
    """Check the config files of a set of hooks."""
    loaded = hooks.ready()
    documents = {document.file: document for document in read_documents(loaded.places)}
    files = ConfigFiles(hooks.dialect, hooks.project, loaded, documents, searched=not hooks.config)
    found = [escalate_problem(problem) for problem in loaded.problems]
    for of_files in OF_FILES:
        found += of_files(files)
    for hook in loaded.hooks:
        if (hook.enabled or loaded.off) and not hook.overridden:
            look = look_at(hook, hooks)
            found += [problem for hazard in OF_HOOKS for problem in hazard(look)]
    # A hook for several events is read once for each, and has the same problems each time.
    problems = sorted(set(found), key=lambda one: (one.file, one.line, one.column, one.level, one.text))
    looked = tuple(place.path for place in loaded.places)
    return Report(len(loaded.hooks), tuple(documents), looked, tuple(problems))


def escalate_problem(problem: Problem) -> Problem:
    return replace(problem, level="error") if LOST.search(problem.text) else problem


def read_documents(places: list[ConfigLocation]) -> Iterator[Document]:
    """Parse the files again, because loading keeps only hooks. Loading has reported those that cannot be read."""
    for place in places:
        if place.found and (document := readers.read_if_valid(place.path, place.file.format)):
            yield document


def look_at(hook: Hook, hooks: HookSet) -> HookInspection:
    dialect, project = hooks.dialect, hooks.project
    rule = hooks.rule(hook.event)
    strict = hooks.mode == "strict"
    event = Event(rule.kind, rule.name, {}, project, hooks.session_id, environ=hooks.environ)
    strip = hooks.settings.secrets == "strip"
    env = Given(event, compile_shape(dialect, rule, strict=strict, strip=strip)).env(hook)
    return HookInspection(hook, rule, dialect, project, hooks.home, env, strict, strip)
