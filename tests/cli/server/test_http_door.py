"""The HTTP door: agents with http hooks are answered as `tenter run` answers, and others are refused."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tenterhook.cli.server.door import request
from tenterhook.support.http_door import CANARY_HEADER, door_url

from .served import LONG, Served, alive, gone, until

GUARD = """\
import os, time
from tenterhook import hook


@hook("tool.before", match="shell", timeout=60)
def guard(event):
    with open("ran", "a") as file:
        file.write(event.raw["tool_use_id"] + "\\n")
    if "slow" in event.command:
        time.sleep(1)
    if "rm" in event.command:
        return hook.deny("not NAME")
    if event.command == "old":
        return hook.rewrite(command="new")
"""
# What a service manager does with a socket that it listens on.
MANAGER = """\
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ |= {"LISTEN_FDS": "1", "LISTEN_PID": str(os.getpid())}
os.execv(sys.executable, [sys.executable, "-m", "tenterhook", "serve", "--http"])
"""
Reply = tuple[int, Any]


class Door:
    """A server with a door, and an agent in the test's own process."""

    def __init__(self, served: Served, *words: str, **environ: str) -> None:
        self.served, self.port = served, free_port()
        self.server = served.start("--http", str(self.port), *words, environ={**served.environ, **environ})
        self.token = self.token_file.read_text().strip()

    @property
    def token_file(self) -> Path:
        return Path(self.served.environ["XDG_STATE_HOME"]) / "tenterhook/serve/http-token"

    def call(self, command: str, *, cwd: Path | None = None, session: str = "", **headers: str) -> Reply:
        body = event(command, cwd or self.served.project.root, session or os.urandom(4).hex())
        status, _, text = self.send(body, **headers)
        return status, json.loads(text) if text.startswith("{") else text

    def send(self, body: bytes, *, method: str = "POST", target: str = "/run?agent=claude", **headers: str) -> Any:
        usual = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG)
        try:
            wire.request(method, target, body, {name: value for name, value in {**usual, **given}.items() if value})
            response = wire.getresponse()
            return response.status, response.headers["content-type"], response.read().decode()
        finally:
            wire.close()

    def status(self) -> Any:
        return self.served.status()["http"]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def event(command: str, cwd: Path, session: str = "s") -> bytes:
    base = {"session_id": session, "transcript_path": "/t", "hook_event_name": "PreToolUse", "tool_name": "Bash"}
    more = {"cwd": str(cwd), "tool_input": {"command": command}, "tool_use_id": os.urandom(6).hex()}
    return json.dumps({**base, **more}).encode()


def guard_project(served: Served, root: Path, name: str) -> Path:
    root.mkdir(exist_ok=True)
    (root / "guard.py").write_text(GUARD.replace("NAME", name))
    (root / "tenterhook.toml").write_text('[[hook]]\nuse = "guard.py"\n')
    assert served.run("trust", "--yes", cwd=root).returncode == 0
    return root


def ran(root: Path) -> list[str]:
    path = root / "ran"
    return path.read_text().split() if path.exists() else []


