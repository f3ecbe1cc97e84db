"""What hooks start does not outlive their host, whatever ends it; and does not get away from their end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from processes import ENV, LINUX, lives, within
from tenterhook.runtime.process import Program, Reactor, run
from tenterhook.runtime.supervisor.client import Helper, helper

pytestmark = pytest.mark.skipif(not LINUX, reason="there is a supervisor on Linux only")

# A child, one of another session, an orphan, and an orphan without our mark. Each says its number.
SHAPES = """
sleep 60 & echo $!
setsid sh -c 'echo $$; exec sleep 60' &
(setsid sh -c 'echo $$; exec sleep 60' &)
(setsid env -i /bin/sh -c 'echo $$; exec sleep 60' &)
"""


def sh(text: str, **options: object) -> Program:
    usual = {"stdin": b"", "env": ENV, "cwd": "/", "timeout": 60.0}
    return Program(("/bin/sh", "-c", text), **{**usual, **options})  # type: ignore[arg-type]


@pytest.fixture
def supervisor() -> Helper:
    return helper("auto")


def numbers(file: Path, count: int) -> list[int]:
    """Of the processes that say so in a file."""
    assert within(30, lambda: file.exists() and len(file.read_text().split()) >= count)
    return [int(word) for word in file.read_text().split()]


def test_a_hook_that_stops_its_spawner_ends_in_time_with_what_it_started(tmp_path: Path, supervisor: Helper) -> None:
    script = f"(setsid sh -c 'echo $$ > {tmp_path}/pids; exec sleep 60' &); sleep 0.3; kill -STOP $PPID; sleep 60"
    found = run(sh(script, timeout=1.0, grace=0.2), supervisor)

    assert found.error == "timeout"
    assert within(10, lambda: not any(map(lives, numbers(tmp_path / "pids", 1))))


# The host's end

HOST = """
import os, sys, time
from tenterhook import Engine
engine = Engine(sys.argv[1], dialect="tenterhook", trust="all", home=sys.argv[1], environ=dict(os.environ),
                sandbox="off", journal=False)
