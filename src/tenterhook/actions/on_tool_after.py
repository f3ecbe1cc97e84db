"""After any change: linter, types and tests of code, the syntax of configuration, the links of documents."""

from __future__ import annotations

from tenterhook.actions.said import fine
from tenterhook.project import checks, verify
from tenterhook.project.subject import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.said import Said
    from tenterhook.actions.settings import Settings


# What can be run; anything else is only read.
CODE = ("source", "test", "declaration", "style", "support")


def run(event: Happened, settings: Settings) -> Said:
    subject = written(event)
    if isinstance(subject, str):
        return fine(subject)
    if subject.kind in CODE:
        return verify.judged(subject, verify.checked(event, settings, subject, checks.ALL))
    from tenterhook.project.sound import Configs, Documents, after

    return after(event, Documents if subject.kind == "docs" else Configs)
