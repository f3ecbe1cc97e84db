"""After a tool: check the file that it wrote, and tell the model what is wrong."""

from __future__ import annotations

from tenterhook.library.actions.answers import ActionAnswer, fine
from tenterhook.library.project.subject import resolve_written_subject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent
    from tenterhook.library.project.run import Result
    from tenterhook.library.project.subject import Subject

# Kinds of files with checks that run; any other file is only read.
CODE = ("source", "test", "declaration", "style", "support")


def tool_after(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Run linter, types and tests of code; check the syntax of configuration and the links of documents."""
    from tenterhook.library.project import sound, verify

    subject = resolve_written_subject(event)
    if isinstance(subject, str):
        return fine(subject)
    if subject.kind not in CODE:
        return sound.after(event, settings, "Documents" if subject.kind == "docs" else "Configs")
    unparsable = verify.deny_unparsable_file(event, subject)
    return unparsable or judge_results(subject, verify.run_affected_checks(event, settings, subject))


def judge_results(subject: Subject, results: list[Result]) -> ActionAnswer:
    """Tell the result. A red test may come before its code, so it is only mentioned; any other failure is refused."""
    from tenterhook.library.project import verify
    from tenterhook.library.project.wording import truncate_lines

    note = verify.red_first(subject, results)
    others = [result for result in results if result.kind != "test"]
    if not note or any(result.state == "fail" for result in others):
        return verify.build_check_verdict(subject, results)
    failed = [result for result in results if result.state == "fail"]
    lines = [note, *verify.failures(failed), "If its code is there already, mend whichever of the two is wrong."]
    return fine("; ".join((note, *(result.line for result in others))), message=note, context=truncate_lines(lines))


def tdd_post_implementation(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """Check that the tests of the code pass (green). A new test that fails comes before that (red)."""
    from tenterhook.library.project import verify

    subject = verify.resolve_checkable_file(event, "code")
    if isinstance(subject, ActionAnswer):
        return subject
    results = verify.run_affected_checks(event, settings, subject, ("test",))
    note = verify.red_first(subject, results)
    if note:
        return fine(note, message=note, context=f"{note}\n{verify.following(subject)}")
    return verify.build_check_verdict(subject, results, red="the tests are not green yet", proof=True)


def testing_verification(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """A changed test asserts something, skips nothing, keeps no other test from running, and passes."""
    from tenterhook.library.project import verify
    from tenterhook.library.project.commands import read
    from tenterhook.library.project.tests.assertions import problems

    subject = verify.resolve_checkable_file(event, "test", ("test",))
    if isinstance(subject, ActionAnswer):
        return subject
    found = problems(subject.path, read(subject.path))
    results = verify.run_affected_checks(event, settings, subject, ("test",))
    return verify.build_check_verdict(subject, results, found, red="the test is not sound", proof=True)


def debug_verification(event: TimedEvent, settings: ActionSettings) -> ActionAnswer:
    """The tests pass, and no debugging code is left behind."""
    from tenterhook.library.project import verify
    from tenterhook.library.project.debugging import left_behind

    subject = verify.resolve_checkable_file(event, "code", ("source", "test", "support"))
    if isinstance(subject, ActionAnswer):
        return subject
    results = verify.run_affected_checks(event, settings, subject, ("test",))
    return verify.build_check_verdict(subject, results, left_behind(event), red="the fix is not finished", proof=True)
