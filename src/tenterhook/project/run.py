"""Run checks at once, within the time that is left, and say what came of each."""

from __future__ import annotations

import contextlib
import os
import sys
import time

from tenterhook.project import failures
from tenterhook.project.wording import counted, plain, seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.process import Completed, Program
    from tenterhook.project.checks import Check
    from tenterhook.supervisor.client import Helper

# What is left for ending children that did not finish, and for writing the answer.
SPARE, GRACE = 0.6, 0.1
CAP = 1 << 18
NONE_RAN = 5  # pytest's exit code, and unittest's since 3.12, where no test was found
NOT_FOUND = 127  # a shell's, where a script's program is not there


class Result:
    """`state` is pass, fail, late, absent (not installed) or none (no test in there).

    It speaks of files as they were when it `began`: what is written while a check runs may not have been checked.
    """

    __slots__ = ("about", "began", "detail", "first", "kind", "of", "seconds", "shown", "state", "tests", "tool")

    def __init__(self, check: Check, state: str, *, seconds: float = 0.0, tests: int = 0, detail: str = "") -> None:
        self.kind, self.tool, self.shown = check.kind, check.tool, check.shown
        self.of, self.about = check.of, check.about
        self.state, self.seconds, self.tests, self.detail = state, seconds, tests, detail
        self.first: list[str] = []
        self.began = time.time()

    @property
    def line(self) -> str:
        """What was done, in a part of a line."""
        if self.state in ("late", "absent", "none"):
            return self.detail
        if self.kind != "test":
            return f"{self.tool}: {'clean' if self.state == 'pass' else f'problems in {self.about}'}"
        what = f"{counted(self.tests, 'test')}" if self.tests else "the tests"
        end = "all pass" if self.state == "pass" else "not all pass"
        return f"ran {what} of {self.about} in {seconds(self.seconds)}: {end}"


def run(checks: list[Check], left: float, cache: str) -> list[Result]:
    """All of them at once, none longer than what is left. `cache` is a folder for what tools keep; empty for none."""
    from tenterhook.process import run_all

    limit = left - SPARE
    ready = [check for check in checks if not check.absent and limit > 0]
    began = time.time()
    with ended_with_us():
        programs = [program(check, limit, cache) for check in ready]
        done = dict(zip(ready, run_all(programs, helper=helper()), strict=True))
    results = [result(check, done.get(check), left) for check in checks]
    for one in results:
        one.began = began
    return results


def helper() -> Helper | None:
    """Whoever kills us, and be it by SIGKILL, ends what we run, too."""
    if sys.platform != "linux":
        return None
    from tenterhook.supervisor import client

    return client.helper("fork")


@contextlib.contextmanager
def ended_with_us() -> Iterator[None]:
    """An agent that waits no longer sends SIGTERM to us alone; as an exception it ends what we run, too."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():  # only there can it be said what a signal does
        yield
        return
    before = signal.signal(signal.SIGTERM, give_up)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before or signal.SIG_DFL)


def give_up(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def program(check: Check, limit: float, cache: str) -> Program:
    from tenterhook.process import Program

    env = environment(check, cache)
    return Program(tuple(check.words), b"", env, check.folder, limit, GRACE, CAP, leftovers="end", tail=CAP)


def environment(check: Check, cache: str) -> dict[str, str]:
    """No colours, no prompts, no caches in the project; and no hooks inside of what a hook runs.

    What stands beside the program, such as the other tools of its environment, is found first.
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


def result(check: Check, done: Completed | None, left: float) -> Result:
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
    tests = failures.count(check.tool, output) if check.kind == "test" else 0
    if done.exit_code == NONE_RAN and check.tool in ("pytest", "unittest"):
        return Result(check, "none", detail=f"no test ran for {check.about}: {check.shown}")
    made = Result(check, "fail" if done.exit_code else "pass", seconds=done.seconds, tests=tests)
    if done.exit_code is None:  # ended by a signal that was not ours
        made.state = "fail"
        output += f"\n{done.signal or done.error or 'ended'}: {done.detail}"
    if made.state == "fail":
        made.first = [plain(line) for line in failures.first(check.tool, output)]
    return made
