"""A server from its start to its end: who may use it, how many at once, and what happens when somebody goes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

import tenterhook
from conftest import Project

from .served import LONG, Raw, Served, alive, gone, until

FUNCTION = '[[hook]]\non = "tool.before"\ntype = "python"\nfunction = "guard.answer"\n'
SLOW = '[[hook]]\non = "tool.before"\nmatch = "Slow"\ncommand = "echo $$ > pid; exec sleep 600"\n'
EVENT = b'{"tool_name": "Slow"}'
Begin = Callable[[], tuple[subprocess.Popen[bytes], int]]


@pytest.fixture
def slow(served: Served) -> Iterator[Begin]:
    """Commands whose hook runs, and would run for long; each with the hook's process."""
    served.project.write("tenterhook.toml", SLOW)
    served.start()
    children = []

    def begun() -> tuple[subprocess.Popen[bytes], int]:
        (served.project.root / "pid").unlink(missing_ok=True)
        child = served.popen("fire", "tool.before", "--trust")
        children.append(child)
        assert child.stdin
        child.stdin.write(EVENT)
        child.stdin.close()
        child.stdin = None
        hook = hook_of(served)
        assert alive(hook)
        return child, hook

    yield begun
    for child in children:
        if child.poll() is None:
            child.kill()
        child.communicate(timeout=LONG)


def hook_of(served: Served) -> int:
    """The process of the hook, when it runs."""
    place = served.project.root / "pid"
    return int(until(lambda: place.exists() and place.read_text().strip(), "the hook runs"))


def test_when_the_client_is_ended_so_are_its_hooks(slow: Begin, served: Served) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL):
        child, hook = slow()
        child.send_signal(number)

        assert child.wait(LONG) == (-9 if number == signal.SIGKILL else 128 + number)
        until(partial(gone, hook), "the hook is gone")
    assert served.fire("Other", "--trust")["attempts"] == []


def test_who_was_greeted_and_not_heard_when_the_server_ends_is_served_by_himself(served: Served) -> None:
    served.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "echo ran >> ran"\n')
    server = served.start()
    os.kill(server.pid, signal.SIGSTOP)
    child = served.popen("fire", "tool.before", "--trust")
    assert child.stdin
    child.stdin.write(EVENT)
    child.stdin.close()
    child.stdin = None
    time.sleep(0.5)
    os.kill(server.pid, signal.SIGTERM)
    os.kill(server.pid, signal.SIGCONT)
    out, said = child.communicate(timeout=LONG)

    assert (child.returncode, b"was ended" in said) == (0, False), said
    assert json.loads(out)["attempts"][0]["exit_code"] == 0
    assert (served.project.root / "ran").read_text() == "ran\n"


def test_a_killed_worker_takes_its_hooks_along_and_the_event_is_said_to_be_lost(slow: Begin, served: Served) -> None:
    child, hook = slow()
    [worker] = served.workers()
    os.kill(worker, signal.SIGKILL)
    out, said = child.communicate(timeout=LONG)

    assert (child.returncode, out) == (1, b"")
    assert b"the result is unknown" in said
    until(partial(gone, hook), "the hook is gone")
    assert served.fire("Other", "--trust")["attempts"] == []


def test_what_cannot_be_checked_any_more_is_refused(served: Served) -> None:
    """The fork waits for stdin when it is killed."""
    served.start()
    child = served.popen("hook", "pre-tool")
    worker = until(served.workers)[0]
    path = Path(f"/proc/{worker}/task/{worker}/children")
    os.kill(int(until(lambda: path.read_text().split(), "the fork runs")[0]), signal.SIGKILL)
    out, said = child.communicate(timeout=LONG)

    assert child.returncode == 2
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert b"cannot be checked" in said


def test_a_server_that_is_ended_serves_those_who_are_there(served: Served) -> None:
    served.project.write(
        "tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "touch began; cat go; echo done"\n'
    )
    os.mkfifo(served.project.root / "go")
    server = served.start()
    child = served.popen("fire", "tool.before", "--trust")
    assert child.stdin
    child.stdin.close()
    child.stdin = None
    until(lambda: served.project.has("began"))
    worker = served.workers()[0]
    assert served.run("serve", "--stop").returncode == 0
    assert server.wait(LONG) == 0
    (served.project.root / "go").write_text("on\n")
    out, _ = child.communicate(timeout=LONG)

    assert json.loads(out)["attempts"][0]["stdout"] == "on\ndone\n"
    until(partial(gone, worker), "the worker ends")


def test_what_a_hook_leaves_running_outlives_worker_and_server(served: Served) -> None:
    command = "sleep 600 > /dev/null 2>&1 & echo $! > left"
    entry = f'[[hook]]\non = "tool.before"\ncommand = "{command}"\nleftovers = "keep"\n'
    served.project.write("tenterhook.toml", entry)
    served.start()
    served.fire("Bash", "--trust")
    left, worker = int(served.project.read("left")), served.workers()[0]
    try:
        served.run("serve", "--stop")
        until(partial(gone, worker), "the worker ends")
        assert alive(left)
    finally:
        os.kill(left, signal.SIGKILL)


