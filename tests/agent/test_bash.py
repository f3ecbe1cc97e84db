"""Commands in the project's folder: what is told of them, and that nothing of them outlives a time-out."""

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from processes import lives
from tenterhook.agent.tools.bash import definition
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.hosts.result import ToolResult

Bash = Callable[..., Awaitable[ToolResult]]


@pytest.fixture
def bash(project: Any) -> Bash:
    function: Bash = definition(Workspace(project.root)).function
    return function


def run(call: Awaitable[ToolResult]) -> str:
    """What is told of a command. One that failed says so, and no other."""

    async def main() -> ToolResult:
        return await call

    result = asyncio.run(main())
    text = str(result.llm_content)
    last = text.rpartition("\n")[2]
    failed = last.startswith(("[exit code", "[ended by", "[it is not known"))
    assert (result.error is not None) == failed, text
    return text


def pid_in(path: Path) -> int:
    end = time.monotonic() + 10
    while not (path.exists() and path.read_text().strip()) and time.monotonic() < end:
        time.sleep(0.01)
    return int(path.read_text())


# ---- what is told


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("echo hallo", "hallo"),
        ("printf 'a\\n\\nb\\n\\n'", "a\n\nb"),
        ("printf '  indented'", "  indented"),
        ("echo out; echo err >&2", "out\n[stderr]\nerr"),
        ("echo err >&2", "err"),
        ("echo out; exit 3", "out\n[exit code 3]"),
        ("echo no >&2; false", "no\n[exit code 1]"),
        ("exit 7", "[exit code 7]"),
        ("true", "[no output, exit code 0]"),
        ("kill -KILL $$", "[ended by SIGKILL]"),
        ("no-such-program-here 2>/dev/null", "[exit code 127]"),
        ("printf 'gr\\303\\274n \\377'", "grün \ufffd"),
        ("[[ abc == a* ]] && echo ${BASH_VERSION:+bash}", "bash"),
    ],
)
def test_the_output_and_the_end_of_a_command_are_told(bash: Bash, command: str, told: str) -> None:
    assert run(bash(command)) == told


def test_a_command_runs_in_the_project_with_the_workspaces_environment(project: Any) -> None:
    environ = {"PATH": os.environ["PATH"], "MARK": "of the test"}
    bash = definition(Workspace(project.root, environ=environ)).function

    assert run(bash('pwd -P; echo "$MARK${HOME-, no home}"')) == f"{project.root.resolve()}\nof the test, no home"


def test_nobody_answers_a_question(bash: Bash) -> None:
    assert run(bash("read -r answer || echo nobody; cat", timeout=10)) == "nobody"


def test_of_a_long_output_the_beginning_and_the_end_are_kept_with_a_visible_cut(bash: Bash) -> None:
    told = run(bash("echo first; seq 100000; echo last"))

    assert told.startswith("first\n1\n2\n")
    assert told.endswith("99999\n100000\nlast")
    assert "[... the middle is left out ...]" in told
    assert len(told) < 33_000


def test_of_a_flood_the_end_is_kept_too(bash: Bash) -> None:
    told = run(bash("yes | head -c 50000000; echo last; echo end >&2; exit 4", timeout=60))

    assert len(told) < 33_000
    assert "[... the middle is left out ...]" in told
    assert told.endswith("y\nlast\n[stderr]\nend\n[exit code 4]")


@pytest.mark.parametrize(
    ("input", "words"),
    [
        ({"command": ""}, "command is empty"),
        ({"command": " \n"}, "command is empty"),
        ({"command": "echo a\0b"}, "NUL"),
        ({"command": "true", "timeout": 0}, "in seconds"),
        ({"command": "true", "timeout": -1}, "in seconds"),
        ({"command": "true", "timeout": 600_001}, "at most 600"),
        ({"command": "true", "timeout": float("nan")}, "in seconds"),
        ({"command": "x" * 5_000_000}, "could not be started"),
    ],
)
def test_what_cannot_be_run_is_said(bash: Bash, input: dict[str, Any], words: str) -> None:
    with pytest.raises(WorkspaceError, match=words):
        run(bash(**input))


def test_a_project_that_is_gone_is_said(project: Any, bash: Bash) -> None:
    project.root.rmdir()

    with pytest.raises(WorkspaceError, match="could not be started: the working directory"):
        run(bash("true"))


# ---- time-outs


def test_a_time_out_binds_and_what_was_said_so_far_counts(bash: Bash) -> None:
    began = time.monotonic()
    told = run(bash("echo before; sleep 30; echo after", timeout=0.3))

    assert told == "before\n[ended by the time-out after 0.3 seconds, with everything it had started]"
    assert time.monotonic() - began < 10


def test_a_child_that_ignores_sigterm_is_ended_too(project: Any, bash: Bash) -> None:
    stubborn = "trap '' TERM; (trap '' TERM; echo $BASHPID > child; while :; do sleep 0.1; done) & wait"
    began = time.monotonic()
    told = run(bash(stubborn, timeout=0.5))

    assert "time-out" in told
    assert time.monotonic() - began < 20
    assert not lives(pid_in(project.root / "child"))


def test_a_child_that_left_the_group_is_ended_too(project: Any, bash: Bash) -> None:
    run(bash("setsid sh -c 'echo $$ > child; sleep 60' & sleep 60", timeout=0.7))

    assert not lives(pid_in(project.root / "child"))


def test_a_background_child_does_not_keep_the_call_waiting_and_goes_on(project: Any, bash: Bash) -> None:
    began = time.monotonic()
    told = run(bash("sleep 60 & echo $! > child; echo started", timeout=30))
    pid = pid_in(project.root / "child")

    assert told == "started"
    assert time.monotonic() - began < 15
    assert lives(pid)
    os.kill(pid, signal.SIGKILL)


# ---- cancellation


def test_a_cancelled_command_ends_with_all_it_started_before_the_caller_goes_on(project: Any, bash: Bash) -> None:
    async def main() -> None:
        task = asyncio.ensure_future(bash("(trap '' TERM; echo $BASHPID > child; sleep 60 & wait) & wait"))
        while not (project.root / "child").exists():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not lives(pid_in(project.root / "child"))

    asyncio.run(main())


def test_several_commands_run_at_once_and_on_several_loops(bash: Bash) -> None:
    async def main() -> list[ToolResult]:
        return await asyncio.gather(*(bash(f"sleep 0.5; echo {number}") for number in range(8)))

    began = time.monotonic()

    assert [one.llm_content for one in asyncio.run(main())] == [str(number) for number in range(8)]
    assert time.monotonic() - began < 3.5
    assert run(bash("echo once more")) == "once more"


def test_a_time_out_that_can_only_be_milliseconds_is_taken_for_such(bash: Bash) -> None:
    """As Claude Code counts it."""
    assert run(bash("sleep 30", timeout=601)).startswith("[ended by the time-out after 0.601 seconds")