def refused(reply: Reply) -> str:
    assert reply[0] == 200, reply
    said = reply[1]["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    return str(said["permissionDecisionReason"])


@pytest.fixture
def door(served: Served) -> Iterator[Door]:
    guard_project(served, served.project.root, "this")
    return Door(served)


def test_the_answer_is_that_of_tenter_run_with_status_200(door: Door) -> None:
    root = door.served.project.root
    for command in ("ls", "rm x", "old"):
        body = event(command, root)
        by_command = door.served.run(
            "run", "--agent", "claude", stdin=body.replace(b'"tool_use_id": "', b'"tool_use_id": "x')
        )
        status, kind, text = door.send(body)

        assert (status, kind) == (200, "application/json")
        assert json.loads(text) == json.loads(by_command.stdout or b"{}")
    assert len(set(ran(root))) == 6
    logged = [json.loads(line) for line in door.served.run("log", "--json").stdout.splitlines()]
    assert [one["agent"] for one in logged] == ["claude"] * 6


REFUSED: dict[str, tuple[int, str, dict[str, Any]]] = {
    "no token": (401, "TENTERHOOK_TOKEN", {"Authorization": ""}),
    "an empty variable": (401, "TENTERHOOK_TOKEN", {"Authorization": "Bearer "}),
    "a wrong token": (401, "install again", {"Authorization": f"Bearer {'0' * 64}"}),
    "a name bent to this address": (421, "Host header", {"Host": "evil.example:80"}),
    "another port": (421, "Host header", {"Host": "127.0.0.1:1"}),
    "a web page": (403, "Origin", {"Origin": "https://evil.example"}),
    "a page's form": (415, "application/json", {"Content_Type": "text/plain"}),
    "another path": (404, "only /run", {"target": "/"}),
    "GET": (405, "only POST", {"method": "GET"}),
    "no agent": (400, "agent=NAME", {"target": "/run"}),
    "a word of ours": (400, "each once", {"target": "/run?agent=claude&set=a%3Db"}),
    "an agent twice": (400, "each once", {"target": "/run?agent=claude&agent=codex"}),
    "blanks in a word": (400, "each once", {"target": "/run?agent=claude%20--as"}),
    "chunks": (411, "Content-Length", {"Transfer_Encoding": "chunked"}),
    "too large a body": (413, "larger", {"Content_Length": str(request.BODY + 1)}),
    "too large headers": (431, "larger", {"X_Filler": "x" * request.HEAD}),
    "no folder": (400, "cwd", {"body": b'{"session_id": "s", "hook_event_name": "PreToolUse"}'}),
    "a folder that is gone": (400, "cwd", {"body": event("ls", Path("/nowhere/at/all"))}),
}


def test_who_is_not_an_agent_of_this_user_is_told_what_to_do_and_nothing_runs(door: Door) -> None:
    root = door.served.project.root
    for what, (code, text, how) in REFUSED.items():
        status, kind, said = door.send(**{"body": event("rm x", root), **how})

        assert (what, status, kind) == (what, code, "text/plain; charset=utf-8")
        assert said.startswith("tenter: "), what
        assert text in said, what
        assert door.token not in said
    assert ran(root) == []
    assert door.status()["served"] == 2  # both events without a folder came from someone who knows the token
    assert door.status()["refused"] == len(REFUSED)


def test_an_event_that_cannot_be_read_is_an_error_by_which_an_agent_fails_closed(door: Door) -> None:
    for body in (b"nonsense", b"[1]"):
        status, _, said = door.send(body)
        assert status == 403
        assert "cannot be checked" in said


def test_a_caller_that_sends_nothing_keeps_no_other_waiting_and_is_given_up(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = [socket.create_connection(("127.0.0.1", door.port)) for _ in range(8)]
    for wire in slow:
        wire.sendall(b"POST /run?agent=claude HTTP/1.1\r\nHost:")
    assert refused(door.call("rm x")) == "not this"
    for wire in slow:
        wire.close()

    monkeypatch.setattr(request, "HEAD_SECONDS", 0.1)
    monkeypatch.setattr(request, "BODY_SECONDS", 0.1)
    began = time.monotonic()
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"POST ")
        with pytest.raises(request.Refused, match="headers did not come"):
            request.read_head(ours)
        with pytest.raises(request.Refused, match="event did not come"):
            request.read_body(ours, b"{", 2)
    assert time.monotonic() - began < 5


def test_two_projects_have_their_own_hooks_and_a_session_keeps_its_project(door: Door, tmp_path: Path) -> None:
    other = guard_project(door.served, tmp_path / "other", "that")
    (outside := tmp_path / "outside").mkdir()

    assert refused(door.call("rm x", session="one")) == "not this"
    assert refused(door.call("rm x", session="two", cwd=other)) == "not that"
    # An agent that goes elsewhere does not leave the hooks behind.
    assert refused(door.call("rm x", session="one", cwd=outside)) == "not this"
    assert refused(door.call("rm x", session="two", cwd=door.served.project.root)) == "not that"
    assert door.call("rm x", session="three", cwd=outside) == (200, {})


def test_calls_at_once_are_each_answered_once(door: Door) -> None:
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(door.call, ["rm x", "ls"] * 12))

    assert [bool(reply[1]) for reply in replies] == [True, False] * 12
    assert len(ran(door.served.project.root)) == len(set(ran(door.served.project.root))) == 24


