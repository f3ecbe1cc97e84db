"""Run checks at once, within the time that is left, and return their results."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from tenterhook.library.project import failures
from tenterhook.library.project.commands import REPORT
from tenterhook.library.project.wording import count_with_noun, plain, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.library.project.checks import Check
    from tenterhook.runtime.process import Completed, Program
    from tenterhook.runtime.supervisor.client import Helper

# Time for ending children that did not finish, and for writing the answer.
SPARE, GRACE = 0.6, 0.1
CAP = 1 << 18
NONE_RAN = 5  # exit code of pytest, and of unittest since 3.12, if no test was found
NOT_FOUND = 127  # exit code of a shell if a script's program does not exist


class Result:
    """The result of a check. `state` is pass, fail, late, absent (not installed), skipped (every test was set aside) or
    none (no test ran, or none that could fail).

    It is about the files as they were when it `began`: text that was written during a check may be unchecked.
    """

    __slots__ = (
        *("about", "aside", "began", "detail", "first", "kind", "of", "seconds", "shown", "state", "tests", "tool"),
    )

    def __init__(self, check: Check, state: str, *, seconds: float = 0.0, tests: int = 0, detail: str = "") -> None:
        self.kind, self.tool, self.shown = check.kind, check.tool, check.shown
        self.of, self.about = check.of, check.about
        self.state, self.seconds, self.tests, self.detail = state, seconds, tests, detail
        self.aside = 0
        self.first: list[str] = []
        self.began = time.time()

    @property
    def line(self) -> str:
        """What was done, as a part of a line."""
        if self.state not in ("pass", "fail"):
            return self.detail
        if self.kind != "test":
            return f"{self.tool}: {'clean' if self.state == 'pass' else f'problems in {self.about}'}"
        what = f"{count_with_noun(self.tests, 'test')}" if self.tests else "the tests"
        ran = f"ran {what} of {self.about} in {seconds(self.seconds)}"
        if self.state == "fail":
            return f"{ran}: not all pass"
        if not self.tests:
            return f"{ran}: exit code 0, and no word of how many ran"
        aside = f"they pass, {self.aside} set aside (skipped, or expected to fail)"
        return f"{ran}: {aside if self.aside else 'all pass'}"


def run(checks: list[Check], left: float, cache: str) -> list[Result]:
    """Run all checks at once, none longer than the time left. `cache` is a folder for tools' caches; empty for none."""
    from tenterhook.runtime.process import run_all

    limit = left - SPARE
    ready = [check for check in checks if not check.absent and limit > 0]
    began = time.time()
    with ended_with_us(), reports(ready) as files:
        programs = [program(check, limit, cache, files.get(check, "")) for check in ready]
        done = dict(zip(ready, run_all(programs, helper=helper()), strict=True))
        results = [result(check, done.get(check), left, files.get(check, "")) for check in checks]
    for one in results:
        one.began = began
    return results


@contextlib.contextmanager
def reports(checks: list[Check]) -> Iterator[dict[Check, str]]:
    """A report file for each check that writes one, in a folder that is deleted afterwards.

    A name that is not printable cannot be in a report: then the run's output is read.
    """
    wanted = [check for check in checks if REPORT in "".join(check.words) and "".join(check.words).isprintable()]
    if not wanted:
        yield {}
        return
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="tenter-", ignore_cleanup_errors=True) as folder:
        yield {check: os.path.join(folder, str(number)) for number, check in enumerate(wanted)}


def helper() -> Helper | None:
    """The helper that starts checks: if we are killed, even by SIGKILL, it ends them."""
    if sys.platform != "linux":
        return None
    from tenterhook.runtime.supervisor import client

    return client.helper("fork")


