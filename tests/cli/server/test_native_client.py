"""The native client does what the Python client does; where it has a doubt, it executes the Python command."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conftest import Project
from tenterhook.cli import main
from tenterhook.cli.server import client, start_record

from .native import SOURCE, Behaviour, NativeServed, compile_client, frame, hear_request
from .served import LONG, Done, alive, gone, plain, until
from .test_same import CONFIG, GUARD, ODD, call, hooks

EVENT = ("fire", "tool.before", "--trust")
MIB = 1 << 20


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if sys.platform != "linux" or shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("this needs Linux and a C compiler")
    program = tmp_path_factory.mktemp("native") / "tenter-client"
    compile_client(program)
    return program


@pytest.fixture
def native(project: Project, tmp_path: Path, compiled: Path) -> Iterator[NativeServed]:
    made = NativeServed(project, tmp_path / "run", compiled)
    project.write("tenterhook.toml", CONFIG)
    project.write("guard.py", GUARD)
    project.write("input.json", call("Stop").decode())
    project.script("deny", "cat > given.json\necho refused >&2\nexit 2\n")
    yield made
    made.close()


@pytest.fixture
def ended(native: NativeServed) -> NativeServed:
    """A server was there, and its record is left."""
    server = native.begin()
    server.send_signal(signal.SIGTERM)
    server.wait(LONG)
    return native


def python(native: NativeServed, *words: str | bytes, **options: Any) -> Done:
    """The Python client's answer to the same call."""
    other = native.program
    native.program = [str(native.python)]
    try:
        return native.run(*words, **options)
    finally:
        native.program = other


def test_its_constants_are_those_of_python() -> None:
    text = SOURCE.read_text()
    defined = dict(re.findall(r"^#define (\w+) (.+?)(?: /\*.*)?$", text, re.MULTILINE))
    tables = {name: re.findall(r'"(.*?)"', words) for name, words in re.findall(r"(\w+)\[\] = \{(.*?)\};", text)}

    numbers = {name: getattr(client, name) for name in ("KEY", "DIGEST", "LENGTH", "PATIENCE", "ENDING", "TRIES")}
    assert {name: float(defined[name]) for name in numbers} == numbers
    assert (defined["HEAD"], client.HEAD) == ("(KEY + DIGEST + 3 * LENGTH)", client.KEY + client.DIGEST + 24)
    assert (defined["FRAME"], client.FRAME) == ("(1 + LENGTH)", 1 + client.LENGTH)
    kinds = {name: defined[name].strip("'").encode() for name in ("HELLO", "NOT_HERE", "AGAIN", "STDERR", "END")}
    assert kinds == {name: getattr(client, name) for name in kinds}
    texts = {name: defined[name].strip('"') for name in ("SWITCH", "NATIVE", "ALONE", "DIED", "FORMAT", "PREFIX")}
    assert texts == {name: getattr(client, name, None) or getattr(start_record, name) for name in texts}
    for name in ("OFF", "FLAGS", "NAMESPACES"):
        assert tuple(tables[name]) == getattr(client, name)
    assert (defined["LARGEST"], defined["RECORD"]) == ("((size_t)64 << 20)", "((size_t)1 << 15)")
    assert (client.LARGEST, start_record.LARGEST) == (64 << 20, 1 << 15)
    commands = dict(re.findall(r'\{"(\w+)", (SENDS_STDIN|PASSES_STREAMS), \w+\}', text))
    assert commands.keys() >= {*main.SERVED}
    assert [name for name, use in commands.items() if use == "PASSES_STREAMS"] == ["hook"]


def test_every_call_comes_to_the_same_without_python(native: NativeServed) -> None:
    """Also bytes that are no text, and what a worker shares with the Python client."""
    native.begin()
    fires = [(*EVENT[:2], *words) for words in ((), ("--require-trusted",), ("--tust",), ("--project", "absent"))]
    fires += [(*EVENT, "--input", "input.json"), (*EVENT, "--session", b"\xff", ""), ("fire",), ("fire", "tool.befor")]
    calls = [(words, call("Deny"), {}) for words in fires]
    calls += [(EVENT, call(tool), {}) for tool in ("Deny", "Stop", "Function", "World", "Other")]
    calls += [(EVENT, stdin, {}) for stdin in (b"", b'{"tool_name": ', b'{"tool_name": "World", "note": "\xff"}')]
    calls += [(EVENT, call("Deny"), {"TENTERHOOK_OFF": "1"}), *hooks()]
    expected = [plain(python(native, *words, stdin=stdin, environ=more)) for words, stdin, more in calls]
    native.executed()
    before = native.requests()
    native.executed()
    for (words, stdin, more), answer in zip(calls, expected, strict=True):
        assert plain(native.run(*words, stdin=stdin, environ=more)) == answer, words

    assert native.executed() == []
    assert native.requests() - before == len(calls)


