"""After a fix: the tests of the file pass, and nothing that helped to find the fault is left behind."""

from __future__ import annotations

from tenterhook.library.actions.said import Said
from tenterhook.library.project import verify
from tenterhook.library.project.debugging import left_behind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    subject = verify.resolve_checkable_file(event, "code", ("source", "test", "support"))
    if isinstance(subject, Said):
        return subject
    results = verify.run_affected_checks(event, settings, subject, ("test",))
    return verify.build_check_verdict(subject, results, left_behind(event), red="the fix is not finished", proof=True)
