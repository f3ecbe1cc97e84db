"""After any change: linter, types and tests of code, the syntax of configuration, the links of documents."""

from __future__ import annotations

from tenterhook.actions.said import fine
from tenterhook.project import verify
from tenterhook.project.subject import written
from tenterhook.project.wording import limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings
    from tenterhook.project.run import Result
    from tenterhook.project.subject import Subject


# What can be run; anything else is only read.
CODE = ("source", "test", "declaration", "style", "support")


def run(event: Happened, settings: Settings) -> Said:
    subject = written(event)
    if isinstance(subject, str):
        return fine(subject)
    if subject.kind in CODE:
        return verify.broken(event, subject) or looked_at(subject, verify.checked(event, settings, subject))
    from tenterhook.project.sound import Configs, Documents, after

    return after(event, Documents if subject.kind == "docs" else Configs)


def looked_at(subject: Subject, results: list[Result]) -> Said:
    """A test may be red because its code comes next, so it is only told; all else that is red is refused."""
    note = verify.red_first(subject, results)
    others = [result for result in results if result.kind != "test"]
    if not note or any(result.state == "fail" for result in others):
        return verify.judged(subject, results)
    failed = [result for result in results if result.state == "fail"]
    told = [note, *verify.failures(failed), "If its code is there already, mend whichever of the two is wrong."]
    return fine("; ".join((note, *(result.line for result in others))), message=note, context=limited(told))