engine.fire("tool.before", tool_name="Bash", tool_input={})
print("fired", flush=True)
time.sleep(60)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A hook that starts all shapes and then waits, or not, as the file `wait` says."""
    script = f"exec >> {tmp_path}/pids\n{SHAPES}\nif [ -e {tmp_path}/wait ]; then sleep 60; fi\nsleep 0.3\n"
    (tmp_path / "hook.sh").write_text(script)
    (tmp_path / "wait").write_text("")
    (tmp_path / "tenterhook.toml").write_text(
        f'[[hook]]\non = "tool.before"\ncommand = ["/bin/sh", "{tmp_path}/hook.sh"]\ntimeout = 60\nleftovers = "keep"\n'
    )
    return tmp_path


@pytest.fixture
def host(project: Path) -> Iterator[subprocess.Popen[bytes]]:
    made = subprocess.Popen([sys.executable, "-c", HOST, str(project)], env=ENV, stdout=subprocess.PIPE)
    yield made
    made.kill()
    made.communicate()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGABRT])
def test_nothing_survives_a_host_that_dies_by_a_signal(
    number: int, host: subprocess.Popen[bytes], project: Path
) -> None:
    pids = numbers(project / "pids", 4)
    assert all(map(lives, pids))
    host.send_signal(number)

    assert host.wait(30) == -number
    assert within(20, lambda: not any(map(lives, pids)))


def test_what_a_hook_leaves_running_goes_on_until_the_host_ends(host: subprocess.Popen[bytes], project: Path) -> None:
    (project / "wait").unlink()
    assert host.stdout is not None
    assert host.stdout.readline() == b"fired\n"
    pids = numbers(project / "pids", 4)
    time.sleep(0.3)

    assert all(map(lives, pids))
    host.kill()
    assert within(20, lambda: not any(map(lives, pids)))


FIRE = (sys.executable, "-m", "tenterhook.cli.main", "fire", "tool.before", "--trust", "--json")


def test_a_command_that_ends_by_itself_lets_go_what_hooks_left_running(project: Path) -> None:
    (project / "wait").unlink()
    env = {**ENV, "HOME": str(project)}
    done = subprocess.run(FIRE, cwd=project, env=env, input=b"{}", stdout=subprocess.PIPE, timeout=60, check=False)
    pids = numbers(project / "pids", 4)
    time.sleep(0.5)

    assert done.returncode == 0
    assert all(map(lives, pids))
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_nothing_survives_a_command_that_is_ended_by_a_signal(number: int, project: Path) -> None:
    env = {**ENV, "HOME": str(project)}
    command = subprocess.Popen(
        FIRE, cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    pids = numbers(project / "pids", 4)
    command.send_signal(number)
    command.communicate(timeout=60)

    assert command.returncode != 0
    assert within(20, lambda: not any(map(lives, pids)))


# The hook's end

ESCAPES = {
    "ignores SIGTERM": "trap '' TERM; echo $$; sleep 60; sleep 60",
    "a child": "sleep 60 & echo $!; sleep 60",
    "another session": "setsid sh -c 'echo $$; exec sleep 60' & sleep 60",
    "an orphan": "(setsid sh -c 'echo $$; exec sleep 60' &); sleep 60",
    "an orphan that ignores SIGTERM": "(setsid sh -c 'trap \"\" TERM; echo $$; sleep 60; sleep 60' &); sleep 60",
    "an orphan without our mark": "(setsid env -i /bin/sh -c 'echo $$; exec sleep 60' &); sleep 60",
}


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_timeout_ends_everything(escape: str, supervisor: Helper) -> None:
    done = run(sh(ESCAPES[escape], timeout=0.5, grace=0.2), supervisor)

    assert done.error == "timeout"
    assert done.stdout.split()
    assert not any(lives(int(pid)) for pid in done.stdout.split())


@pytest.mark.parametrize("escape", ESCAPES)
def test_leftovers_are_ended_on_request(escape: str, supervisor: Helper) -> None:
    text = f"({ESCAPES[escape]}) & sleep 0.5"
    done = run(sh(text, leftovers="end"), supervisor)

    assert (done.exit_code, done.error) == (0, None)
    assert done.stdout.split()
    assert not any(lives(int(pid)) for pid in done.stdout.split())


@pytest.mark.parametrize("escape", ESCAPES)
def test_a_cancellation_ends_everything(escape: str, supervisor: Helper, tmp_path: Path) -> None:
    reactor, got = Reactor(helper=supervisor), []
    ticket = reactor.submit(sh(f"exec > {tmp_path}/pid; {ESCAPES[escape]}", timeout=60.0, grace=40.0), got.append)
    (pid,) = numbers(tmp_path / "pid", 1)
    ticket.cancel()

    assert within(20, lambda: bool(got))
    assert got[0].error == "cancelled"
    assert within(20, lambda: not lives(pid))
    reactor.close()


def test_one_hooks_end_is_not_anothers(supervisor: Helper, tmp_path: Path) -> None:
    """Both leave an orphan without our mark. The two ran at the same time, so the helper cannot tell whose it is: the
    orphans stay until the host ends.
    """
    reactor, got = Reactor(helper=supervisor), []
    both_run = f"until [ -e {tmp_path}/one ] && [ -e {tmp_path}/other ]; do sleep 0.02; done"
    shape = f"{both_run}; (setsid env -i /bin/sh -c 'echo $$ >> {tmp_path}/loose; exec sleep 60' &); sleep 60 & echo $!"
    one = reactor.submit(sh(f"exec > {tmp_path}/one; {shape}; sleep 60"), got.append)
    reactor.submit(sh(f"exec > {tmp_path}/other; {shape}; sleep 60"), got.append)
    ((first,), (second,)) = numbers(tmp_path / "one", 1), numbers(tmp_path / "other", 1)
    loose = numbers(tmp_path / "loose", 2)
    one.cancel()
    assert within(20, lambda: len(got) == 1)

    assert (lives(first), lives(second)) == (False, True)
    assert all(map(lives, loose))
    reactor.close()
    assert not lives(second)
    for pid in loose:
        os.kill(pid, signal.SIGKILL)
