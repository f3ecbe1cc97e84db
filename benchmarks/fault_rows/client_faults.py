"""The native client under the sanitizers: what a server answers, what its record holds, and what its environment is.

Importing this adds its rows to those of faults.py. Seeds are fixed, so each run has the same inputs.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from fault_tools import Figures, row
from tenterhook.cli.server import client, start_record

SOURCE = Path(client.__file__).parent / "native" / "tenter_client.c"
FLAGS = ["-std=c11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# What stands for the Python command: it prints what the native client said.
SCRIPT = '#!/bin/sh\nprintf "%s" "$TENTERHOOK_NATIVE"\n'
SANITIZERS = {"ASAN_OPTIONS": "exitcode=99:detect_leaks=0", "UBSAN_OPTIONS": "exitcode=99:halt_on_error=1"}
ANSWERS, STARTS, SECONDS = 600, 400, 30
EVENT = b'{"tool_name": "Bash"}'


class ClientFuzzer:
    """A client, and a folder in which it finds whatever is put there."""

    def __init__(self, folder: str) -> None:
        self.program = os.path.join(folder, "tenter-client")
        subprocess.run([os.environ.get("CC", "cc"), *FLAGS, "-o", self.program, str(SOURCE)], check=True)
        script = Path(folder, "tenter")
        script.write_text(SCRIPT)
        script.chmod(0o755)
        self.environ = {"XDG_RUNTIME_DIR": folder, "HOME": folder, **SANITIZERS}
        self.place = Path(folder, "tenterhook")
        self.place.mkdir(mode=0o700)
        self.put("key", bytes(client.KEY))
        self.reply = b""
        self.record = b"\0".join(
            [
                start_record.FORMAT.encode(),
                b"0" * 16,
                b" fire hook ",
                b"utf-8",
                b"utf-8",
                b"",
                b"/etc/hostname",
                b"1 1",
                b"",
            ]
        )
        self.failures = 0

    def put(self, name: str, data: bytes) -> None:
        path = self.place / name
        path.write_bytes(data)
        path.chmod(0o600)

    def call(self, *words: str, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
        """Counts a run that a sanitizer ended, a signal ended, or nothing ended."""
        environ = {**self.environ, **(environ or {})}
        done = subprocess.run(
            [self.program, *words], input=EVENT, capture_output=True, env=environ, timeout=SECONDS, check=False
        )
        self.failures += done.returncode == 99 or done.returncode < 0 or b"runtime error" in done.stderr
        return done

    @contextlib.contextmanager
    def answering(self) -> Iterator[None]:
        """A server that hears something and sends the present reply."""
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.place / ("0" * 16)))
        listener.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    wire, _ = listener.accept()
                    with wire, contextlib.suppress(OSError):
                        wire.sendall(self.reply[:1])
                        wire.settimeout(1.0)
                        wire.recv(1 << 20)
                        wire.sendall(self.reply[1:])

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
            listener.close()


def random_reply(chance: random.Random) -> bytes:
    """Mostly a greeting and frames that are nearly right."""
    reply = chance.choice((b"+", b"+", b"+", b"+", b"x", b""))
    for _ in range(chance.randrange(4)):
        text = chance.randbytes(chance.choice((0, 1, 9, 300, 100_000)))
        length = chance.choice((len(text), len(text), chance.getrandbits(64), chance.getrandbits(8)))
        kind = chance.choice((b"E", b"X", b"N", b"A", chance.randbytes(1)))
        reply += kind + length.to_bytes(8, "little") + text
    return reply[: chance.randrange(len(reply) + 1)] if chance.random() < 0.2 else reply


def random_record(chance: random.Random, good: bytes) -> bytes:
    """A record with some of its bytes changed, left out or repeated; or none of them right."""
    data = bytearray(good if chance.random() < 0.9 else chance.randbytes(chance.choice((0, 40, 40_000))))
    for _ in range(chance.randrange(5)):
        start, count = chance.randrange(len(data) + 1), chance.randrange(20)
        data[start : start + count] = chance.randbytes(chance.randrange(20)) * chance.choice((1, 1, 5000))
    return bytes(data)


def random_environ(chance: random.Random) -> dict[str, str]:
    names = (
        "LC_CTYPE",
        "LC_ALL",
        "PYTHONPATH",
        "TENTERHOOK_SERVE",
        "TENTERHOOK_NATIVE",
        "XDG_STATE_HOME",
        "A",
        "A=B",
        "_",
    )
    values = ("", "C", "/", "off", "relative", "x" * 5000, "/" + "y" * 100_000, "\udcff\udcfe=")
    found = {chance.choice(names).partition("=")[0]: chance.choice(values) for _ in range(chance.randrange(6))}
    return found | {f"V{n}": "v" * (n % 300) for n in range(chance.choice((0, 0, 2000)))}


@contextlib.contextmanager
def fuzzer() -> Iterator[ClientFuzzer]:
    with tempfile.TemporaryDirectory() as folder:
        yield ClientFuzzer(folder)


def missing() -> str:
    return "" if shutil.which(os.environ.get("CC", "cc")) else "not run: no C compiler"


@row("N1", f"native client, sanitizers: {ANSWERS} answers", "0 faults; a lost call is said to be lost")
def fuzzed_answers() -> Figures:
    if why := missing():
        return why, None
    chance, said = random.Random(18), {"": 0, client.ALONE: 0, client.DIED: 0}
    with fuzzer() as ours:
        name = ours.call("fire", "x").stdout.decode()
        about = os.stat("/etc/hostname")
        record = ours.record.replace(b"1 1", f"{about.st_mtime_ns} {about.st_ino}".encode())
        ours.put(f"{start_record.PREFIX}{name}", record)
        with ours.answering():
            for _ in range(ANSWERS):
                ours.reply = random_reply(chance)
                out = ours.call(chance.choice(("fire", "hook")), "x").stdout.decode(errors="replace")
                said[out if out in said else ""] += 1
    figures = f"{ours.failures} faults; {said['']} answered, {said[client.DIED]} lost, {said[client.ALONE]} done alone"
    return figures, not ours.failures and all(said.values())


@row("N2", f"native client, sanitizers: {STARTS} records and environments", "0 faults, Python each time")
def fuzzed_starts() -> Figures:
    if why := missing():
        return why, None
    chance, executed = random.Random(81), 0
    with fuzzer() as ours:
        for _ in range(STARTS):
            environ = random_environ(chance)
            name = ours.call("fire", "x", environ=environ).stdout.decode()
            if name.isalnum():
                ours.put(f"{start_record.PREFIX}{name}", random_record(chance, ours.record))
            words = chance.choice((["fire"], ["hook", "-h"], ["fire", "--a", "--input", "b"], ["run", "x" * 99_999]))
            executed += ours.call(*words, environ=environ).returncode == 0
    return f"{ours.failures} faults, {executed} of {STARTS}", not ours.failures and executed == STARTS