@contextlib.contextmanager
def ended_with_us() -> Iterator[None]:
    """Turn SIGTERM into an exception: an agent that gives up sends it to us alone, and we must end the checks, too."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():  # handlers can only be set there
        yield
        return
    before = signal.signal(signal.SIGTERM, give_up)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def give_up(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def program(check: Check, limit: float, cache: str, report: str) -> Program:
    from tenterhook.runtime.process import Program

    env = environment(check, cache)
    words = tuple(word.replace(REPORT, report) for word in check.words if report or REPORT not in word)
    return Program(words, b"", env, check.folder, limit, GRACE, CAP, leftovers="end", tail=CAP)


def environment(check: Check, cache: str) -> dict[str, str]:
    """The environment of a check: no colours, prompts, caches in the project, or hooks inside of a hook's run.

    Programs beside the one that runs, such as other tools of its environment, are found first.
    """
    env = dict(os.environ)
    beside = os.path.dirname(check.words[0])
    if os.path.isabs(beside):
        env["PATH"] = os.pathsep.join(filter(None, (beside, env.get("PATH"))))
    env.pop("FORCE_COLOR", None)
    env.setdefault("TENTERHOOK_DEPTH", "1")
    quiet = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "PY_COLORS": "0", "CARGO_TERM_COLOR": "never", "CI": "1"}
    caches = {"MYPY_CACHE_DIR": os.path.join(cache, "mypy") if cache else os.devnull, "RUFF_NO_CACHE": "true"}
    return {**env, **quiet, **caches, "npm_config_update_notifier": "false"}


def result(check: Check, done: Completed | None, left: float, report: str) -> Result:
    if check.absent:
        return Result(check, "absent", detail=check.absent)
    if done is None or done.error == "timeout":
        return Result(check, "late", detail=f"did not finish within {seconds(left)}: {check.shown}")
    if done.error == "spawn" or done.exit_code == NOT_FOUND:
        why = done.detail or f"not everything is installed for {check.shown}"
        return Result(check, "absent", detail=f"{why}: not run")
    output = "\n".join(part.decode("utf-8", "replace") for part in (done.stdout, done.stderr))
    missing = f"No module named {check.tool}"
    if done.exit_code == 1 and done.stderr.decode("utf-8", "replace").rstrip().endswith(missing):
        return Result(check, "absent", detail=f"{check.tool} is not installed for {plain(check.words[0])}: not run")
    made = Result(check, "fail" if done.exit_code else "pass", seconds=done.seconds)
    if done.exit_code is None:  # a signal that we did not send
        made.state = "fail"
        output += f"\n{done.signal or done.error or 'ended'}: {done.detail}"
    if check.kind == "test":
        weigh(made, check, done.exit_code, tally(check, output, report))
    if made.state == "fail":
        made.first = [plain(line) for line in failures.first(check.tool, output)]
    return made


def tally(check: Check, output: str, report: str) -> failures.Tally | None:
    """The numbers from the tool's report, if it writes one; the report does not contain what tests print.

    A test that passed unexpectedly looks like any other in the report: only the printed summary tells.
    """
    printed = failures.tally(check.tool, output, check.folder)
    if not report:
        return printed
    from tenterhook.library.project.commands import read

    found = failures.parse_junit_report(read(report))
    if found and printed and printed.passed < found.passed:
        found.aside += found.passed - printed.passed
        found.passed = printed.passed
    return found


def weigh(made: Result, check: Check, code: int | None, counts: failures.Tally | None) -> None:
    """Tests pass if some ran and none failed. An exit code alone is enough only if the tool's output is unknown."""
    if counts:
        made.tests, made.aside = counts.passed + counts.failed, counts.aside
        if counts.failed:
            made.state = "fail"
    none_found = code == NONE_RAN and check.tool in ("pytest", "unittest")
    cut_short = counts is None and check.ours and check.tool in failures.SURE
    if none_found or (made.state == "pass" and (cut_short or (counts and not made.tests))):
        made.state = "skipped" if made.aside else "none"
        why = f"all {made.aside} of them are set aside (skipped, or expected to fail)" if made.aside else ""
        if cut_short and not none_found:
            why = "the run ended before its tests did"
        made.detail = f"no test ran for {check.about}{f', {why}' if why else ''}: {check.shown}"
    if made.state == "pass" and are_idle(check.files):
        made.state = "none"
        made.detail = f"the tests of {check.about} assert nothing that could be false: {check.shown}"


def are_idle(tests: list[str]) -> bool:
    """Whether no code could make these tests fail, so that passing proves nothing."""
    from tenterhook.library.project.commands import read
    from tenterhook.library.project.tests.assertions import is_idle

    return bool(tests) and all(is_idle(path, read(path)) for path in tests)