def test_two_hundred_clients_at_once_each_get_their_own_answer(raw: Raw, project: Project, served: Served) -> None:
    """More than may be served at once, while a slow one is served."""
    project.write("tenterhook.toml", f"{FUNCTION}match = 'Quick'\n{SLOW}")
    project.write(
        "guard.py",
        "def answer(event):\n    print('p' * 100)\n"
        "    return {'decision': 'deny', 'reason': event['tool_input']['n']}\n",
    )
    first = threading.Thread(target=raw.ask, args=("tool.before", "--trust"), kwargs={"stdin": EVENT}, daemon=True)
    first.start()
    hook = hook_of(served)
    found: dict[int, str] = {}

    def ask(n: int) -> None:
        stdin = json.dumps({"tool_name": "Quick", "tool_input": {"n": f"mine is {n}"}}).encode()
        found[n] = json.loads(raw.ask("tool.before", "--trust", stdin=stdin)[1][1:])["reason"]

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)

    assert found == {n: f"mine is {n}" for n in range(200)}
    assert alive(hook)
    os.kill(hook, signal.SIGKILL)
    first.join(LONG)


def test_whoever_finds_the_worker_busy_does_it_himself(served: Served) -> None:
    """One at a time, and that one waits for a pipe that nobody opens."""
    project = served.project
    project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\nmatch = "Slow"\ncommand = "touch began; cat go"\n')
    os.mkfifo(project.root / "go")
    served.start("--parallel", "1")
    child = served.popen("fire", "tool.before", "--trust")
    assert child.stdin
    child.stdin.write(EVENT)
    child.stdin.close()
    child.stdin = None
    until(lambda: project.has("began"))

    assert served.fire("Other", "--trust")["skipped"][0]["why"] == "matcher"
    (project.root / "go").write_text("on\n")
    out, _ = child.communicate(timeout=LONG)
    assert json.loads(out)["attempts"][0]["stdout"] == "on\n"
    assert served.requests() == 1


def test_without_the_key_nothing_is_heard(raw: Raw, served: Served) -> None:
    raw.ask("tool.before", stdin=b"{}")
    before = served.requests()

    assert raw.ask("tool.before", stdin=b"{}", key=bytes(32)) == (b"", b"")
    wire = raw.connected(raw.server)
    assert wire
    with wire:
        wire.sendall(b"x" * 5000)
        assert raw.received(wire, 1) == b""
    assert served.requests() == before


def test_somebody_who_says_nothing_is_in_nobodys_way(raw: Raw, served: Served) -> None:
    silent = [raw.connected(raw.server) for _ in range(3)]

    assert raw.ask("tool.before", stdin=b"{}")[0] == b"X"
    for wire in silent:
        assert wire
        wire.close()


def test_one_server_for_each_user(served: Served) -> None:
    server = served.start()
    second = served.run("serve")

    assert second.returncode == 1
    assert f"a server is already running in {served.folder} ({server.pid})".encode() in second.stderr
    assert served.status()["pid"] == server.pid


def test_in_the_background_with_status_and_stop(served: Served) -> None:
    assert served.run("serve", "--status").returncode == 1
    assert served.run("serve", "--stop").stderr == b"tenter: no server is running; start one with: tenter serve\n"
    assert served.run("serve", "--detach", "--idle", "60").returncode == 0
    served.fire("Bash")
    shown = served.run("serve", "--status").stdout.decode()
    assert str(served.project.root) in shown
    assert served.environ["HOME"] not in shown
    pid = served.status()["pid"]
    assert served.run("serve", "--detach").returncode == 1
    assert served.run("serve", "--stop").returncode == 0
    until(partial(gone, pid))

    assert not served.status()["running"]


def test_it_ends_when_nobody_comes(served: Served) -> None:
    server = served.start("--idle", "0.3")
    served.fire("Bash")

    assert server.wait(LONG) == 0
    assert sorted(os.listdir(served.folder)) == ["lock"]


def test_a_server_that_was_killed_leaves_nothing_in_the_way(served: Served) -> None:
    server = served.start()
    served.fire("Bash")
    server.kill()
    server.wait(LONG)
    assert served.fire("Bash")["attempts"] == []
    served.start()
    served.fire("Bash")

    assert served.requests() == 1


@pytest.mark.parametrize("fault", ["mode", "link", "file", "owner"])
def test_a_folder_that_is_not_ours_alone_is_neither_used_nor_made_a_server_in(served: Served, fault: str) -> None:
    elsewhere = served.runtime / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    if fault == "link":
        served.folder.symlink_to(elsewhere)
    elif fault == "file":
        served.folder.write_text("")
    else:
        served.folder.mkdir(mode=0o700)
    if fault == "mode":
        served.folder.chmod(0o750)
    if fault == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(served.folder, 65534, 65534)
    refused = served.run("serve")

    assert refused.returncode == 1
    assert f"{served.folder}: ".encode() in refused.stderr
    assert b"that only you can access" in refused.stderr
    assert served.fire("Bash")["attempts"] == []