def test_variables_of_whoever_started_the_server_do_not_count(served: Served, tmp_path: Path) -> None:
    guard_project(served, served.project.root, "this")
    elsewhere = {"CLAUDE_PROJECT_DIR": str(tmp_path), "TENTERHOOK_OFF": "1", "CODEX_THREAD": "1", "COPILOT_CLI": "1"}
    door = Door(served, **elsewhere)

    assert refused(door.call("rm x")) == "not this"


def test_a_canary_names_the_hooks_and_calls_none(door: Door) -> None:
    reply = door.call("ls", **{CANARY_HEADER: "mark"})

    assert refused(reply) == "canary mark reached: guard"
    assert ran(door.served.project.root) == []


def test_a_caller_that_hangs_up_ends_the_call(door: Door) -> None:
    root = door.served.project.root
    (root / "guard.py").unlink()
    (root / "tenterhook.toml").write_text(
        '[[hook]]\non = "tool.before"\ncommand = "echo $$ > pid; sleep 60"\ntimeout = 90\n'
    )
    assert door.served.run("trust", "--yes").returncode == 0
    body = event("ls", root)
    head = f"POST /run?agent=claude HTTP/1.1\r\nHost: localhost:{door.port}\r\nAuthorization: Bearer {door.token}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", door.port)) as wire:
        wire.sendall(head.encode() + body)
        pid = int(until(lambda: (root / "pid").exists() and (root / "pid").read_text().strip()))
    until(lambda: gone(pid))


def test_a_worker_that_is_killed_during_a_call_is_a_refusal(door: Door) -> None:
    door.call("ls")
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(door.call, "slow")
        until(lambda: len(ran(door.served.project.root)) == 2)
        os.kill(door.served.workers()[0], signal.SIGKILL)
        assert "the result is unknown" in refused(reply.result())
    assert len(ran(door.served.project.root)) == 2


def test_a_call_that_no_worker_can_take_is_answered_by_the_command_itself(served: Served) -> None:
    """A limit of the server's own keeps workers from being like its callers."""
    guard_project(served, served.project.root, "this")
    served.program = ["sh", "-c", 'ulimit -t 10000; exec "$@"', "sh", *served.program]
    door = Door(served)

    assert refused(door.call("slow rm")) == "not this"
    assert served.workers() == []
    assert len(ran(served.project.root)) == 1


def test_a_door_that_is_killed_is_opened_again_and_callers_wait_for_it(door: Door) -> None:
    first = door.status()["pid"]
    os.kill(first, signal.SIGKILL)

    assert refused(door.call("rm x")) == "not this"
    assert door.status()["pid"] not in (first, -1)


def test_a_server_that_is_killed_leaves_no_door_and_the_call_that_is_there_is_answered(door: Door) -> None:
    pid = door.status()["pid"]
    with ThreadPoolExecutor(1) as pool:
        reply = pool.submit(door.call, "slow rm")
        until(lambda: ran(door.served.project.root))
        os.kill(door.server.pid, signal.SIGKILL)
        assert refused(reply.result()) == "not this"
    until(lambda: gone(pid))
    with pytest.raises(ConnectionRefusedError):
        door.call("ls")


def test_a_server_that_runs_opens_the_door_and_says_so_each_time(served: Served) -> None:
    guard_project(served, served.project.root, "this")
    served.start()
    before, port = served.status(), free_port()
    opened = [served.run("serve", "--http", str(port), "--detach") for _ in range(2)]

    assert [done.returncode for done in opened] == [0, 0]
    assert opened[1].stderr == f"tenter: http hooks are answered at http://127.0.0.1:{port}\n".encode()
    after = served.status()
    assert (after["pid"], after["http"]["port"], before["http"]) == (before["pid"], port, None)
    assert (
        f"http hooks at http://127.0.0.1:{port}: 0 calls served, 0 refused"
        in served.run("serve", "--status").stdout.decode()
    )
    other = served.run("serve", "--http", str(free_port()), "--detach")
    assert (other.returncode, b"tenter serve --stop" in other.stderr) == (1, True)
    second = served.run("serve", "--http", str(port))
    assert (second.returncode, b"answers http hooks already" in second.stderr) == (1, True)


