"""The author's path on Windows and macOS, as far as Linux can pretend to be one: see pretend.py."""

import json
import os
import sys
import time

import pytest

from systems import first_steps
from tenterhook.runtime.process import Program, threads
from tenterhook.runtime.process.slots import ProcessSemaphore

SYSTEMS = ("", "windows", "macos")


@pytest.mark.parametrize("step", first_steps.STEPS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda one: one or "here")
def test_the_first_steps_work(system, step, tmp_path):
    step(first_steps.Project(tmp_path, system))


@pytest.mark.parametrize("system", SYSTEMS[1:])
def test_a_hook_is_not_confined_there_and_that_is_said(system, tmp_path):
    project = first_steps.Project(tmp_path, system)
    project.call("install", "guard.py", "--agent", "claude", "--yes")
    fired = json.loads(project.call("fire", "tool.before", "--trust", given={"tool_name": "shell", "tool_input": {}}))

    (attempt,) = fired["attempts"]
    assert attempt["sandbox"] == "none"
    assert "there is no sandbox for" in attempt["notes"][0]


# ---- programs that threads wait for


def run_in_threads(*programs: Program) -> tuple[list[threads.Completed], float]:
    began = time.monotonic()
    batch = threads.ThreadBatch(2)
    batch.reactor.semaphore = ProcessSemaphore(2)
    for program in programs:
        batch.add(program)
    return batch.wait(), time.monotonic() - began


@pytest.fixture
def only_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("select.poll")


def program(code: str, timeout: float | None = 20.0, stdin: bytes = b"", **more: object) -> Program:
    return Program((sys.executable, "-c", code), stdin, dict(os.environ), os.getcwd(), timeout, **more)  # type: ignore[arg-type]


@pytest.mark.usefixtures("only_threads")
def test_threads_give_each_program_its_input_and_keep_its_output_status_and_errors():
    code = "import sys; print(sys.stdin.read() * 2); print('no', file=sys.stderr); sys.exit(3)"
    missing = Program(("no-such-program",), b"", dict(os.environ), os.getcwd(), 5.0)

    (first, second, third), _ = run_in_threads(
        program(code, stdin=b"hi"), program("print('x' * 3_000_000)", cap=1000), missing
    )

    assert (first.exit_code, first.stdout.strip(), first.stderr.strip()) == (3, b"hihi", b"no")
    assert (len(second.stdout), second.truncated, second.exit_code) == (1000, True, 0)
    assert (third.error, third.exit_code) == ("spawn", None)


@pytest.mark.usefixtures("only_threads")
def test_a_late_program_is_ended_and_a_child_that_holds_its_pipe_delays_nothing():
    keeps = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(8)']); print(1)"

    (late, kept), seconds = run_in_threads(program("import time; time.sleep(60)", timeout=0.5), program(keeps))

    assert (late.error, "no answer within 0.5 s" in late.detail) == ("timeout", True)
    assert (kept.error, kept.stdout.strip()) == (None, b"1")
    assert seconds < 6


@pytest.mark.usefixtures("only_threads")
def test_what_is_cancelled_ends_whether_it_runs_or_waits_for_its_turn():
    ended: list[threads.Completed] = []
    reactor = threads.ThreadReactor(1)
    sleeps = program("import time; time.sleep(60)")
    running, waiting = (reactor.submit(sleeps, ended.append) for _ in range(2))
    while running.child is None or not running.child.started:
        time.sleep(0.01)

    waiting.cancel()
    running.cancel()

    give_up = time.monotonic() + 10
    while len(ended) < 2 and time.monotonic() < give_up:
        time.sleep(0.01)
    assert [one.error for one in ended] == ["cancelled", "cancelled"]
    with pytest.raises(RuntimeError):
        reactor.close() or reactor.submit(sleeps, ended.append)
