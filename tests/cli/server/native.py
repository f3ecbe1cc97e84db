"""The native client, compiled for the tests, beside a command `tenter` that counts its starts; and a server that is
none.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import tenterhook
from conftest import Project
from tenterhook.cli.server import client
from tenterhook.cli.server.protocol import inside

from .served import LONG, Served

SOURCE = Path(tenterhook.__file__).parent / "cli" / "server" / "native" / "tenter_client.c"
FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2"]
SCRIPT = """#!{python}
import os, sys
with open(__file__ + ".starts", "a") as file:
    file.write(os.environ.get("TENTERHOOK_NATIVE", "") + "\\n")
from tenterhook.cli.main import main
sys.exit(main())
"""
Behaviour = Callable[[socket.socket], None]


def compile_client(program: Path, *flags: str) -> None:
    subprocess.run([os.environ.get("CC", "cc"), *FLAGS, *flags, "-o", program, SOURCE], check=True, timeout=LONG)


class NativeServed(Served):
    """As `Served`, with the native client; `python` is the command that it stands for."""

    def __init__(self, project: Project, runtime: Path, compiled: Path) -> None:
        super().__init__(project, runtime)
        self.bin = runtime.parent / "bin"
        self.bin.mkdir()
        self.python = self.bin / "tenter"
        self.starts = Path(f"{self.python}.starts")
        self.starts.write_text("")
        self.python.write_text(SCRIPT.format(python=sys.executable))
        self.python.chmod(0o755)
        self.program = [shutil.copy(compiled, self.bin / "tenter-client")]

    def begin(self, *words: str) -> subprocess.Popen[bytes]:
        """A server, and a first call, by which the Python command writes the record."""
        server = self.start(*words)
        self.run("fire", "tool.before", "--trust", stdin=b"{}")
        assert list(self.folder.glob("native.*"))
        self.starts.write_text("")
        return server

    def executed(self) -> list[str]:
        """What the native client said to each Python command that it executed since the last time."""
        said = self.starts.read_text().splitlines()
        self.starts.write_text("")
        return said

    @contextlib.contextmanager
    def impostor(self, behaviour: Behaviour) -> Iterator[None]:
        """Something that listens where the server, which has ended, did; it has our key."""
        [record] = self.folder.glob("native.*")
        name = record.read_bytes().split(b"\0")[1].decode()
        (self.folder / "key").write_bytes(bytes(client.KEY))
        (self.folder / "key").chmod(0o600)
        folder = os.open(self.folder, os.O_RDONLY)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(inside(folder, name))
        listener.listen()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    wire, _ = listener.accept()
                    with wire, contextlib.suppress(OSError):
                        behaviour(wire)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(LONG)
            listener.close()
            for left in (name, "key"):
                (self.folder / left).unlink()
            os.close(folder)


def frame(kind: bytes, text: bytes, length: int | None = None) -> bytes:
    return kind + (len(text) if length is None else length).to_bytes(client.LENGTH, "little") + text


def hear_request(wire: socket.socket) -> None:
    """Greet, and receive the whole request."""
    wire.sendall(client.HELLO)
    data = b""
    while len(data) < client.HEAD or len(data) < expected_size(data):
        part = wire.recv(1 << 20)
        if not part:
            raise ConnectionError
        data += part


def expected_size(data: bytes) -> int:
    sizes = [data[place : place + client.LENGTH] for place in range(client.HEAD - 3 * client.LENGTH, client.HEAD, 8)]
    return client.HEAD + sum(int.from_bytes(size, "little") for size in sizes)
