"""After a change: run the checks that it affects, keep their results, and report the first failures."""

from __future__ import annotations

from tenterhook.library.actions.answers import ActionAnswer, deny, fine
from tenterhook.library.project import kinds
from tenterhook.library.project.checks import ALL, CODE, checks
from tenterhook.library.project.commands import read
from tenterhook.library.project.ledger import Ledger
from tenterhook.library.project.run import Result, run
from tenterhook.library.project.subject import Subject, resolve_written_subject
from tenterhook.library.project.wording import format_name_list, truncate_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent

RAN = ("pass", "fail")
# The kinds of files with checks, if their suffix says to which side they belong.
OF_SIDE = (*CODE, "declaration", "style")


def after(
    event: TimedEvent,
    settings: ActionSettings,
    wanted: tuple[str, ...] = ALL,
    *,
    side: str = "",
    red: str = "",
    proof: bool = False,
) -> ActionAnswer:
    """The usual work of an action after a change of code; `side` is backend or frontend, if only files of it count."""
    subject = resolve_checkable_file(event, f"{side} file" if side else "code", OF_SIDE if side else CODE, side)
    if isinstance(subject, ActionAnswer):
        return subject
    return build_check_verdict(subject, run_affected_checks(event, settings, subject, wanted), red=red, proof=proof)


def resolve_checkable_file(
    event: TimedEvent, what: str, of: tuple[str, ...] = CODE, side: str = ""
) -> Subject | ActionAnswer:
    """The changed file; the answer if it does not parse, or is of another kind."""
    subject = resolve_written_subject(event)
    if isinstance(subject, str):
        return fine(subject)
    problem = deny_unparsable_file(event, subject)
    if problem:
        return problem
    if subject.kind not in of or (side and kinds.suffix_of(subject.path) not in kinds.SIDES[side]):
        return fine(f"nothing to check: {subject.shown} is not a {what}")
    return subject


def deny_unparsable_file(event: TimedEvent, subject: Subject) -> ActionAnswer | None:
    """The refusal of a file that does not parse. Nothing is run then: everything would fail for that reason."""
    from tenterhook.library.project.parsing import unparsable

    wrong = unparsable([subject], event.left()).get(subject.name)
    if wrong:
        Ledger(event).keep([], subject.name)
    return deny(f"{subject.shown} does not parse: {wrong}\nCorrect it; nothing was run.") if wrong else None


def run_affected_checks(
    event: TimedEvent, settings: ActionSettings, subject: Subject, wanted: tuple[str, ...] = ALL, *, done: bool = True
) -> list[Result]:
    """Run the checks that the change affects, if it is `done`; the results are kept for the report at the end."""
    event.settle()
    ledger = Ledger(event)
    results = run(checks([subject], settings, wanted, cwd=event.cwd), event.left(), ledger.cache())
    ledger.keep(results, subject.name if done else "")
    return results


def build_check_verdict(
    subject: Subject, results: list[Result], problems: list[str] | None = None, *, red: str = "", proof: bool = False
) -> ActionAnswer:
    """Feedback if something is red; else what was done, also for the user if something ran.

    With `proof`, tests that exist but do not run are red too.
    """
    lines = [result.line for result in results]
    if subject.kind == "source" and not any(result.kind == "test" for result in results):
        lines.append(f"no test of {subject.shown} was found")
    note = "; ".join(lines) or f"nothing to check: no command is known for {subject.shown}"
    unproven = [result for result in results if is_unproven(subject, result.state)]
    failed = [result for result in results if result.state == "fail" or (proof and result in unproven)]
    if failed or problems:
        if not problems and all(result in unproven for result in failed):
            red = "its tests are there, and show nothing: none of them ran and could fail"
        head = f"{subject.shown}: {red or 'the change leaves something red'}"
        return deny(truncate_lines([head, *(f"  {one}" for one in problems or []), *failures(failed)]), note=note)
    late = [result.detail for result in results if result.state == "late"]
    message = note if late or unproven or any(result.state in RAN for result in results) else ""
    context = [*(f"Run it yourself; it {line}" for line in late), *(one.detail for one in unproven)]
    return fine(note, message=message, context="\n".join(context))


def is_unproven(subject: Subject, state: str) -> bool:
    """Whether a file has tests that prove nothing. A file among tests may also be a helper."""
    from tenterhook.library.project.tests.assertions import holds_test

    if state != "none" or subject.kind == "source":
        return state in ("none", "skipped")
    return holds_test(subject.path, read(subject.path))


def red_first(subject: Subject, results: list[Result]) -> str:
    """The text for a test that fails, as a new one does before its code exists; empty if none fails."""
    failed = [result for result in results if result.kind == "test" and result.state == "fail"]
    return f"red, as a test is before its code: {failed[0].line}" if failed and subject.kind == "test" else ""


def following(subject: Subject) -> str:
    from tenterhook.library.project.tests import companions

    sources = [path[len(subject.project) + 1 :] for path in companions.sources_of(subject)]
    return (
        f"Now write the code that makes it pass{f' ({format_name_list(sources, 3)})' if sources else ''}, and no more."
    )


def failures(failed: list[Result]) -> list[str]:
    """Each failed check with its first lines and the command that shows the rest."""
    share = max(3, 14 // max(1, len(failed)))
    lines: list[str] = []
    for result in failed:
        lines.append(f"{result.line} (see: {result.shown})" if result.shown not in result.line else result.line)
        lines += [f"  {line}" for line in result.first[:share]]
    return lines