CHANGES = ("umask 027;", "ulimit -Sn 900;", "trap '' USR1 QUIT PIPE;", "nice -n 3", "cd /;", "MARK=mine")


def test_its_context_is_the_python_clients(native: NativeServed) -> None:
    """Hooks see the same. In this locale Python sets a variable."""
    native.environ = {name: value for name, value in native.environ.items() if name[:3] not in ("LAN", "LC_")}
    native.begin()
    tail = ("--project", str(native.project.root))

    def once(program: str, change: str) -> Any:
        command = ["/bin/sh", "-c", f'{change} "$@"', "sh", program, *EVENT, *tail]
        options: dict[str, Any] = {"cwd": native.project.root, "env": native.environ, "timeout": LONG}
        return plain(subprocess.run(command, input=call("World"), capture_output=True, **options))

    expected = [once(str(native.python), change) for change in CHANGES]
    native.executed()

    assert [once(native.program[0], change) for change in CHANGES] == expected
    assert native.executed() == []


def test_it_leaves_to_python_what_only_python_can_tell(native: NativeServed) -> None:
    native.begin()
    calls: list[tuple[tuple[str | bytes, ...], dict[str, Any]]] = [
        (("--version",), {}),
        (("fier",), {}),
        (("fire", "--help"), {}),
        (ODD, {}),
        (EVENT, {"environ": {client.SWITCH: "Off"}}),
        (EVENT, {"environ": {client.NATIVE: "alone"}}),
        (EVENT, {"environ": {"PYTHONPATH": "elsewhere"}}),
        (EVENT, {"preexec_fn": partial(os.close, 1)}),
    ]
    for words, options in calls:
        expected = plain(python(native, *words, stdin=call("Deny"), **options))
        assert plain(native.run(*words, stdin=call("Deny"), **options)) == expected, words
    # Each ran once as the Python command and once through the native client, but for a variable that it drops.
    assert len(native.executed()) == 2 * len(calls) - 1


def test_a_folder_that_is_gone_and_an_empty_environment(native: NativeServed) -> None:
    native.begin()
    place = native.project.root / "place"
    found = []
    for program in (str(native.python), native.program[0]):
        place.mkdir()
        words = [program, *EVENT, "--project", str(native.project.root)]
        command = ["/bin/sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", *words]
        found.append(subprocess.run(command, input=call("Deny"), capture_output=True, env=native.environ, cwd=place))
        found.append(subprocess.run([program, *EVENT], input=call("Deny"), capture_output=True, env={}, cwd="/"))

    assert [plain(done) for done in found[:2]] == [plain(done) for done in found[2:]]


def test_a_record_counts_only_while_nothing_changed(native: NativeServed) -> None:
    native.begin()
    native.fire("Other")
    assert native.executed() == []
    os.utime(native.python)
    native.fire("Other")
    native.fire("Other")
    assert len(native.executed()) == 1  # which wrote it anew

    [record] = native.folder.glob("native.*")
    good = record.read_bytes()
    for bad in (b"", b"\0" * 9, good[:-1], good.replace(b" 1\0", b" 2\0", 1), good + b"x" * (1 << 16), os.urandom(500)):
        record.write_bytes(bad)
        assert native.fire("Deny", "--trust")["blocked"]
        assert len(native.executed()) == 1
    record.chmod(0o644)
    native.fire("Other")
    assert len(native.executed()) == 1


@pytest.mark.parametrize("fault", ["absent", "killed", "mode", "link", "owner"])
def test_without_a_server_python_does_it(native: NativeServed, fault: str) -> None:
    if fault != "absent":
        server = native.begin()
    if fault == "killed":
        server.kill()
        server.wait(LONG)
        until(lambda: not [one for one in native.folder.glob("*.*") if one.is_socket()], "its worker goes on")
    elif fault == "mode":
        native.folder.chmod(0o750)
    elif fault == "link":
        native.folder.rename(native.runtime / "elsewhere")
        native.folder.symlink_to(native.runtime / "elsewhere")
    elif fault == "owner":
        if os.geteuid() != 0:
            pytest.skip("only root can give a folder away")
        os.chown(native.folder, 65534, 65534)

    assert native.fire("Deny", "--trust")["blocked"]
    assert len(native.executed()) == 1


def answers(*frames: bytes) -> Behaviour:
    """Hear the request, then send this and hang up."""

    def behave(wire: socket.socket) -> None:
        hear_request(wire)
        wire.sendall(b"".join(frames))

    return behave


