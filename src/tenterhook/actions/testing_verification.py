"""After a change of a test: it asserts something, skips nothing, keeps no other test from running, and passes."""

from __future__ import annotations

from tenterhook.actions.said import Said
from tenterhook.project import verify
from tenterhook.project.asserting import problems
from tenterhook.project.commands import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    subject = verify.concerned(event, "test", ("test",))
    if isinstance(subject, Said):
        return subject
    found = problems(subject.path, read(subject.path))
    return verify.judged(
        subject, verify.checked(event, settings, subject, ("test",)), found, red="the test is not sound", proof=True
    )
