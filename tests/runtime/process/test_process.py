"""One real process. Limits are generous: they tell "at once" from "after the sleep of the child", nothing finer."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from processes import (
    ENV,
    in_a_host,
    linux,
    lives,
    open_files,
    program,
    run,
    sh,
    within,
)
from tenterhook.runtime.process import Program, loop

pytestmark = pytest.mark.usefixtures("both_ways")


@pytest.fixture(params=["pidfd", "polling"])
def each_way(request: pytest.FixtureRequest, both_ways: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With pidfds, and as on macOS and old kernels."""
    if request.param == "polling" and both_ways == "helper":
        pytest.skip("a helper that runs already has no use for pidfds of hooks")
    if request.param == "polling":
        monkeypatch.delattr(os, "pidfd_open", raising=False)


# What a hook says


@pytest.mark.usefixtures("each_way")
def test_exit_code_stdout_and_stderr_are_what_the_hook_gave() -> None:
    done = run(sh("cat; echo no >&2; exit 2", stdin=b'{"a": 1}'))

    assert (done.exit_code, done.stdout, done.stderr) == (2, b'{"a": 1}', b"no\n")
    assert (done.error, done.signal, done.truncated) == (None, None, False)
    assert 0 < done.seconds < 15


@pytest.mark.usefixtures("each_way")
def test_a_hook_killed_by_a_signal_has_no_exit_code() -> None:
    done = run(sh("kill -KILL $$"))

    assert (done.exit_code, done.signal, done.error) == (None, "SIGKILL", "signal")
    assert "SIGKILL" in done.detail


def test_working_directory_and_environment_are_as_given(tmp_path: Path) -> None:
    done = run(sh('pwd; echo "$COLOUR ${HOME-none}"', cwd=str(tmp_path), env={**ENV, "COLOUR": "red"}))

    assert done.stdout.decode().split("\n")[:2] == [str(tmp_path.resolve()), "red none"]


def test_the_hook_leads_its_own_session_and_has_no_other_files_open() -> None:
    kept = os.open("/", os.O_RDONLY)
    os.set_inheritable(kept, True)
    done = run(program(sys.executable, "-c", f"import os; print(os.getsid(0) == os.getpid()); os.fstat({kept})"))
    os.close(kept)

    assert done.stdout == b"True\n"
    assert b"Bad file descriptor" in done.stderr


# stdin


@pytest.mark.usefixtures("each_way")
@pytest.mark.parametrize("text", ["exit 3", "exec 0<&-; sleep 0.2; exit 3", "sleep 0.2; exit 3", "head -c 9; exit 3"])
def test_a_hook_need_not_read_ten_megabytes(text: str) -> None:
    done = run(sh(text, stdin=b"0123456789" * 1_000_000))

    assert (done.exit_code, done.error) == (3, None)
    assert done.seconds < 15


def test_ten_megabytes_arrive_whole_at_a_slow_reader() -> None:
    done = run(sh("sleep 0.2; wc -c", stdin=bytes(10_000_000)))

    assert int(done.stdout) == 10_000_000


def test_a_host_that_dies_of_sigpipe_does_not_die_of_a_hook_that_closes_stdin() -> None:
    text = "signal.signal(signal.SIGPIPE, signal.SIG_DFL); print(run(sh('exec 0<&-; sleep 0.2', stdin=bytes(10**6))))"

    assert "exit_code=0" in in_a_host(text)


# stdout and stderr


@pytest.mark.parametrize(("size", "cut"), [(0, False), (999, False), (1000, False), (1001, True), (300_000, True)])
def test_only_the_first_bytes_are_kept_and_the_rest_is_flagged(size: int, cut: bool) -> None:
    done = run(sh(f"head -c {size} /dev/zero >&2; exit 2", cap=1000))

    assert (len(done.stderr), done.truncated, done.exit_code) == (min(size, 1000), cut, 2)


@pytest.mark.parametrize("to", ["", ">&2"])
def test_a_flood_is_drained_without_being_kept(to: str) -> None:
    done = run(sh(f"head -c 300000000 /dev/zero {to}; exit 2"))

    assert (len(done.stdout + done.stderr), done.truncated, done.exit_code) == (1 << 20, True, 2)
    assert done.seconds < 19


def test_a_flood_is_drained_where_there_is_no_splice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "splice", raising=False)
    done = run(sh("head -c 5000000 /dev/zero; exit 2"))

    assert (len(done.stdout), done.truncated, done.exit_code) == (1 << 20, True, 2)


@pytest.mark.parametrize(
    ("size", "kept"),
    [
        (0, b""),
        (10, b"0123456789"),
        (15, b"012345678901234"),
        (16, b"012345678912345"),
        (3_000_000, b"012345678956789"),
    ],
)
def test_with_a_tail_the_last_bytes_are_kept_too(size: int, kept: bytes) -> None:
    done = run(sh(f"yes 0123456789 | tr -d '\\n' | head -c {size}", cap=10, tail=5))

    assert (done.stdout, done.truncated) == (kept, size > 15)


# What a hook leaves behind


@pytest.mark.usefixtures("each_way")
def test_the_answer_counts_although_a_child_holds_the_pipes_and_the_child_is_kept() -> None:
    done = run(sh("sleep 30 & echo $!; exit 2"))
    left = int(done.stdout)

    assert (done.exit_code, done.seconds < 15, lives(left)) == (2, True, True)
    os.kill(left, signal.SIGKILL)


