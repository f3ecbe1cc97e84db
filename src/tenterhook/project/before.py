"""Before a change: whether the source file has tests, and whether they pass as things are."""

from __future__ import annotations

import os
import re

from tenterhook.actions.said import Said, ask, deny, fine
from tenterhook.project import companions, kinds
from tenterhook.project.subject import Subject, written
from tenterhook.project.wording import limited, listed, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.settings import Settings

# In an index: comments, and what only passes names on.
GATHERED = r"(?s)/\*.*?\*/|//[^\n]*|\b(?:import|export)\b[^;'\"=()]*['\"][^'\"\n]*['\"];?"


def has_test(event: Happened, settings: Settings) -> Said:
    """Test first: a source file is written only where there is a test for it."""
    subject = source(event)
    if isinstance(subject, str):
        return fine(subject)
    text = event.after_change()
    if holds_nothing(subject, text):
        return fine(f"nothing to check: {subject.shown} holds no code of its own")
    tests = companions.tests_of(subject)
    if tests:
        return fine(f"{subject.shown} has a test: {named(subject, tests)}")
    if subject.language == "rust" and "#[cfg(test)]" in (text or "".join(event.texts())):
        return fine(f"{subject.shown} brings its own tests")
    test = plain(companions.to_write(subject))
    return refused(
        settings,
        f"{subject.shown} has no test yet.\n"
        f"Write {test} first, with a test that fails because the code is not there; then change {subject.shown}.",
    )


def is_characterized(event: Happened, settings: Settings) -> Said:
    """Behaviour first: an existing source file is changed only where tests hold what it does, and pass now."""
    subject = source(event)
    if isinstance(subject, str):
        return fine(subject)
    if not os.path.exists(subject.path):
        return fine(f"nothing to preserve: {subject.shown} is new")
    if holds_nothing(subject, read_now(subject)):
        return fine(f"nothing to preserve: {subject.shown} holds no code of its own")
    tests = companions.tests_of(subject)
    if not tests:
        test = plain(companions.to_write(subject))
        return refused(
            settings,
            f"{subject.shown} has no characterization test.\n"
            f"Write {test} first, with tests that hold what {subject.shown} does now and pass; then change it.",
        )
    return passing(event, settings, subject, tests)


def passing(event: Happened, settings: Settings, subject: Subject, tests: list[str]) -> Said:
    from tenterhook.project.checks import checks
    from tenterhook.project.ledger import Ledger
    from tenterhook.project.run import run
    from tenterhook.project.verify import failures

    ledger = Ledger(event)
    results = run(checks([subject], settings, ("test",)), event.left(), ledger.cache())
    ledger.keep(results)
    note = "; ".join(result.line for result in results) or f"no command is known for {named(subject, tests)}"
    failed = [result for result in results if result.state == "fail"]
    if failed:
        head = f"{subject.shown} is not to be changed while its tests fail: make {named(subject, tests)} pass first."
        return refused(settings, limited([head, *failures(failed)]), note)
    unknown = [result for result in results if result.state in ("late", "none")]
    if unknown:
        lines = [f"Nobody knows whether the tests of {subject.shown} pass now:"]
        lines += [f"  {result.detail}" for result in unknown]
        return refused(settings, limited([*lines, "Run them yourself, or give [actions] a longer budget."]), note)
    return fine(note, message=note if results else "")


def refused(settings: Settings, reason: str, note: str = "") -> Said:
    return (ask if settings.missing_test == "ask" else deny)(reason, note=note)


def source(event: Happened) -> Subject | str:
    """The source file that is about to change; why there is nothing to check where there is none."""
    subject = written(event)
    if isinstance(subject, Subject) and subject.kind != "source":
        return f"nothing to check: {subject.shown} is no source file"
    if isinstance(subject, Subject) and not kinds.needs_test(subject.name):
        return f"nothing to check: {subject.shown} is no file that tests are written for"
    return subject


def holds_nothing(subject: Subject, text: str | None) -> bool:
    """A package's __init__.py or index that only gathers names has nothing to test."""
    stem = os.path.splitext(os.path.basename(subject.path))[0]
    if text is not None and stem == "index" and subject.language == "node":
        return not re.sub(GATHERED, "", text).strip()
    if text is None or stem != "__init__":
        return False
    return not any(line.lstrip().startswith(("def ", "async def ", "class ")) for line in text.splitlines())


def read_now(subject: Subject) -> str:
    from tenterhook.project.commands import read

    return read(subject.path)


def named(subject: Subject, tests: list[str]) -> str:
    return listed([os.path.relpath(path, subject.project) for path in tests], 3)