def hears_nothing(wire: socket.socket) -> None:
    """Greet, and end before the whole request is sent."""
    wire.shutdown(socket.SHUT_RD)
    wire.sendall(client.HELLO)


LOST: dict[str, Behaviour] = {
    "at once": answers(),
    "in a frame": answers(b"X\0\0"),
    "in its text": answers(frame(b"X", b"\0half", 100)),
    "oversized": answers(frame(b"X", b"\0ha", 1 << 63)),
    "empty": answers(frame(b"X", b"")),
    "garbage": answers(b"\xff" * 100),
}
HEARD: dict[str, Behaviour] = {
    "closes": lambda wire: None,
    "talks garbage": lambda wire: wire.sendall(b"HTTP/1.1 400"),
    "hangs up": hears_nothing,
    "not here": answers(frame(b"N", b"")),
    "again and again": answers(frame(b"A", b"")),
    "an answer": answers(frame(b"E", b"said"), frame(b"?", b"unknown"), frame(b"X", b"\x03" + b"out" * MIB)),
    "much": answers(frame(b"E", b"e" * 10 * MIB), frame(b"X", b"\0")),
}


@pytest.mark.parametrize("command", ["fire", "hook"])
def test_an_impostor_gets_from_both_clients_the_same(ended: NativeServed, command: str) -> None:
    words = EVENT if command == "fire" else ("hook", "pre-tool")
    stdin = call("Deny") if command == "fire" else json.dumps({"tool_input": {"command": "rm -rf /"}}).encode()
    for name, behaviour in {**LOST, **HEARD}.items():
        with ended.impostor(behaviour):
            expected = plain(python(ended, *words, stdin=stdin))
            ended.executed()
            assert plain(ended.run(*words, stdin=stdin)) == expected, name
            said = ended.executed()
        assert (said == [client.DIED]) == (name in LOST), (name, said)
        assert (said == []) == (name in ("an answer", "much")), name
        if name in LOST:
            assert expected[0] == (1 if command == "fire" else 2)


def test_a_server_cannot_greet_any_more_when_the_request_was_taken_back(ended: NativeServed) -> None:
    """It has the whole request, and does nothing without a greeting that arrived."""
    seen: list[object] = []

    def greet_late(wire: socket.socket) -> None:
        over.wait(LONG)
        seen.append(len(wire.recv(1 << 16)) > client.KEY)
        try:
            wire.sendall(client.HELLO)
        except BrokenPipeError:
            seen.append("too late")

    over = threading.Event()
    with ended.impostor(greet_late):
        done = ended.run(*EVENT, stdin=call("Deny"))
        over.set()
    assert (done.returncode, ended.executed()) == (2, [client.ALONE])
    assert seen[:2] == [True, "too late"]


def test_a_server_that_says_nothing_is_waited_for_once(native: NativeServed) -> None:
    """The Python command is told, so that it does not wait as long again; killed meanwhile, nothing was done."""
    native.project.write("tenterhook.toml", '[[hook]]\non = "tool.before"\ncommand = "echo ran >> ran"\n')
    server = native.begin()
    before = native.project.read("ran")
    os.kill(server.pid, signal.SIGSTOP)
    began = time.monotonic()
    done = native.run(*EVENT, stdin=b"{}", environ={"MARK": "another worker"})
    assert native.executed() == [client.ALONE]
    assert time.monotonic() - began >= client.PATIENCE
    assert json.loads(done.stdout)["attempts"][0]["exit_code"] == 0
    native.environ["MARK"] = "one more"
    child = native.popen(*EVENT)
    time.sleep(0.3)
    server.kill()
    assert child.communicate(b"{}", LONG)[0]
    assert native.project.read("ran") == before + "ran\nran\n"


SLOW = '[[hook]]\non = "tool.before"\nmatch = "Slow"\ncommand = "echo $$ > pid; exec sleep 600"\n'


@pytest.fixture
def slow(native: NativeServed) -> Iterator[Callable[[], tuple[subprocess.Popen[bytes], int]]]:
    """A call whose hook runs, and the hook's process."""
    native.project.write("tenterhook.toml", SLOW)
    native.begin()
    children = []

    def begin() -> tuple[subprocess.Popen[bytes], int]:
        place = native.project.root / "pid"
        place.unlink(missing_ok=True)
        child = native.popen(*EVENT)
        children.append(child)
        assert child.stdin
        child.stdin.write(b'{"tool_name": "Slow"}')
        child.stdin.close()
        child.stdin = None
        return child, int(until(lambda: place.exists() and place.read_text().strip(), "the hook runs"))

    yield begin
    for child in children:
        child.kill()
        child.communicate(timeout=LONG)