def test_a_path_that_is_too_long_for_a_socket_is_not(project: Project, tmp_path: Path) -> None:
    runtime = tmp_path / ("long" * 30)
    served = Served(project, runtime)
    try:
        served.start()
        served.fire("Bash")
        assert served.requests() == 1
    finally:
        served.close()


def test_without_a_runtime_folder_it_is_in_the_state_folder(served: Served) -> None:
    served.environ.pop("XDG_RUNTIME_DIR")
    served.start()
    served.fire("Bash")

    assert served.requests() == 1
    assert served.status()["folder"] == str(served.runtime.parent / "state/tenterhook/serve")


def test_another_interpreter_or_version_is_another_servers(served: Served, tmp_path: Path) -> None:
    """And a server whose own files were replaced ends."""
    copy = tmp_path / "copy"
    source = Path(tenterhook.__file__).parent
    shutil.copytree(source, copy / "tenterhook", ignore=shutil.ignore_patterns("__pycache__"))
    environ = {**served.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    server = served.start(environ=environ)
    served.fire("Bash")
    served.fire("Bash", environ={"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONWARNINGS": "ignore"})
    assert served.requests() == 0
    served.fire("Bash", environ={"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"})
    assert served.requests() == 1
    changed = copy / "tenterhook" / "pipeline" / "merge.py"
    changed.write_text(changed.read_text() + "\n")

    assert server.wait(LONG) == 0


def test_the_client_imports_next_to_nothing(served: Served) -> None:
    """The interpreter's start is all of its cost; and without a server, one look."""
    command = [sys.executable, "-X", "importtime", "-m", "tenterhook", "fire", "tool.before"]
    served.start()
    done = subprocess.run(command, input=b"{}", capture_output=True, env=served.environ, cwd="/", timeout=LONG)
    lines = (line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines())
    loaded = {line for line in lines if line}

    assert served.requests() == 1
    ours = {name for name in loaded if name.startswith("tenterhook")}
    assert ours <= {
        *("tenterhook", "tenterhook.version", "tenterhook.cli", "tenterhook.cli.main"),
        *("tenterhook.support", "tenterhook.support.paths"),
        *("tenterhook.cli.server", "tenterhook.cli.server.client"),
    }
    assert not loaded & {"socket", "struct", "json", "msgspec", "select", "signal", "threading", "typing", "re"}


def test_bad_words_are_said_to_be_bad(served: Served) -> None:
    found = [served.run("serve", *words) for words in (["--idle", "soon"], ["--parallel", "0.5"], ["--json"])]

    assert [done.returncode for done in found] == [1, 1, 1]
    said = (b"--idle must be a number", b"--parallel must be a whole number", b"--json can only be used with --status")
    assert all(words in done.stderr for words, done in zip(said, found, strict=True))


def test_an_ordinary_user_has_one_too(served: Served) -> None:
    if os.geteuid() != 0:
        pytest.skip("whoever runs this is one")
    nobody: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": [], "cwd": "/", "capture_output": True}
    homes = {str(Path(module.__file__ or "").parents[1]) for module in (tenterhook, msgspec, yaml)}
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": ":".join(sorted(homes)), "PYTHONDONTWRITEBYTECODE": "1"}
    python = next((one for one in (sys.executable, "/usr/bin/python3") if can_run(one, environ, nobody)), "")
    if not python:
        pytest.skip("no Python here that an ordinary user may run with this package")
    place = Path("/tmp", f"tenterhook-{os.getpid()}-{time.time_ns()}")
    place.mkdir(mode=0o700)
    os.chown(place, 65534, 65534)
    environ |= {"HOME": str(place), "XDG_RUNTIME_DIR": str(place)}

    def run(*words: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
        command = [python, "-m", "tenterhook", *words]
        return subprocess.run(command, env=environ, input=b"{}", timeout=LONG, **{**nobody, **options})

    try:
        assert run("serve", "--detach").returncode == 0
        assert run("fire", "tool.before").returncode == 0
        # Root may open everything, and asks nobody but a server of its own.
        assert run("fire", "tool.before", user=0, group=0).returncode == 0
        assert json.loads(run("serve", "--status", "--json").stdout)["requests"] == 1
    finally:
        run("serve", "--stop")
        shutil.rmtree(place)


def can_run(python: str, environ: dict[str, str], nobody: dict[str, Any]) -> bool:
    try:
        done = subprocess.run(
            [python, "-c", "import msgspec, yaml, tenterhook.cli.commands.fire"], env=environ, **nobody
        )
    except OSError:
        return False
    return done.returncode == 0
