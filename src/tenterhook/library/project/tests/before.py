"""Before a change: whether the source file has tests, and their current result."""

from __future__ import annotations

import os
import re

from tenterhook.library.actions.answers import ActionAnswer, ask, deny, fine
from tenterhook.library.guard.edited_text import text_after
from tenterhook.library.project import kinds
from tenterhook.library.project.commands import read
from tenterhook.library.project.subject import Subject, resolve_written_subject
from tenterhook.library.project.tests import companions
from tenterhook.library.project.tests.assertions import holds_test
from tenterhook.library.project.wording import format_name_list, plain, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent

# The parts of an index that are comments, or only pass names on.
GATHERED = r"(?s)/\*.*?\*/|//[^\n]*|\b(?:import|export)\b[^;'\"=()]*['\"][^'\"\n]*['\"];?"
# The names that a file exports, by language.
PUBLIC = {
    "python": r"(?m)^(?:async )?(?:def|class) ([^\W_]\w*)",
    "node": (
        r"(?m)^export\s+(?:default\s+)?(?:async\s+)?(?:function\*?|class|const|let|var)\s+(\w+)"
        r"|\bexports\.(\w+)\s*="
    ),
    "go": r"(?m)^func\s+(?:\([^)]*\)\s*)?([A-Z]\w*)",
    "rust": r"(?m)^\s*pub (?:async )?fn (\w+)",
}