def test_a_signal_ends_the_hooks(slow: Any, native: NativeServed) -> None:
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL):
        child, hook = slow()
        child.send_signal(number)

        assert child.wait(LONG) == (-9 if number == signal.SIGKILL else 128 + number)
        until(partial(gone, hook), "the hook is gone")
    assert native.executed() == []


def test_what_was_lost_is_not_done_twice(slow: Any, native: NativeServed) -> None:
    child, hook = slow()
    assert alive(hook)
    native.executed()
    for worker in native.workers():
        os.kill(int(worker), signal.SIGKILL)
    out, said = child.communicate(timeout=LONG)

    assert (child.returncode, out) == (1, b"")
    assert b"the result is unknown" in said
    assert native.executed()[-1:] == [client.DIED]
    until(partial(gone, hook), "the hook is gone")


def test_an_agents_call_that_was_lost_is_refused_in_its_own_form(native: NativeServed) -> None:
    """The Python command is given the event again, because the reply depends on it."""
    root = native.project.root
    native.begin()
    (root / "tenterhook.toml").write_text('[[hook]]\non = "tool.before"\ncommand = "touch begun; sleep 60"\n')
    assert native.run("trust", "--yes").returncode == 0
    child = native.popen("run", "--agent", "claude")
    assert child.stdin
    event = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "tool_name": "Bash"}
    child.stdin.write(json.dumps({**event, "tool_input": {"command": "make"}}).encode())
    child.stdin.close()
    child.stdin = None
    until((root / "begun").exists, "the hook runs")
    for worker in native.workers():
        os.kill(int(worker), signal.SIGKILL)
    out, _ = child.communicate(timeout=LONG)

    said = json.loads(out)["hookSpecificOutput"]
    assert (child.returncode, said["permissionDecision"]) == (0, "deny")
    assert "the result is unknown" in said["permissionDecisionReason"]
    [line] = [json.loads(line) for line in native.run("log", "--json", "--decision", "deny").stdout.splitlines()]
    assert (line["what"], line["by"]) == ("make", ["tenterhook"])


def test_a_guard_that_was_lost_refuses(native: NativeServed) -> None:
    """The fork waits for stdin when it is killed."""
    native.begin()
    before = {*native.workers()}
    child = native.popen("hook", "pre-tool")
    [worker] = until(lambda: {*native.workers()} - before)
    path = Path(f"/proc/{worker}/task/{worker}/children")
    os.kill(int(until(lambda: path.read_text().split(), "the fork runs")[0]), signal.SIGKILL)
    out, said = child.communicate(timeout=LONG)

    assert child.returncode == 2
    assert json.loads(out)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert b"cannot be checked" in said


def test_without_the_python_command_a_guard_refuses(native: NativeServed) -> None:
    native.python.unlink()
    codes = {word: native.run(word, "x") for word in ("fire", "hook", "run", "list")}

    assert {word: done.returncode for word, done in codes.items()} == {"fire": 1, "hook": 2, "run": 2, "list": 1}
    assert all(str(native.python).encode() in done.stderr for done in codes.values())


def test_much_of_everything(native: NativeServed) -> None:
    """Ten megabytes on stdin, two of environment, 64 calls at once; and more than a server takes."""
    native.begin()
    large = json.dumps({"tool_name": "Deny", "note": "x" * 10 * MIB}).encode()
    assert native.run(*EVENT, stdin=large).returncode == 2
    environ = {f"BIG{n}": "x" * 100_000 for n in range(10)} | {f"MANY{n}": "y" * 300 for n in range(3000)}
    assert native.run(*EVENT, stdin=call("Deny"), environ=environ).returncode == 2
    with ThreadPoolExecutor(64) as pool:
        stdins = [call(("Deny", "Other")[n % 2]) for n in range(64)]
        codes = [*pool.map(lambda stdin: native.run(*EVENT, stdin=stdin).returncode, stdins)]
    assert codes == [2, 0] * 32
    assert native.executed() == []
    assert native.run(*EVENT, stdin=b" " * (65 << 20) + call("Deny")).returncode == 2
    assert native.executed() == [client.ALONE]


def test_a_broken_pipe_is_silent_and_a_full_disk_is_said(native: NativeServed) -> None:
    native.begin()
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            native.command(*EVENT), input=call("Other"), stdout=full, stderr=subprocess.PIPE, env=native.environ,
            cwd=native.project.root, timeout=LONG,
        )  # fmt: skip
    assert (done.returncode, b"could not be printed: [Errno 28] No space left on device" in done.stderr) == (1, True)
    child = native.popen(*EVENT)
    assert child.stdout
    child.stdout.close()
    child.stdout = None
    said = child.communicate(call("Other"), LONG)[1]
    assert (child.returncode, b"could not" in said) == (1, False)
    assert native.executed() == []
