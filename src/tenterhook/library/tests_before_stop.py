"""Do not let a turn end while the tests of the changed code fail.

When the agent wants to end its turn, the hook runs the tests of the changed code with the project's own runner: the
tests that belong to each file that differs from the last commit. It does not run again what passed and has not changed
since. While tests fail, it refuses the end and shows the model the first failures, but only so often in a row: every
turn ends.

Options:
    command: a command of your own that runs the tests; {files} stands for the tests concerned
    seconds: how long the tests may take; keep it below the agent's own limit for a hook
    times: how often in a row to refuse the end
    unfinished: what to do if the tests do not finish in time: deny, warn or allow

What it cannot stop:
- An agent that gives up: after `times` refusals it ends with failing tests, and the user is told.
- Code without tests, and tests that test nothing: no test fails there. If all tests of a file are skipped or expected
  to fail, that counts as a failure.
- Changes that are committed before the turn ends, in a project without a `command` of its own.
- A user who ends the turn: no agent calls its hooks for that.
- In an agent that lets no hook refuse the end of a turn, the hook only reports the failures.
"""

from __future__ import annotations

from tenterhook import hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author import Answer, Event
    from tenterhook.library.actions.settings import ActionSettings
    from tenterhook.library.parts.timed import TimedEvent
    from tenterhook.library.project.checks import Check
    from tenterhook.library.project.run import Result

NAME = "tests-before-stop"


@hook("turn.stop", name=NAME)
def green_before_stop(
    event: Event, command: str = "", seconds: float = 50.0, times: int = 2, unfinished: str = "warn"
) -> Answer | None:
    from tenterhook.library.parts import working
    from tenterhook.library.parts.decisions import one_of, positive
    from tenterhook.library.parts.timed import TimedEvent

    one_of("unfinished", unfinished, ("deny", "warn", "allow"))
    positive("times", times)
    time = TimedEvent(event, positive("seconds", seconds))
    from tenterhook.library.project.ledger import Ledger
    from tenterhook.library.project.run import run

    due = collect_due_tests(time, working.settings(test=command))
    if not due:
        return None
    ledger = Ledger(time)
    results = run(due, time.left(), ledger.cache())
    ledger.keep(results)
    return build_stop_answer(event, results, times, unfinished)


def collect_due_tests(time: TimedEvent, settings: ActionSettings) -> list[Check]:
    """The tests of changed code that has not passed yet; all tests if it is not known what changed."""
    from tenterhook.library.project import commands
    from tenterhook.library.project.changed import repository
    from tenterhook.library.project.checks import Check, checks
    from tenterhook.library.project.report import Standing

    if settings.commands and not repository(time.project):
        return [
            Check(commands.load_configured_commands(time.project, settings)["test"], time.project, ["the project"], [])
        ]
    standing = Standing(time)
    due = [one for one in standing.code() if standing.states.get(("test", one.name)) != "pass"]
    return checks(due, settings, ("test",), cwd=time.cwd) if due else []


def build_stop_answer(event: Event, results: list[Result], times: int, unfinished: str) -> Answer | None:
    from tenterhook.library.parts.decisions import answer
    from tenterhook.library.parts.kept import Kept
    from tenterhook.library.project.verify import failures
    from tenterhook.library.project.wording import truncate_lines

    failed = [one for one in results if one.state in ("fail", "skipped")]
    late = [one.line for one in results if one.state == "late"]
    store = Kept(event, NAME)
    if not failed and not (late and unfinished == "deny"):
        store.add({"refused": 0})
        missed = [*late, *(one.line for one in results if one.state == "absent")]
        return answer(unfinished, f"{NAME}: {'; '.join(missed)}") if missed else None
    before = store.lines()
    already = int(before[-1].get("refused", 0)) if before else 0
    reason = truncate_lines([f"{NAME}: not done yet:", *failures(failed), *late])
    if already >= times:
        store.add({"refused": 0})
        return hook.notify(f"{reason}\nThe turn ends all the same: it was refused {already} times.")
    store.add({"refused": already + 1})
    return hook.deny(reason)
