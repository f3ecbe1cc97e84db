"""Test the sandbox: a test environment with a project, a home and servers, and a confined process that tries to
escape.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from tenterhook.runtime.sandbox.profile import Profile
from tenterhook.support.paths import SOURCES

FILES = {
    "project/src/own": "own",
    "project/.git/config": "[core]\n",
    "project/.git/hooks/pre-push.sample": "",
    "project/.claude/settings.json": "{}",
    "project/.claude/logs/old": "",
    "project/tenterhook.toml": "",
    "home/.ssh/id_ed25519": "a key",
    "home/.netrc": "a token",
    "outside/file": "here before",
}
CLOSED = (".git/hooks", ".git/config", ".claude/settings.json", ".claude/settings.local.json", "tenterhook.toml")


def prove(network: str, mechanisms: tuple[str, ...]) -> dict[str, Any]:
    """The result: mechanism, tried, leaks, failed; or why this machine cannot confine a process this way."""
    with tempfile.TemporaryDirectory(prefix="tenterhook-", dir="/tmp") as folder, world(folder) as made:
        task = {"world": made, "profile": profile(folder, network).pack(), "mechanisms": mechanisms}
        file = os.path.join(folder, "task.json")
        with open(file, "w") as opened:
            json.dump(task, opened)
        return run(file)


def run(file: str) -> dict[str, Any]:
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "PYTHONPATH": SOURCES, "PYTHONDONTWRITEBYTECODE": "1"}
    # -P: do not import modules of the current folder.
    argv = [sys.executable, "-P", "-m", "tenterhook.runtime.sandbox.probes", file]
    try:
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=60, check=False)
        found = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as exc:
        problem = done.stderr.strip().rpartition("\n")[2] if isinstance(exc, ValueError) else str(exc)
        return {"mechanism": "", "why": f"the probe itself failed: {problem}", "refused": False}
    return dict(found)


def profile(folder: str, network: str) -> Profile:
    """Hooks get the temporary folder too; here it would hold what they must not reach."""
    project = f"{folder}/project"
    hidden = (f"{folder}/home/.ssh", f"{folder}/home/.netrc", f"{folder}/home/bus")
    return Profile(network, (project, "/dev/shm"), tuple(f"{project}/{name}" for name in CLOSED), hidden)


@contextlib.contextmanager
def world(folder: str) -> Iterator[dict[str, str]]:
    for name, text in FILES.items():
        os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    os.mkdir(f"{folder}/home/bus")
    with contextlib.ExitStack() as stack:
        places = listening(folder, stack)
        yield {
            **places,
            **{name: f"{folder}/{name}" for name in ("project", "home", "outside")},
            "host": str(os.getpid()),
        }


def listening(folder: str, stack: contextlib.ExitStack) -> dict[str, str]:
    """Servers of every kind that a hook could connect to."""
    abstract = os.urandom(8).hex()
    for address in (f"{folder}/home/bus/socket", f"\0{abstract}"):
        made = stack.enter_context(socket.socket(socket.AF_UNIX))
        made.bind(address)
        made.listen()
    datagram = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
    datagram.bind(f"{folder}/home/bus/datagram")
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    thread = threading.Thread(target=echo, args=(udp,), daemon=True)
    thread.start()
    stack.callback(hush, udp, thread)
    port6 = ""
    with contextlib.suppress(OSError):
        tcp6 = stack.enter_context(socket.create_server(("::1", 0), family=socket.AF_INET6))
        port6 = str(tcp6.getsockname()[1])
    return {
        "socket": f"{folder}/home/bus/socket",
        "datagram": f"{folder}/home/bus/datagram",
        "abstract": abstract,
        "port": str(tcp.getsockname()[1]),
        "port6": port6,
        "udp": str(udp.getsockname()[1]),
    }


def echo(server: socket.socket) -> None:
    """Echo until nothing comes."""
    with contextlib.suppress(OSError):
        while (found := server.recvfrom(16))[0]:
            server.sendto(*found)


def hush(server: socket.socket, thread: threading.Thread) -> None:
    """Stop a server before its descriptor is closed: a thread that still waits would wait on the next file with its
    number.
    """
    with contextlib.suppress(OSError):
        server.sendto(b"", server.getsockname())
        thread.join(5.0)
