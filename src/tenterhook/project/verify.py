"""After a change: run what it touches, keep what came of it, and tell the first failures."""

from __future__ import annotations

from tenterhook.actions.said import Said, deny, fine
from tenterhook.project import kinds
from tenterhook.project.checks import ALL, CODE, checks
from tenterhook.project.ledger import Ledger
from tenterhook.project.run import Result, run
from tenterhook.project.subject import Subject, written
from tenterhook.project.wording import limited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.actions.happened import Happened
    from tenterhook.actions.settings import Settings

RAN = ("pass", "fail")


def after(
    event: Happened,
    settings: Settings,
    wanted: tuple[str, ...] = ALL,
    *,
    what: str = "code",
    of: tuple[str, ...] = CODE,
    suffixes: frozenset[str] = frozenset(),
    red: str = "",
) -> Said:
    """What most actions do after a change of a file that concerns them: of these kinds and, if given, suffixes."""
    subject = concerned(event, what, of, suffixes)
    if isinstance(subject, str):
        return fine(subject)
    return judged(subject, checked(event, settings, subject, wanted), red=red)


def concerned(
    event: Happened, what: str, of: tuple[str, ...] = CODE, suffixes: frozenset[str] = frozenset()
) -> Subject | str:
    """The changed file; why there is nothing to check where it is of another kind."""
    subject = written(event)
    if isinstance(subject, str):
        return subject
    if subject.kind not in of or (suffixes and kinds.suffix_of(subject.path) not in suffixes):
        return f"nothing to check: {subject.shown} is no {what}"
    return subject


def checked(event: Happened, settings: Settings, subject: Subject, wanted: tuple[str, ...] = ALL) -> list[Result]:
    """What came of the checks that the change touches; kept for the report at the end."""
    ledger = Ledger(event)
    results = run(checks([subject], settings, wanted), event.left(), ledger.cache())
    ledger.keep(results, subject.name)
    return results


def judged(subject: Subject, results: list[Result], problems: list[str] | None = None, *, red: str = "") -> Said:
    """Feedback where something is red; else what was done, for the user too where something ran."""
    lines = [result.line for result in results]
    if subject.kind == "source" and not any(result.kind == "test" for result in results):
        lines.append(f"no test of {subject.shown} was found")
    note = "; ".join(lines) or f"nothing to check: no command is known for {subject.shown}"
    failed = [result for result in results if result.state == "fail"]
    if failed or problems:
        head = f"{subject.shown}: {red or 'the change leaves something red'}"
        return deny(limited([head, *(f"  {one}" for one in problems or []), *failures(failed)]), note=note)
    late = [result.detail for result in results if result.state == "late"]
    message = note if late or any(result.state in RAN for result in results) else ""
    return fine(note, message=message, context="\n".join(f"Run it yourself; it {line}" for line in late))


def failures(failed: list[Result]) -> list[str]:
    """Each failed check with its first lines and the command that shows the rest."""
    share = max(3, 14 // max(1, len(failed)))
    lines: list[str] = []
    for result in failed:
        lines.append(f"{result.line} (see: {result.shown})")
        lines += [f"  {line}" for line in result.first[:share]]
    return lines
