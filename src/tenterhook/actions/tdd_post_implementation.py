"""After code was written: its tests pass (green). A new test that fails is what comes before that (red)."""

from __future__ import annotations

from tenterhook.actions.said import fine
from tenterhook.project import companions, verify
from tenterhook.project.wording import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings
    from tenterhook.project.subject import Subject


def run(event: Happened, settings: Settings) -> Said:
    subject = verify.concerned(event, "code")
    if isinstance(subject, str):
        return fine(subject)
    results = verify.checked(event, settings, subject, ("test",))
    if subject.kind == "test" and any(result.state == "fail" for result in results):
        note = f"red, as a test is before its code: {results[0].line}"
        return fine(note, message=note, context=f"{note}\n{following(subject)}")
    return verify.judged(subject, results, red="the tests are not green yet")


def following(subject: Subject) -> str:
    sources = [path[len(subject.project) + 1 :] for path in companions.sources_of(subject)]
    return f"Now write the code that makes it pass{f' ({listed(sources, 3)})' if sources else ''}, and no more."