def has_test(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Test first: a source file may be written only if it has a test, and new code only if a test is red."""
    subject = source(event)
    if isinstance(subject, str):
        return fine(subject)
    text = text_after(event)
    if holds_nothing(subject, text):
        return fine(f"nothing to check: {subject.shown} holds no code of its own")
    tests = companions.tests_of(subject)
    brings_own = subject.language == "rust" and holds_test(subject.path, text or "".join(event.texts))
    if not tests and not brings_own:
        return refuse_missing_test(
            settings, f"{subject.shown} has no test yet.\n{first(subject, companions.to_write(subject))}"
        )
    problem = empty(subject, tests) if not brings_own else ""
    if problem:
        return refuse_missing_test(settings, f"{problem}\n{first(subject, os.path.relpath(tests[0], subject.project))}")
    if brings_own:
        return fine(f"{subject.shown} brings its own tests")
    return red_before(event, settings, subject, tests, text)


def first(subject: Subject, test: str) -> str:
    return (
        f"Write {plain(test)} first, with a test that fails because the code is not there; then change {subject.shown}."
    )


def empty(subject: Subject, tests: list[str]) -> str:
    """Why there is no real test: they do not parse, or have nothing that runs and can fail."""
    from tenterhook.library.project.parsing import unparsable

    if any(holds_test(path, read(path)) for path in tests):
        return ""
    wrong = unparsable([Subject(subject.project, path) for path in tests[:1]])
    for name, why in wrong.items():
        return f"{subject.shown} has no test yet: {plain(name)} does not parse: {why}"
    return f"{subject.shown} has no test yet: {format_test_paths(subject, tests)} holds none that runs and can fail."


def red_before(
    event: TimedEvent, settings: ActionSettings, subject: Subject, tests: list[str], text: str | None
) -> ActionAnswer:
    """A red test asks for the change. While all are green, existing code may only be rewritten."""
    from tenterhook.library.project.verify import run_affected_checks

    has = f"{subject.shown} has a test: {format_test_paths(subject, tests)}"
    results = run_affected_checks(event, settings, subject, ("test",), done=False)
    states = {result.state for result in results}
    note = "; ".join((has, *(result.line for result in results)))
    if "fail" in states:
        return fine(f"{has}; red: {note.partition('; ')[2]}")
    unproven = [result for result in results if result.state in ("skipped", "none")]
    if unproven:
        lines = [f"No test of {subject.shown} runs:", *(f"  {result.detail}" for result in unproven)]
        return refuse_missing_test(
            settings, "\n".join((*lines, "Have one run that fails because the code is not there.")), note
        )
    if "pass" not in states:
        return fine(f"{note}; whether it is red is not known")
    if not os.path.exists(subject.path):
        reason = (
            f"{format_test_paths(subject, tests)} passes although {subject.shown} is not there: it does not test it."
        )
        return refuse_missing_test(
            settings, f"{reason}\nHave it use {subject.shown}, so that it fails; then write the code.", note
        )
    new = untested_names(subject, text, tests)
    if new:
        reason = f"{subject.shown} would get {format_name_list(new, 3)}, which no test names, and no test is red."
        return refuse_missing_test(
            settings,
            f"{reason}\nWrite a test for it in {format_test_paths(subject, tests[:1])} first, see it fail.",
            note,
        )
    context = (
        f"No test of {subject.shown} is red. Change how it does its work; for anything new write a red test first."
    )
    return fine(note, message=note, context=context)


def untested_names(subject: Subject, text: str | None, tests: list[str]) -> list[str]:
    """Public names that the change adds to a file and that its tests do not mention."""
    pattern = PUBLIC.get(subject.language)
    if text is None or not pattern:
        return []
    before = names_in(pattern, read(subject.path))
    mentioned = "\n".join(map(read, tests))
    new = [name for name in names_in(pattern, text) if name not in before]
    return [name for name in new if not re.search(rf"\b{re.escape(name)}\b", mentioned)]


def names_in(pattern: str, text: str) -> list[str]:
    return [name for match in re.finditer(pattern, text) for name in match.groups() if name]


def is_characterized(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Behaviour first: an existing source file may be changed only if it has tests and they pass now."""
    subject = source(event)
    if isinstance(subject, str):
        return fine(subject)
    if not os.path.exists(subject.path):
        return fine(f"nothing to preserve: {subject.shown} is new")
    if holds_nothing(subject, read(subject.path)):
        return fine(f"nothing to preserve: {subject.shown} holds no code of its own")
    tests = companions.tests_of(subject)
    if not tests:
        test = plain(companions.to_write(subject))
        return refuse_missing_test(
            settings,
            f"{subject.shown} has no characterization test.\n"
            f"Write {test} first, with tests that hold what {subject.shown} does now and pass; then change it.",
        )
    return passing(event, settings, subject, tests)


def passing(event: TimedEvent, settings: ActionSettings, subject: Subject, tests: list[str]) -> ActionAnswer:
    from tenterhook.library.project.verify import failures, run_affected_checks

    known = known_to_pass(event, subject, tests)
    if known:
        return fine(known)
    results = run_affected_checks(event, settings, subject, ("test",), done=False)
    note = (
        "; ".join(result.line for result in results) or f"no command is known for {format_test_paths(subject, tests)}"
    )
    failed = [result for result in results if result.state == "fail"]
    if failed:
        paths = format_test_paths(subject, tests)
        head = f"{subject.shown} is not to be changed while its tests fail: make {paths} pass first."
        return refuse_missing_test(settings, truncate_lines([head, *failures(failed)]), note)
    unproven = [result for result in results if result.state in ("skipped", "none", "absent")]
    late = [result for result in results if result.state == "late"]
    if unproven or late:
        lines = [f"Nothing shows that the tests of {subject.shown} pass now:"]
        lines += [f"  {result.detail}" for result in (*unproven, *late)]
        lines += ["Have tests that run and pass, then change it."] if unproven else longer(event, subject)
        return refuse_missing_test(settings, truncate_lines(lines), note)
    return fine(note, message=note if results else "")


def longer(event: TimedEvent, subject: Subject) -> list[str]:
    """The command that runs the tests with more time than a hook has; this action can use its result afterwards."""
    import json
    from shlex import quote

    from tenterhook.library.actions.wrapper_script import PROGRAM, program

    given = {"cwd": event.project, "session_id": event.session, "tool_input": {"path": subject.path, "text": ""}}
    called = PROGRAM if not program() else quote(program())
    line = f"printf %s {quote(json.dumps(given))} | {called} hook agent ddd-pre-transformation --budget 600"
    return ["Run them with more time, then try the change again:", f"  {line}"]


def known_to_pass(event: TimedEvent, subject: Subject, tests: list[str]) -> str:
    """The results of an earlier call in this session, if the package's code has not changed since."""
    from tenterhook.library.project.ledger import Ledger

    entries = Ledger(event).entries()
    passed = [one.at for one in entries if (one.kind, one.of, one.state) == ("test", subject.name, "pass")]
    if not passed:
        return ""
    files = companions.files_by_kind(subject)
    code = (*files["source"], *files["support"], *tests, subject.path)
    fresh = all(os.path.getmtime(path) <= passed[0] for path in code)
    return f"the tests of {subject.shown} passed in this session, and no code was changed since" if fresh else ""


def refuse_missing_test(settings: ActionSettings, reason: str, note: str = "") -> ActionAnswer:
    return (ask if settings.missing_test == "ask" else deny)(reason, note=note)


def source(event: TimedEvent) -> Subject | str:
    """The source file that is about to change; if there is none, why there is nothing to check."""
    subject = resolve_written_subject(event)
    if isinstance(subject, Subject) and subject.kind != "source":
        return f"nothing to check: {subject.shown} is not a source file"
    if isinstance(subject, Subject) and not kinds.needs_test(subject.name):
        return f"nothing to check: {subject.shown} needs no test"
    return subject


def holds_nothing(subject: Subject, text: str | None) -> bool:
    """Whether it only has types, constants, a call that starts other code, or collected names (__init__.py, index)."""
    from tenterhook.library.project.tests.logic import has_logic

    if text is None:
        return False
    stem = os.path.splitext(os.path.basename(subject.path))[0]
    if stem == "index" and subject.language == "node" and not re.sub(GATHERED, "", text).strip():
        return True
    return not has_logic(subject, text)


def format_test_paths(subject: Subject, tests: list[str]) -> str:
    return format_name_list([os.path.relpath(path, subject.project) for path in tests], 3)
