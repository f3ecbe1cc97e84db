"""After code was written: its tests pass (green). A new test that fails is what comes before that (red)."""

from __future__ import annotations

from tenterhook.library.actions.said import Said, fine
from tenterhook.library.project import verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.happened import Happened
    from tenterhook.library.actions.settings import Settings


def run(event: Happened, settings: Settings) -> Said:
    subject = verify.resolve_checkable_file(event, "code")
    if isinstance(subject, Said):
        return subject
    results = verify.run_affected_checks(event, settings, subject, ("test",))
    note = verify.red_first(subject, results)
    if note:
        return fine(note, message=note, context=f"{note}\n{verify.following(subject)}")
    return verify.build_check_verdict(subject, results, red="the tests are not green yet", proof=True)
