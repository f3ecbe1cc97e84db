"""A server of its own for a test, the commands with and without it, and a client that is nothing but a socket."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import Project
from tenterhook.cli.server import client
from tenterhook.cli.server.fingerprints import YOUNG
from tenterhook.cli.server.protocol import inside

LONG = 60.0
Done = subprocess.CompletedProcess[bytes]


class Served:
    """Commands in a project, in an environment that names a runtime folder of the test's own."""

    def __init__(self, project: Project, runtime: Path) -> None:
        self.project, self.runtime = project, runtime
        runtime.mkdir(mode=0o700, exist_ok=True)
        self.folder = runtime / "tenterhook"
        self.environ = project.environ(XDG_RUNTIME_DIR=str(runtime), XDG_STATE_HOME=str(runtime.parent / "state"))
        self.environ.pop(client.SWITCH, None)  # other tests keep commands from a server
        self.servers: list[subprocess.Popen[bytes]] = []
        self.program = [sys.executable, "-m", "tenterhook"]

    def command(self, *words: str | bytes) -> list[str | bytes]:
        return [*self.program, *words]

    def start(self, *words: str, environ: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        """In the foreground; it listens when this returns."""
        server = subprocess.Popen(
            self.command("serve", *words), stderr=subprocess.PIPE, env=environ or self.environ, cwd="/"
        )
        self.servers.append(server)
        assert server.stderr
        said = server.stderr.readline()
        assert b"listening in" in said, said + server.stderr.read()
        return server

    def run(self, *words: str | bytes, served: bool = True, stdin: bytes = b"", **options: Any) -> Done:
        environ = {**self.environ, **options.pop("environ", {}), **({} if served else {client.SWITCH: "off"})}
        options.setdefault("cwd", self.project.root)
        command = self.command(*words)
        return subprocess.run(
            command, input=stdin, capture_output=True, env=environ, timeout=LONG, check=False, **options
        )

    def popen(self, *words: str, **options: Any) -> subprocess.Popen[bytes]:
        """One that is still running when this returns."""
        pipe = subprocess.PIPE
        options = {"stdin": pipe, "stdout": pipe, "stderr": pipe, "cwd": self.project.root, **options}
        return subprocess.Popen(self.command(*words), env=self.environ, **options)

    def fire(self, tool: str, *words: str, **options: Any) -> dict[str, Any]:
        """The outcome of a tool's call, and that of one that tenter does itself is the same."""
        done = self.run("fire", "tool.before", *words, stdin=json.dumps({"tool_name": tool}).encode(), **options)
        assert done.stdout, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("serve", "--status", "--json").stdout)
        return found

    def requests(self) -> int:
        """All that were served, by workers that have ended too."""
        return int(self.status()["requests"])

    def workers(self) -> list[int]:
        return [one["pid"] for one in self.status()["workers"]]

    def close(self) -> None:
        for server in self.servers:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=LONG)


class Raw:
    """A client that is nothing but a socket, in the test's own process."""

    def __init__(self, served: Served) -> None:
        self.folder = os.open(served.folder, os.O_RDONLY)
        self.server = (served.folder / "lock").read_text().split()[1]
        self.key = (served.folder / "key").read_bytes()

    def ask(self, *words: str, stdin: bytes = b"", key: bytes = b"") -> tuple[bytes, bytes]:
        """The last frame: its kind and its text."""
        world = client.context("fire")
        digest = client.digest(world)
        call = client.pack_call(list(words), False)
        head = client.head(key or self.key, digest, world, call, stdin)
        while True:
            wire = self.connected(f"{self.server}.{digest.hex()}") or self.connected(self.server)
            assert wire
            with wire:
                wire.sendall(head + world + call + stdin)
                kind, text = b"", b""
                while kind not in (client.END, client.AGAIN, client.NOT_HERE):
                    frame = self.received(wire, client.FRAME)
                    if not frame:
                        return b"", b""
                    kind, text = frame[:1], self.received(wire, int.from_bytes(frame[1:], "little"))
            if kind != client.AGAIN:
                return kind, text

    def connected(self, name: str) -> socket.socket | None:
        wire = socket.socket(socket.AF_UNIX)
        wire.settimeout(LONG)
        try:
            wire.connect(inside(self.folder, name))
            if wire.recv(1) == client.HELLO:
                return wire
        except OSError:
            pass
        wire.close()
        return None

    @staticmethod
    def received(wire: socket.socket, count: int) -> bytes:
        data = b""
        with contextlib.suppress(ConnectionError):
            while len(data) < count and (part := wire.recv(count - len(data))):
                data += part
        return data

    def close(self) -> None:
        os.close(self.folder)


def until(true: Callable[[], Any], what: str = "") -> Any:
    """Wait for something that will happen."""
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        if found := true():
            return found
        time.sleep(0.02)
    raise AssertionError(f"it never happened: {what or true}")


def settle() -> None:
    """So long that a worker believes what was written before: that the next change of it cannot look the same."""
    time.sleep(2 * YOUNG / 1e9)


def alive(pid: int) -> bool:
    try:
        return b"\nState:\tZ" not in Path(f"/proc/{pid}/status").read_bytes()
    except OSError:
        return False


def gone(pid: int) -> bool:
    return not alive(pid)


def plain(done: Done) -> tuple[int, Any, bytes]:
    """Exit code, stdout and stderr, without what differs each time: seconds, made-up ids, addresses."""
    out: Any = done.stdout
    if out.startswith(b"{") and b'"attempts"' in out:
        out = json.loads(out)
        out["id"] = ""
        for attempt in out["attempts"]:
            attempt["seconds"] = 0
    elif isinstance(out, bytes):
        out = re.sub(rb"\d+(\.\d+)? (s|ms|\xc2\xb5s)\b", b"a while", out)
    return done.returncode, out, re.sub(rb"0x[0-9a-f]+", b"0x", done.stderr)
