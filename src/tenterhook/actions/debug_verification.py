"""After a fix: the tests of the file pass, and nothing that helped to find the fault is left behind."""

from __future__ import annotations

from tenterhook.actions.said import Said
from tenterhook.project import verify
from tenterhook.project.debugging import left_behind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    subject = verify.concerned(event, "code", ("source", "test", "support"))
    if isinstance(subject, Said):
        return subject
    results = verify.checked(event, settings, subject, ("test",))
    return verify.judged(subject, results, left_behind(event), red="the fix is not finished", proof=True)
