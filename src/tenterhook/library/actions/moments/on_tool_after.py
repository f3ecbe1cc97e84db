"""After any change: linter, types and tests of code, the syntax of configuration, the links of documents."""

from __future__ import annotations

from tenterhook.library.actions.said import fine
from tenterhook.library.project import verify
from tenterhook.library.project.subject import resolve_written_subject
from tenterhook.library.project.wording import truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.said import Said
    from tenterhook.library.actions.settings import Settings
    from tenterhook.library.project.run import Result
    from tenterhook.library.project.subject import Subject


# What can be run; anything else is only read.
CODE = ("source", "test", "declaration", "style", "support")


def run(event: Happened, settings: Settings) -> Said:
    subject = resolve_written_subject(event)
    if isinstance(subject, str):
        return fine(subject)
    if subject.kind in CODE:
        return verify.deny_unparsable_file(event, subject) or looked_at(
            subject, verify.run_affected_checks(event, settings, subject)
        )
    from tenterhook.library.project.sound import Configs, Documents, after

    return after(event, Documents if subject.kind == "docs" else Configs)


def looked_at(subject: Subject, results: list[Result]) -> Said:
    """A test may be red because its code comes next, so it is only told; all else that is red is refused."""
    note = verify.red_first(subject, results)
    others = [result for result in results if result.kind != "test"]
    if not note or any(result.state == "fail" for result in others):
        return verify.build_check_verdict(subject, results)
    failed = [result for result in results if result.state == "fail"]
    told = [note, *verify.failures(failed), "If its code is there already, mend whichever of the two is wrong."]
    return fine("; ".join((note, *(result.line for result in others))), message=note, context=truncate_lines(told))