def test_a_child_that_writes_for_ever_does_not_keep_us() -> None:
    done = run(sh("yes & echo $! >&2; exit 2"))

    assert (done.exit_code, done.seconds < 15) == (2, True)
    assert within(20, lambda: not lives(int(done.stderr)))  # its stdout has no reader any more


@linux
@pytest.mark.usefixtures("each_way")
def test_leftovers_are_ended_on_request_also_those_that_escaped() -> None:
    done = run(sh("sleep 30 & echo $!; setsid sleep 30 & echo $!; sleep 0.2; exit 2", leftovers="end"))

    assert (done.exit_code, done.error, done.seconds < 15) == (2, None, True)
    assert [lives(int(pid)) for pid in done.stdout.split()] == [False, False]


# Time


@pytest.mark.usefixtures("each_way")
def test_a_hook_that_ends_on_sigterm_is_not_waited_for_any_longer() -> None:
    done = run(sh("echo begun; exec sleep 30", timeout=0.3, grace=20.0))

    assert (done.error, done.signal, done.exit_code, done.stdout) == ("timeout", "SIGTERM", None, b"begun\n")
    assert 0.3 <= done.seconds < 15
    assert "0.3 s" in done.detail


@pytest.mark.usefixtures("each_way")
def test_a_hook_that_ignores_sigterm_is_killed_after_the_grace() -> None:
    done = run(sh("trap '' TERM; while :; do sleep 0.05; done", timeout=0.2, grace=0.3))

    assert (done.error, done.signal) == ("timeout", "SIGKILL")
    assert 0.5 <= done.seconds < 15


def test_a_hook_may_tidy_up_in_its_grace() -> None:
    done = run(sh("trap 'sleep 0.2; echo tidy; exit 4' TERM; sleep 30 & wait", timeout=0.3, grace=10.0))

    assert (done.error, done.exit_code, done.stdout) == ("timeout", 4, b"tidy\n")


@linux
@pytest.mark.parametrize(
    "escape",
    [
        "setsid sh -c 'echo $$; exec sleep 30' &",  # another group
        "(setsid sh -c 'echo $$; exec sleep 30' &);",  # and orphaned: found by its tag
        "setsid sh -c \"trap '' TERM; echo \\$\\$; sleep 30; sleep 30\" &",
        "setsid env -i /bin/sh -c 'echo $$; exec sleep 30' &",  # no tag: found by its parent
    ],
)
def test_a_timeout_ends_what_escaped_from_the_group(escape: str) -> None:
    done = run(sh(f"{escape} sleep 30; exit 0", timeout=0.5, grace=0.2))

    assert done.error == "timeout"
    assert [lives(int(pid)) for pid in done.stdout.split()] == [False]


@pytest.mark.usefixtures("own_way")
def test_without_proc_the_group_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "read_table", lambda *_: None)
    done = run(sh("trap '' TERM; sleep 30 & echo $!; sleep 30; sleep 30", timeout=0.3, grace=0.2))

    assert (done.error, done.signal) == ("timeout", "SIGKILL")
    assert within(20, lambda: not lives(int(done.stdout)))


# Starting


def file(path: Path, text: str, mode: int = 0o755) -> str:
    path.write_bytes(text.encode())
    path.chmod(mode)
    return str(path)


BAD: dict[str, tuple[Callable[[Path], Program], str]] = {
    "absent": (lambda p: program("/no/such/program"), "no such file"),
    "not in PATH": (lambda p: program("no-such-program"), "not found in PATH"),
    "empty": (lambda p: program(), "empty"),
    "directory": (lambda p: program(str(p)), "is a directory"),
    "not executable": (lambda p: program(file(p / "x", "#!/bin/sh\n", 0o644)), "chmod +x"),
    "bad interpreter": (lambda p: program(file(p / "x", "#!/no/sh -e\n")), "interpreter /no/sh in its #! line"),
    "CRLF": (lambda p: program(file(p / "x", "#!/bin/sh\r\nexit 0\r\n")), r"sed -i 's/\r$//'"),
    "no #! line": (lambda p: program(file(p / "x", "exit 0\n")), "has no #! line"),
    "cwd gone": (lambda p: sh("exit 0", cwd=str(p / "gone")), "working directory"),
    "NUL in argv": (lambda p: sh("exit\0"), "argument 2 holds a NUL byte"),
    "NUL in env": (lambda p: sh("exit", env={**ENV, "A": "\0"}), "environment variable A holds a NUL byte"),
    "= in env": (lambda p: sh("exit", env={**ENV, "A=B": "x"}), "cannot be started"),
    "too long": (lambda p: sh("exit", env={**ENV, "A": "x" * 9_000_000}), "too long"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_started_is_a_value_with_one_clear_line(name: str, tmp_path: Path) -> None:
    make, expected = BAD[name]
    before = open_files()
    done = run(make(tmp_path))

    assert (done.error, done.exit_code, open_files()) == ("spawn", None, before)
    assert expected in done.detail
    assert "\n" not in done.detail


@pytest.mark.usefixtures("own_way")
@pytest.mark.parametrize("code", [errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE])
def test_a_system_without_room_is_a_value(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(subprocess.Popen, "__init__", full)

    assert run(sh("exit 0")).error == "spawn"


def test_too_many_open_files_is_a_value_and_a_batch_waits_for_room() -> None:
    text = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))
print([done.exit_code for done in run_all([sh("sleep 0.1; exit 2")] * 12)] == [2] * 12)
held = []
try:
    while True: held.append(os.open("/", os.O_RDONLY))
except OSError: pass
done = run(sh("exit 0"))
print(done.error, "too many open files" in done.detail)
"""
    assert in_a_host(text) == "True\nspawn True\n"
