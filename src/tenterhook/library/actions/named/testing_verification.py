"""After a change of a test: it asserts something, skips nothing, keeps no other test from running, and passes."""

from __future__ import annotations

from tenterhook.library.actions.said import Said
from tenterhook.library.project import verify
from tenterhook.library.project.commands import read
from tenterhook.library.project.tests.assertions import problems

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    subject = verify.resolve_checkable_file(event, "test", ("test",))
    if isinstance(subject, Said):
        return subject
    found = problems(subject.path, read(subject.path))
    return verify.build_check_verdict(
        subject,
        verify.run_affected_checks(event, settings, subject, ("test",)),
        found,
        red="the test is not sound",
        proof=True,
    )
