"""`tenter serve`: what a command costs through it, and what its socket answers, each against a yardstick in turns.

The command is installed and compiled as a user has it (see startup.py). A raw client connects, asks for an event with a
function hook and reads the outcome; its yardstick is an echo over the server's own transport: the same kind of socket,
first word, key, look at the client, and framing, with an answer of the same size that is there already.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import startup
from figures import Pairs, Unavailable
from outside import BENCH, ROOT, environment
from startup import EVENT, PYTHON, TENTER
from tenterhook.cli.server import client, protocol
from tenterhook.cli.server.client_context import ClientContext

FUNCTION = '[[hook]]\non = "tool.before"\ntype = "python"\nfunction = "bench_guard.nothing"\n'
GUARD = "def nothing(event):\n    return None\n"
FIRES, ASKS = 41, 1000


def fire_pairs(rounds: int = FIRES) -> Pairs:
    """Seconds of (`tenter fire` through a server, a bare interpreter that imports json), in turns."""
    startup.install()
    with tempfile.TemporaryDirectory(dir=BENCH) as folder:
        given = Path(folder, "input.json")
        given.write_text(json.dumps(EVENT))
        fire = startup.fire(Path(folder), "JSON (llxprt)")
        env = environment(folder)
        with running([str(TENTER), "serve"], env, ""), given.open("rb") as stdin:
            startup.started(fire, stdin, folder)  # the first one makes the worker
            pairs = [
                (
                    startup.started(fire, stdin, folder),
                    startup.started([str(PYTHON), "-c", "import json"], stdin, folder),
                )
                for _ in range(rounds)
            ]
            told = subprocess.run([str(TENTER), "serve", "--status", "--json"], env=env, capture_output=True)
            assert json.loads(told.stdout)["requests"] == rounds + 1, told.stdout
    return pairs


def socket_pairs(rounds: int = ASKS) -> Pairs:
    """Seconds of (connect, an event with a function hook, its outcome; connect, echo), in turns."""
    with tempfile.TemporaryDirectory() as folder, standing_in(folder):
        Path(folder, "bench_guard.py").write_text(GUARD)
        config = Path(folder, ".config", "tenterhook")
        config.mkdir(parents=True)
        (config / "tenterhook.toml").write_text(FUNCTION)
        settle = time.time() + 0.2  # a file that was changed just now is not believed, and the engine not kept
        with running([sys.executable, "-m", "tenterhook", "serve"], dict(os.environ), str(ROOT / "src")):
            time.sleep(max(0.0, settle - time.time()))
            raw = Raw()
            answer = raw.ask(raw.server)
            until_there(raw)
            assert json.loads(answer[1:])["attempts"][0]["error"] is None, answer
            with echo(raw, answer):
                raw.ask("echo")
                return [(timed(raw, raw.worker), timed(raw, "echo")) for _ in range(rounds)]


def timed(raw: Raw, name: str) -> float:
    began = time.perf_counter()
    raw.ask(name)
    return time.perf_counter() - began


class Raw:
    """A client that has its request ready."""

    def __init__(self) -> None:
        self.folder = client.open_server_folder("key")
        self.server = Path(f"/proc/self/fd/{self.folder}/lock").read_text().split()[1]
        self.context = client.context("fire")
        digest = client.digest(self.context)
        self.worker = f"{self.server}.{digest.hex()}"
        self.key = client.key(self.folder)
        call, stdin = client.pack_call(["tool.before"], False), json.dumps(EVENT).encode()
        self.request = client.head(self.key, digest, self.context, call, stdin) + self.context + call + stdin

    def ask(self, name: str) -> bytes:
        with socket.socket(socket.AF_UNIX) as wire:
            wire.connect(protocol.inside(self.folder, name))
            wire.recv(1)
            wire.sendall(self.request)
            frame = client.receive_exactly(wire, client.FRAME)
            assert frame[:1] == client.END, frame
            return client.receive_exactly(wire, int.from_bytes(frame[1:], "little"))


def until_there(raw: Raw) -> None:
    """The worker listens under its own name."""
    while not os.path.exists(protocol.inside(raw.folder, raw.worker)):
        time.sleep(0.01)
    raw.ask(raw.worker)


@contextlib.contextmanager
def echo(raw: Raw, answer: bytes) -> Iterator[None]:
    """Who answers without an engine."""
    listener = protocol.listener(raw.folder, "echo")
    child = os.fork()
    if child == 0:
        world = ClientContext(raw.context)
        while True:
            wire, _ = listener.accept()
            line = protocol.ClientConnection(wire)
            line.greet()
            assert world.knows(wire)
            assert line.request(raw.key).context == world.context
            line.end(answer[0], answer[1:])
            line.close()
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        listener.close()


@contextlib.contextmanager
def running(command: list[str], env: dict[str, str], path: str) -> Iterator[None]:
    """A server, which listens when this begins."""
    env = {**env, "PYTHONPATH": path} if path else env
    server = subprocess.Popen([*command, "--idle", "600"], env=env, stderr=subprocess.PIPE)
    assert server.stderr
    try:
        said = server.stderr.readline()
        if b"listening" not in said:
            raise Unavailable(said.decode().strip())
        yield
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate()  # until its workers have ended, too


@contextlib.contextmanager
def standing_in(folder: str) -> Iterator[None]:
    """A folder that is our home, and the only place where config and server can be."""
    before, cwd = dict(os.environ), os.getcwd()
    for name in [name for name in before if name.startswith("XDG_")]:
        del os.environ[name]
    os.environ["HOME"] = folder
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(cwd)
        os.environ.clear()
        os.environ.update(before)


if __name__ == "__main__":
    from statistics import median

    for what, found in (("tenter fire / python", fire_pairs()), ("answer / echo", socket_pairs())):
        ours, theirs = (median(one[n] for one in found) for n in (0, 1))
        print(f"{what}: {ours * 1e3:.3f} ms, {theirs * 1e3:.3f} ms, {median(a / b for a, b in found):.2f} times")