def test_the_door_opens_although_an_agents_call_starts_a_server_at_the_same_time(served: Served) -> None:
    """At the start of a session both happen at once."""
    port = free_port()
    plain = subprocess.Popen(served.command("serve"), env=served.environ, stderr=subprocess.DEVNULL, cwd="/")
    opened = [served.popen("serve", "--http", str(port), "--detach") for _ in range(2)]
    said = [done.communicate(timeout=LONG)[1] for done in opened]

    assert [done.returncode for done in opened] == [0, 0], said
    assert served.status()["http"]["port"] == port
    served.run("serve", "--stop")
    plain.wait(LONG)


def test_a_port_that_is_taken_and_a_token_that_others_can_read_are_said(served: Served) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = served.run("serve", "--http", str(taken.getsockname()[1]))
        assert done.returncode == 1
        assert b"cannot be listened on: Address already in use; another port is" in done.stderr
    token = Path(served.environ["XDG_STATE_HOME"]) / "tenterhook/serve/http-token"
    token.parent.mkdir(parents=True, exist_ok=True)
    token.write_text("0" * 64)
    token.chmod(0o644)
    done = served.run("serve", "--http", str(free_port()))
    assert (done.returncode, b"other users can access it" in done.stderr) == (1, True)
    assert served.run("serve", "--status").returncode == 1
    assert b"a port is for --http" in served.run("serve", "8368").stderr
    assert b"PORT must be a number from 1 to 65535, not '99999'" in served.run("serve", "--http", "99999").stderr


def test_the_token_is_made_once_and_only_the_user_can_read_it(door: Door) -> None:
    assert door.token_file.stat().st_mode & 0o777 == 0o600
    assert door.token_file.parent.stat().st_mode & 0o777 == 0o700
    assert len(door.token) == 64
    door.served.close()
    door.served.servers.clear()
    again = Door(door.served)
    assert again.token == door.token


def test_a_socket_of_a_service_manager_is_taken_and_kept_when_the_version_changes(
    served: Served, tmp_path: Path
) -> None:
    """The server becomes the new version; the socket stays, so that no agent's call is refused meanwhile."""
    guard_project(served, served.project.root, "this")
    package = tmp_path / "copy/tenterhook"
    source = Path(sys.modules["tenterhook"].__file__ or "").parent
    package.parent.mkdir()
    subprocess.run(["cp", "-r", str(source), str(package)], check=True)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        environ = {**served.environ, "PYTHONPATH": str(package.parent)}
        server = subprocess.Popen(
            [sys.executable, "-c", MANAGER, str(listener.fileno())],
            env=environ, pass_fds=[listener.fileno()], stderr=subprocess.PIPE, cwd="/",
        )  # fmt: skip
        served.servers.append(server)
        assert server.stderr
        assert b"listening in" in server.stderr.readline()
    door = Door.__new__(Door)
    door.served, door.port = served, port
    door.token = door.token_file.read_text().strip()
    assert refused(door.call("rm x")) == "not this"
    lock = served.folder / "lock"
    first = lock.read_text()
    version = package / "version.py"
    os.utime(version, (time.time() + 5, time.time() + 5))

    until(lambda: lock.read_text() not in (first, ""))
    assert alive(server.pid)
    assert lock.read_text().split()[0] == str(server.pid)
    assert refused(door.call("rm x")) == "not this"


def test_the_url_says_what_tenter_run_is_told() -> None:
    assert door_url("claude", 8368) == "http://127.0.0.1:8368/run?agent=claude"
    target = door_url("claude@2.1.300", 1, event="Stop", hooks_of="gemini,qwen").partition(":1")[2]
    words = ["run", "--agent", "claude@2.1.300", "--event", "Stop", "--hooks-of", "gemini,qwen"]
    assert request.words_of("POST", target) == words
